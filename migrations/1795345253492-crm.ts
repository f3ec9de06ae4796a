import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The CRM: whether it is read at all, how far each step is, what was read, and what became of each call. Ids are those of
 * the portal, and never written over by ours; text where the portal's users are meant, as in managers.crm_user_id.
 */
export class Crm1795345253492 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(AUTOMATION)
    await runner.query(LIMITS)
    await runner.query(PEOPLE)
    await runner.query(DEALS)
    await runner.query(CALLS)
    await runner.query(JOBS)
    await runner.query(LINKS)
    await runner.query(HISTORY)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

const AUTOMATION = `
  -- One row, and none before an owner has done something: that is off.
  CREATE TABLE crm_automation (
    id boolean PRIMARY KEY DEFAULT true CHECK (id),
    state text NOT NULL DEFAULT 'off' CHECK (state IN ('off', 'on', 'paused', 'blocked')),
    -- Why it is blocked: a code, and the words for it.
    reason_code text,
    reason text,
    -- The portal that the data is of; another one in CRM_WEBHOOK_URL blocks.
    host text,
    user_id text,
    user_name text,
    scopes text[],
    missing_scopes text[],
    -- What the last check found; null where it was in order.
    check_code text,
    check_reason text,
    checked_at timestamptz,
    confirmed_at timestamptz,
    enabled_at timestamptz,
    next_probe_at timestamptz,
    -- One more with each reset of the read positions.
    generation integer NOT NULL DEFAULT 1,
    roster_applied_at timestamptz,
    writing_on boolean NOT NULL DEFAULT false,
    writing_since timestamptz,
    changed_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE crm_steps (
    name text PRIMARY KEY,
    due_at timestamptz NOT NULL DEFAULT now(),
    run_token uuid,
    lease_until timestamptz,
    last_run_at timestamptz,
    last_error text,
    last_success_at timestamptz,
    -- Within the pass under way.
    cursor jsonb,
    -- What the next pass begins from.
    position jsonb,
    -- The generation that the position is of.
    generation integer NOT NULL DEFAULT 1,
    -- Of the last pass, or of the one under way.
    read bigint NOT NULL DEFAULT 0,
    new bigint NOT NULL DEFAULT 0,
    changed bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    -- Why it stands still until somebody looks at it.
    hold text CHECK (hold IN ('attention', 'blocked')),
    error_code text
  );
`

const LIMITS = `
  -- One row a portal: when the next request may go (GCRA), and how much it takes at the moment.
  CREATE TABLE crm_limiter (
    host text PRIMARY KEY,
    free_at timestamptz NOT NULL DEFAULT now(),
    rate double precision NOT NULL,
    rate_at timestamptz NOT NULL DEFAULT now(),
    stopped_until timestamptz,
    stops integer NOT NULL DEFAULT 0
  );

  -- Who holds a lane, and until when somebody waits in it.
  CREATE TABLE crm_lanes (
    host text NOT NULL,
    lane text NOT NULL,
    token uuid,
    lease_until timestamptz,
    wanted_until timestamptz,
    PRIMARY KEY (host, lane)
  );

  -- Methods that the portal has closed for a webhook.
  CREATE TABLE crm_method_pauses (
    host text NOT NULL,
    webhook text NOT NULL CHECK (webhook IN ('read', 'write')),
    method text NOT NULL,
    reset_at timestamptz,
    paused_until timestamptz,
    pauses integer NOT NULL DEFAULT 0,
    PRIMARY KEY (host, webhook, method)
  );
`

const PEOPLE = `
  CREATE TABLE crm_users (
    id text PRIMARY KEY,
    name text NOT NULL,
    position text,
    active boolean NOT NULL,
    department_ids bigint[] NOT NULL DEFAULT '{}',
    seen_in uuid,
    gone_at timestamptz,
    read_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE crm_departments (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    parent_id bigint,
    sort integer,
    head_user_id text,
    seen_in uuid,
    gone_at timestamptz,
    read_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE crm_roster (
    user_id text PRIMARY KEY,
    department_id uuid NOT NULL REFERENCES departments ON DELETE CASCADE,
    manager_id uuid NOT NULL REFERENCES managers,
    added_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX crm_roster_department ON crm_roster (department_id);
  CREATE INDEX crm_roster_manager ON crm_roster (manager_id);

  -- Deals are read only from the funnels of departments.
  ALTER TABLE departments ADD COLUMN funnels bigint[] NOT NULL DEFAULT '{}';
`

const DEALS = `
  CREATE TABLE crm_funnels (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    sort integer,
    is_default boolean NOT NULL DEFAULT false,
    seen_in uuid,
    gone_at timestamptz,
    read_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE crm_stages (
    funnel_id bigint NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    sort integer,
    outcome text NOT NULL CHECK (outcome IN ('open', 'won', 'lost')),
    seen_in uuid,
    gone_at timestamptz,
    read_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (funnel_id, id)
  );

  CREATE TABLE crm_deals (
    id bigint PRIMARY KEY,
    title text NOT NULL,
    funnel_id bigint NOT NULL,
    stage_id text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('open', 'won', 'lost')),
    amount numeric,
    currency text,
    responsible_id text,
    company_id bigint,
    contact_ids bigint[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    moved_at timestamptz,
    -- When it was won or lost: its last move to a final stage; null while it is open.
    closed_at timestamptz,
    planned_close_on date,
    -- The deal that it was merged into.
    merged_into bigint,
    -- Since when the portal does not give it, and since when that is certain: then reports leave it out.
    missed_at timestamptz,
    gone_at timestamptz,
    generation integer NOT NULL DEFAULT 1,
    -- When a row of ours last changed: calls that wait for a deal are looked at again.
    changed_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX crm_deals_closed ON crm_deals (closed_at) INCLUDE (funnel_id, responsible_id, outcome, amount, currency)
    WHERE closed_at IS NOT NULL AND gone_at IS NULL;
  CREATE INDEX crm_deals_created ON crm_deals (created_at) INCLUDE (funnel_id, responsible_id, outcome, amount, currency)
    WHERE gone_at IS NULL;
  CREATE INDEX crm_deals_responsible ON crm_deals (responsible_id, created_at);
  CREATE INDEX crm_deals_funnel ON crm_deals (funnel_id, created_at);
  CREATE INDEX crm_deals_open ON crm_deals (responsible_id) WHERE outcome = 'open' AND gone_at IS NULL;
  CREATE INDEX crm_deals_company ON crm_deals (company_id) WHERE company_id IS NOT NULL;
  CREATE INDEX crm_deals_contacts ON crm_deals USING gin (contact_ids);
  CREATE INDEX crm_deals_changed ON crm_deals (changed_at, id);
  CREATE INDEX crm_deals_missed ON crm_deals (missed_at) WHERE missed_at IS NOT NULL;

  CREATE TABLE crm_stage_history (
    id bigint PRIMARY KEY,
    deal_id bigint NOT NULL,
    -- 1 made, 2 moved, 3 moved to a final stage, 5 moved to another funnel.
    type smallint NOT NULL,
    funnel_id bigint,
    stage_id text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('open', 'won', 'lost')),
    moved_at timestamptz NOT NULL
  );
  CREATE INDEX crm_stage_history_deal ON crm_stage_history (deal_id, moved_at, id);

  -- Contacts and companies of known deals, whose phones are read.
  CREATE TABLE crm_contacts (
    kind text NOT NULL CHECK (kind IN ('contact', 'company')),
    id bigint NOT NULL,
    -- Its phones are to be read from then on.
    due_at timestamptz DEFAULT now(),
    read_at timestamptz,
    gone_at timestamptz,
    PRIMARY KEY (kind, id)
  );
  CREATE INDEX crm_contacts_due ON crm_contacts (due_at, kind, id) WHERE due_at IS NOT NULL;

  -- E.164.
  CREATE TABLE crm_phones (
    kind text NOT NULL,
    contact_id bigint NOT NULL,
    phone text NOT NULL,
    PRIMARY KEY (kind, contact_id, phone),
    FOREIGN KEY (kind, contact_id) REFERENCES crm_contacts ON DELETE CASCADE
  );
  CREATE INDEX crm_phones_phone ON crm_phones (phone) INCLUDE (kind, contact_id);
`

const CALLS = `
  -- Each row of the portal's statistics. Several may carry one call_id: the one with a file counts, then the longest.
  CREATE TABLE crm_calls (
    id bigint PRIMARY KEY,
    call_id text NOT NULL,
    user_id text,
    phone_number text,
    -- E.164; null where it is none.
    phone text,
    portal_number text,
    type smallint NOT NULL,
    duration_seconds integer NOT NULL,
    started_at timestamptz NOT NULL,
    failed_code text,
    entity_type text,
    entity_id bigint,
    activity_id bigint,
    file_id bigint,
    -- Of the file that was loaded, to tell a changed one.
    loaded_file_id bigint,
    file_size bigint,
    file_version text,
    load_state text NOT NULL
      CHECK (load_state IN ('waiting', 'skipped', 'awaiting-file', 'loading', 'failed', 'received', 'doubled')),
    skip_reason text,
    load_error text,
    file_checks integer NOT NULL DEFAULT 0,
    next_file_check_at timestamptz,
    recording_id uuid,
    -- The load of the history that it came by; null for a live one.
    history_load_id uuid,
    generation integer NOT NULL DEFAULT 1,
    read_at timestamptz NOT NULL DEFAULT now(),
    loaded_at timestamptz
  );
  CREATE INDEX crm_calls_call ON crm_calls (call_id);
  CREATE INDEX crm_calls_recording ON crm_calls (recording_id) WHERE recording_id IS NOT NULL;
  CREATE INDEX crm_calls_started ON crm_calls (started_at) INCLUDE (user_id, load_state, skip_reason, recording_id);
  CREATE INDEX crm_calls_user ON crm_calls (user_id, started_at) INCLUDE (failed_code, duration_seconds);
  CREATE INDEX crm_calls_phone ON crm_calls (phone, started_at) WHERE phone IS NOT NULL;
  CREATE INDEX crm_calls_file_checks ON crm_calls (next_file_check_at) WHERE next_file_check_at IS NOT NULL;
  CREATE INDEX crm_calls_waiting ON crm_calls (id) WHERE load_state = 'waiting';
  CREATE INDEX crm_calls_history ON crm_calls (history_load_id) WHERE history_load_id IS NOT NULL;

  -- What the portal counted for a day, beside what is here.
  CREATE TABLE crm_controls (
    day date PRIMARY KEY,
    portal_calls integer NOT NULL,
    own_calls integer NOT NULL,
    -- More than a twentieth fewer than before: rights may have shrunk.
    shrank_at timestamptz,
    checked_at timestamptz NOT NULL DEFAULT now()
  );
`

/** The columns that every table of jobs has. */
const JOB = `
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    priority smallint NOT NULL DEFAULT 5,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    attempt_token uuid,
    lease_until timestamptz,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz`

/** The indexes that the engine of the queues asks by. */
const jobIndexes = (table: string): string => `
  CREATE INDEX ${table}_waiting ON ${table} (priority DESC, next_attempt_at, id) WHERE status = 'QUEUED';
  CREATE INDEX ${table}_running ON ${table} (lease_until) WHERE status = 'PROCESSING';
  CREATE INDEX ${table}_failed ON ${table} (id) WHERE status = 'FAILED';`

const JOBS = `
  -- Queue crm-sync: calls that events and the sweep found; one job a call.
  CREATE TABLE crm_sync_jobs (${JOB},
    status text NOT NULL DEFAULT 'QUEUED' CHECK (status IN ('QUEUED', 'PROCESSING', 'DONE', 'FAILED')),
    call_id text NOT NULL,
    recording_id uuid,
    -- When the portal told of it; null where the sweep found it.
    event_at timestamptz,
    CONSTRAINT crm_sync_jobs_call UNIQUE (call_id)
  );
  ${jobIndexes('crm_sync_jobs')}

  -- Queue crm-load: calls of the history.
  CREATE TABLE crm_load_jobs (${JOB},
    status text NOT NULL DEFAULT 'QUEUED' CHECK (status IN ('QUEUED', 'PROCESSING', 'DONE', 'FAILED', 'CANCELLED')),
    call_id text NOT NULL,
    recording_id uuid,
    history_load_id uuid NOT NULL,
    CONSTRAINT crm_load_jobs_call UNIQUE (history_load_id, call_id)
  );
  ${jobIndexes('crm_load_jobs')}
`

const LINKS = `
  -- Which deals a call belongs to, and by what that is known.
  CREATE TABLE crm_call_deals (
    recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
    deal_id bigint NOT NULL,
    linked_by text NOT NULL CHECK (linked_by IN ('person', 'activity', 'phone')),
    -- One of several that it may be: shown, but neither counted nor commented.
    ambiguous boolean NOT NULL DEFAULT false,
    person_id uuid,
    linked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (recording_id, deal_id)
  );
  CREATE INDEX crm_call_deals_deal ON crm_call_deals (deal_id, recording_id) INCLUDE (ambiguous, linked_by);

  -- How far the search for a call's deals is; a call linked by hand is never searched for again.
  CREATE TABLE crm_matches (
    recording_id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
    state text NOT NULL CHECK (state IN ('waiting', 'linked', 'ambiguous', 'none', 'manual')),
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz DEFAULT now(),
    matched_at timestamptz
  );
  CREATE INDEX crm_matches_due ON crm_matches (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX crm_matches_unlinked ON crm_matches (recording_id) WHERE state IN ('ambiguous', 'none');

  -- Queue crm-write: one comment a call and deal.
  CREATE TABLE crm_comments (${JOB},
    status text NOT NULL DEFAULT 'QUEUED'
      CHECK (status IN ('QUEUED', 'PROCESSING', 'SENT', 'FAILED', 'REMOVED', 'CANCELLED')),
    recording_id uuid NOT NULL,
    deal_id bigint NOT NULL,
    comment_id bigint,
    -- Of the text that stands in the portal.
    text_hash text,
    -- Whether a request to add it may have arrived without our knowing.
    may_stand boolean NOT NULL DEFAULT false,
    sent_at timestamptz,
    CONSTRAINT crm_comments_call_deal UNIQUE (recording_id, deal_id)
  );
  ${jobIndexes('crm_comments')}
  CREATE INDEX crm_comments_deal ON crm_comments (deal_id);
`

const HISTORY = `
  CREATE TABLE crm_history_estimates (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    from_at timestamptz NOT NULL,
    to_at timestamptz NOT NULL,
    -- As it was answered.
    figures jsonb NOT NULL,
    allowed boolean NOT NULL,
    person_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
  );

  CREATE TABLE crm_history_loads (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    estimate_id uuid NOT NULL UNIQUE REFERENCES crm_history_estimates,
    state text NOT NULL CHECK (state IN ('running', 'paused', 'done', 'cancelled', 'failed')),
    from_at timestamptz NOT NULL,
    to_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now(),
    run_token uuid,
    lease_until timestamptz,
    last_run_at timestamptz,
    last_error text,
    cursor jsonb,
    -- Whether every page of the period was read.
    read_whole boolean NOT NULL DEFAULT false,
    found bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    person_id uuid,
    person_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
  );
`
