import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The call check: rule sets with their versions, checks with what they found, what people say of it, and what left the server. */
export class CallCheck1795328405894 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(RULE_SETS)
    await runner.query(CHECKS)
    await runner.query(PEOPLE)
    await runner.query(MODEL)
    await runner.query(LONG_WORK)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

const RULE_SETS = `
  CREATE TABLE rule_sets (
    id uuid PRIMARY KEY,
    key text NOT NULL,
    name jsonb NOT NULL,
    mode text NOT NULL CHECK (mode IN ('score', 'label')),
    applies jsonb NOT NULL DEFAULT '{}',
    position integer NOT NULL,
    origin text NOT NULL CHECK (origin IN ('shipped', 'own')),
    -- Of the shipped wording that was seen last: another one is a later release's.
    shipped_hash text,
    created_at timestamptz NOT NULL DEFAULT now(),
    archived_at timestamptz
  );
  CREATE UNIQUE INDEX rule_sets_key ON rule_sets (key) WHERE archived_at IS NULL;

  CREATE TABLE rule_set_versions (
    id uuid PRIMARY KEY,
    rule_set_id uuid NOT NULL REFERENCES rule_sets ON DELETE CASCADE,
    number integer NOT NULL,
    state text NOT NULL CHECK (state IN ('draft', 'published', 'retired')),
    rules jsonb NOT NULL,
    hash text NOT NULL,
    revision integer NOT NULL DEFAULT 1,
    note text,
    author_id uuid,
    author_name text,
    publisher_id uuid,
    publisher_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    published_at timestamptz,
    retired_at timestamptz,
    CONSTRAINT rule_set_versions_number UNIQUE (rule_set_id, number)
  );
  CREATE UNIQUE INDEX rule_set_versions_draft ON rule_set_versions (rule_set_id) WHERE state = 'draft';
  CREATE UNIQUE INDEX rule_set_versions_published ON rule_set_versions (rule_set_id) WHERE state = 'published';

  CREATE FUNCTION keep_published_rules() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'a version that is no draft keeps its rules';
  END $$;
  CREATE TRIGGER rule_set_versions_keep BEFORE UPDATE OF rules, hash, number, rule_set_id ON rule_set_versions
    FOR EACH ROW WHEN (OLD.state <> 'draft') EXECUTE FUNCTION keep_published_rules();
`

const CHECKS = `
  CREATE TABLE analyses (
    id uuid PRIMARY KEY,
    recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
    status text NOT NULL DEFAULT 'QUEUED'
      CHECK (status IN ('QUEUED', 'PROCESSING', 'DONE', 'SKIPPED', 'FAILED', 'CANCELLED')),
    priority smallint NOT NULL DEFAULT 5,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    attempt_token uuid,
    lease_until timestamptz,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    run_id uuid,
    -- What the recording shows: the last one that ended well.
    is_current boolean NOT NULL DEFAULT false,
    reason text,
    provider text,
    model text,
    version_id uuid REFERENCES rule_set_versions,
    transcript_hash text,
    agent_channel smallint,
    score real,
    score_auto real,
    score_before_critical real,
    coverage real,
    input_tokens integer,
    output_tokens integer,
    cost double precision,
    currency text,
    changed_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX analyses_recording ON analyses (recording_id, id);
  CREATE UNIQUE INDEX analyses_current ON analyses (recording_id) WHERE is_current;
  CREATE INDEX analyses_waiting ON analyses (priority DESC, created_at, id) WHERE status = 'QUEUED';
  CREATE INDEX analyses_delayed ON analyses (next_attempt_at, id) WHERE status = 'QUEUED';
  CREATE INDEX analyses_running ON analyses (lease_until) WHERE status = 'PROCESSING';
  CREATE INDEX analyses_failed ON analyses (id) WHERE status = 'FAILED';
  CREATE INDEX analyses_run ON analyses (run_id, status) WHERE run_id IS NOT NULL;

  CREATE TABLE findings (
    id uuid PRIMARY KEY,
    analysis_id uuid NOT NULL REFERENCES analyses ON DELETE CASCADE,
    version_id uuid NOT NULL REFERENCES rule_set_versions,
    position smallint NOT NULL,
    is_label boolean NOT NULL,
    rule_key text NOT NULL,
    rule_hash text NOT NULL,
    machine_verdict text NOT NULL CHECK (machine_verdict IN ('met', 'missed', 'not_applicable', 'unknown')),
    machine_decided_by text NOT NULL CHECK (machine_decided_by IN ('rules', 'model')),
    verdict text NOT NULL CHECK (verdict IN ('met', 'missed', 'not_applicable', 'unknown')),
    decided_by text NOT NULL CHECK (decided_by IN ('rules', 'model', 'person')),
    why jsonb NOT NULL,
    evidence jsonb NOT NULL DEFAULT '[]',
    -- Why a person should look at it; null where nobody needs to.
    waits text CHECK (waits IN ('critical', 'unknown', 'disputed', 'random'))
  );
  CREATE INDEX findings_analysis ON findings (analysis_id, position);
  CREATE INDEX findings_waiting ON findings (waits, id) WHERE waits IS NOT NULL;
`

const PEOPLE = `
  CREATE TABLE reviews (
    id uuid PRIMARY KEY,
    recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
    finding_id uuid NOT NULL REFERENCES findings ON DELETE CASCADE,
    rule_set_id uuid NOT NULL REFERENCES rule_sets,
    rule_key text NOT NULL,
    rule_hash text NOT NULL,
    transcript_hash text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('verdict', 'dispute')),
    machine_verdict text NOT NULL,
    verdict text CHECK (verdict IN ('met', 'missed', 'not_applicable', 'unknown')),
    comment text NOT NULL,
    person_id uuid NOT NULL,
    person_name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX reviews_finding ON reviews (recording_id, rule_set_id, rule_key, id);
  CREATE INDEX reviews_kind ON reviews (rule_set_id, rule_key) WHERE kind = 'verdict';
  CREATE INDEX reviews_of_finding ON reviews (finding_id);

  CREATE FUNCTION keep_reviews() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'what a person has said of a verdict is not changed';
  END $$;
  CREATE TRIGGER reviews_keep BEFORE UPDATE ON reviews FOR EACH ROW EXECUTE FUNCTION keep_reviews();
`

/** No reference to recordings: that something left the server stays on record when the call is gone. It holds no texts. */
const MODEL = `
  CREATE TABLE model_requests (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    recording_id uuid,
    analysis_id uuid,
    host text NOT NULL,
    model text NOT NULL,
    purpose text NOT NULL,
    attempt integer NOT NULL,
    bytes integer NOT NULL,
    body_sha256 text NOT NULL,
    redactions integer NOT NULL,
    state text NOT NULL DEFAULT 'sent' CHECK (state IN ('sent', 'answered', 'failed')),
    status_code integer,
    error text,
    input_tokens integer,
    output_tokens integer,
    reasoning_tokens integer,
    cost double precision,
    currency text,
    duration_ms integer
  );
  CREATE INDEX model_requests_at ON model_requests (at DESC, id DESC);
  CREATE INDEX model_requests_recording ON model_requests (recording_id);
`

const LONG_WORK = `
  CREATE TABLE analysis_runs (
    id uuid PRIMARY KEY,
    state text NOT NULL CHECK (state IN ('estimated', 'running', 'done', 'cancelled')),
    from_at timestamptz NOT NULL,
    to_at timestamptz NOT NULL,
    rule_set_id uuid REFERENCES rule_sets,
    estimate jsonb NOT NULL,
    -- The last recording that was queued.
    cursor uuid,
    -- Whether all of them are.
    is_queued boolean NOT NULL DEFAULT false,
    person_id uuid NOT NULL,
    person_name text NOT NULL,
    scope jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    confirmed_at timestamptz,
    finished_at timestamptz
  );
  CREATE INDEX analysis_runs_running ON analysis_runs (id) WHERE state = 'running';

  CREATE TABLE backtests (
    id uuid PRIMARY KEY,
    rule_set_id uuid NOT NULL REFERENCES rule_sets ON DELETE CASCADE,
    state text NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
    from_at timestamptz NOT NULL,
    to_at timestamptz NOT NULL,
    draft_revision integer NOT NULL,
    draft jsonb NOT NULL,
    published jsonb,
    recording_ids uuid[] NOT NULL,
    done integer NOT NULL DEFAULT 0,
    figures jsonb,
    last_error text,
    run_token uuid,
    lease_until timestamptz,
    person_id uuid NOT NULL,
    person_name text NOT NULL,
    scope jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
  );
  CREATE INDEX backtests_running ON backtests (id) WHERE state = 'running';
  CREATE INDEX backtests_set ON backtests (rule_set_id);

  CREATE TABLE backtest_calls (
    backtest_id uuid NOT NULL REFERENCES backtests ON DELETE CASCADE,
    recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
    old_score real,
    new_score real,
    changes jsonb NOT NULL,
    PRIMARY KEY (backtest_id, recording_id)
  );
  CREATE INDEX backtest_calls_recording ON backtest_calls (recording_id);
`
