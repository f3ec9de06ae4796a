import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * What the current checks have found, counted by day, manager and rule: so that reports of a year need not read millions
 * of findings. As with recording_counts a change only adds lines, the schedule adds them up, and what counts is the sum of
 * both tables. Invented findings (ANALYSIS_PROVIDER=mock) are no findings.
 */
export class RuleCounts1795345952824 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES)
    await runner.query(TRIGGERS)
    await runner.query(FILL)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

const TABLES = `
  CREATE TABLE rule_counts (
    -- Of the call, in UTC, since 1970.
    day integer NOT NULL,
    -- All zeros where the call has none.
    manager_id uuid NOT NULL,
    version_id uuid NOT NULL,
    rule_key text NOT NULL,
    is_label boolean NOT NULL,
    met integer NOT NULL,
    missed integer NOT NULL,
    not_applicable integer NOT NULL,
    unknown integer NOT NULL,
    PRIMARY KEY (day, manager_id, version_id, rule_key)
  );
  CREATE TABLE rule_count_changes (LIKE rule_counts);

  -- One at a time adds up; who comes meanwhile has nothing to do.
  CREATE FUNCTION add_up_rule_counts() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT pg_try_advisory_xact_lock(7361002) THEN RETURN; END IF;
    WITH changes AS (DELETE FROM rule_count_changes RETURNING *)
    INSERT INTO rule_counts AS c
    SELECT day, manager_id, version_id, rule_key, is_label, sum(met), sum(missed), sum(not_applicable), sum(unknown)
      FROM changes GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (day, manager_id, version_id, rule_key)
    DO UPDATE SET met = c.met + excluded.met, missed = c.missed + excluded.missed,
                  not_applicable = c.not_applicable + excluded.not_applicable, unknown = c.unknown + excluded.unknown;
  END $$;
`

const TRIGGERS = `
  CREATE FUNCTION count_findings(analysis uuid, r recordings, n integer) RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO rule_count_changes
    SELECT floor(extract(epoch FROM r.call_at) / 86400),
           coalesce(r.manager_id, '00000000-0000-0000-0000-000000000000'), f.version_id, f.rule_key, f.is_label,
           n * (f.verdict = 'met')::integer, n * (f.verdict = 'missed')::integer,
           n * (f.verdict = 'not_applicable')::integer, n * (f.verdict = 'unknown')::integer
      FROM findings f JOIN analyses a ON a.id = f.analysis_id
     WHERE f.analysis_id = analysis AND a.provider IS DISTINCT FROM 'mock';
  END;

  -- A check becomes the current one when its findings are there.
  CREATE FUNCTION analyses_counts() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    call recordings;
  BEGIN
    SELECT * INTO call FROM recordings WHERE id = NEW.recording_id;
    PERFORM count_findings(NEW.id, call, CASE WHEN NEW.is_current THEN 1 ELSE -1 END);
    RETURN NULL;
  END $$;
  CREATE TRIGGER analyses_counts AFTER UPDATE OF is_current ON analyses
    FOR EACH ROW WHEN (OLD.is_current <> NEW.is_current) EXECUTE FUNCTION analyses_counts();

  -- What people decide.
  CREATE FUNCTION findings_counts() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO rule_count_changes
    SELECT floor(extract(epoch FROM r.call_at) / 86400),
           coalesce(r.manager_id, '00000000-0000-0000-0000-000000000000'), NEW.version_id, NEW.rule_key, NEW.is_label,
           (NEW.verdict = 'met')::integer - (OLD.verdict = 'met')::integer,
           (NEW.verdict = 'missed')::integer - (OLD.verdict = 'missed')::integer,
           (NEW.verdict = 'not_applicable')::integer - (OLD.verdict = 'not_applicable')::integer,
           (NEW.verdict = 'unknown')::integer - (OLD.verdict = 'unknown')::integer
      FROM analyses a JOIN recordings r ON r.id = a.recording_id
     WHERE a.id = NEW.analysis_id AND a.is_current AND a.provider IS DISTINCT FROM 'mock';
    RETURN NULL;
  END $$;
  CREATE TRIGGER findings_counts AFTER UPDATE OF verdict ON findings
    FOR EACH ROW WHEN (OLD.verdict <> NEW.verdict) EXECUTE FUNCTION findings_counts();

  -- A call gets another manager or time, or goes; before it goes, because its findings go with it.
  CREATE FUNCTION recordings_rule_counts() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    current uuid;
  BEGIN
    SELECT id INTO current FROM analyses WHERE recording_id = OLD.id AND is_current;
    IF current IS NOT NULL THEN
      PERFORM count_findings(current, OLD, -1);
      IF TG_OP = 'UPDATE' THEN PERFORM count_findings(current, NEW, 1); END IF;
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER recordings_rule_counts BEFORE DELETE ON recordings
    FOR EACH ROW EXECUTE FUNCTION recordings_rule_counts();
  CREATE TRIGGER recordings_rule_counts_change AFTER UPDATE ON recordings
    FOR EACH ROW WHEN ((OLD.manager_id, OLD.call_at) IS DISTINCT FROM (NEW.manager_id, NEW.call_at))
    EXECUTE FUNCTION recordings_rule_counts();
`

/** The triggers hold the tables until this is committed: what is there is counted once. */
const FILL = `
  SET LOCAL statement_timeout = 0;
  INSERT INTO rule_counts
  SELECT floor(extract(epoch FROM r.call_at) / 86400),
         coalesce(r.manager_id, '00000000-0000-0000-0000-000000000000'), f.version_id, f.rule_key, f.is_label,
         count(*) FILTER (WHERE f.verdict = 'met'), count(*) FILTER (WHERE f.verdict = 'missed'),
         count(*) FILTER (WHERE f.verdict = 'not_applicable'), count(*) FILTER (WHERE f.verdict = 'unknown')
    FROM analyses a JOIN recordings r ON r.id = a.recording_id JOIN findings f ON f.analysis_id = a.id
   WHERE a.is_current AND a.provider IS DISTINCT FROM 'mock'
   GROUP BY 1, 2, 3, 4, 5;
`
