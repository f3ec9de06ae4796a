import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * What the calls of each deal come to, kept: so that reports of a year need not go through hundreds of thousands of calls,
 * checks and labels. Whoever changes a link, a deal or a check only adds a line that says of what; the schedule works
 * these deals out again, and until then reports do so themselves, in the statement that reads the others.
 */
export class CallsByDeal1795389533654 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES)
    await runner.query(FUNCTIONS)
    await runner.query(TRIGGERS)
    await runner.query(FILL)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

const TABLES = `
  CREATE TABLE crm_deal_calls (
    deal_id bigint PRIMARY KEY,
    -- Calls that belong to it beyond doubt and began before it ended; the next two are of these.
    calls integer NOT NULL,
    -- Whether one of them is checked.
    is_checked boolean NOT NULL,
    -- The labels found in them, each once: the id of the version of its rules, a slash, the key of its rule.
    said text[] NOT NULL
  );
  -- One of both. A call is named where its deals are not known yet: a link may be made at the same time.
  CREATE TABLE crm_deal_call_changes (deal_id bigint, recording_id uuid);
`

/** What calls of the deals d come to, of those that a condition chooses. */
const callsOf = (chosen: string) => `
    SELECT d.id, count(DISTINCT l.recording_id)::integer AS calls, coalesce(bool_or(a.id IS NOT NULL), false) AS is_checked,
           coalesce(array_agg(DISTINCT f.version_id || '/' || f.rule_key) FILTER (WHERE f.verdict = 'met'), '{}') AS said
      FROM crm_deals d
      LEFT JOIN crm_call_deals l ON l.deal_id = d.id AND NOT l.ambiguous AND l.call_at < coalesce(d.closed_at, 'infinity')
      LEFT JOIN analyses a ON a.recording_id = l.recording_id AND a.is_current AND a.status = 'DONE'
           AND a.provider IS DISTINCT FROM 'mock'
      LEFT JOIN findings f ON f.analysis_id = a.id AND f.is_label
     WHERE ${chosen} GROUP BY d.id`

const FUNCTIONS = `
  CREATE FUNCTION calls_of_deals(deals bigint[])
  RETURNS TABLE (deal_id bigint, calls integer, is_checked boolean, said text[]) LANGUAGE sql STABLE BEGIN ATOMIC
    ${callsOf('d.id = ANY(deals)')};
  END;

  -- Deals of calls that have changed, and those that have changed themselves.
  CREATE FUNCTION deals_of_changes(deals bigint[], recordings uuid[]) RETURNS SETOF bigint LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT unnest(deals) UNION SELECT l.deal_id FROM crm_call_deals l WHERE l.recording_id = ANY(recordings);
  END;

  -- Takes so many changes at most and says how many there were. One at a time; who comes meanwhile has nothing to do. A
  -- statement sees what was committed before it began: so the deals are worked out by one that begins after their changes
  -- were taken.
  CREATE FUNCTION add_up_deal_calls(most integer) RETURNS integer LANGUAGE plpgsql AS $$
  DECLARE
    deals bigint[];
    recordings uuid[];
    taken integer;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(7361003) THEN RETURN 0; END IF;
    WITH changes AS (
      DELETE FROM crm_deal_call_changes WHERE ctid = ANY(ARRAY(SELECT ctid FROM crm_deal_call_changes LIMIT most)) RETURNING *)
    SELECT array_agg(DISTINCT deal_id) FILTER (WHERE deal_id IS NOT NULL),
           array_agg(DISTINCT recording_id) FILTER (WHERE recording_id IS NOT NULL), count(*)
      INTO deals, recordings, taken FROM changes;
    deals := ARRAY(SELECT deals_of_changes(deals, recordings));
    INSERT INTO crm_deal_calls AS c
    SELECT * FROM calls_of_deals(deals)
    ON CONFLICT (deal_id) DO UPDATE SET calls = excluded.calls, is_checked = excluded.is_checked, said = excluded.said
     WHERE (c.calls, c.is_checked, c.said) IS DISTINCT FROM (excluded.calls, excluded.is_checked, excluded.said);
    DELETE FROM crm_deal_calls c WHERE c.deal_id = ANY(deals) AND NOT EXISTS (SELECT FROM crm_deals d WHERE d.id = c.deal_id);
    RETURN taken;
  END $$;
`

const TRIGGERS = `
  CREATE FUNCTION crm_call_deals_changes() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN INSERT INTO crm_deal_call_changes (deal_id) VALUES (OLD.deal_id); END IF;
    IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.deal_id <> OLD.deal_id) THEN
      INSERT INTO crm_deal_call_changes (deal_id) VALUES (NEW.deal_id);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER crm_call_deals_changes AFTER INSERT OR DELETE OR UPDATE OF recording_id, deal_id, ambiguous, call_at
    ON crm_call_deals FOR EACH ROW EXECUTE FUNCTION crm_call_deals_changes();

  CREATE FUNCTION crm_deals_changes() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO crm_deal_call_changes (deal_id) VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.id ELSE NEW.id END);
    RETURN NULL;
  END $$;
  CREATE TRIGGER crm_deals_changes AFTER INSERT OR DELETE ON crm_deals FOR EACH ROW EXECUTE FUNCTION crm_deals_changes();
  CREATE TRIGGER crm_deals_changes_end AFTER UPDATE ON crm_deals
    FOR EACH ROW WHEN (OLD.closed_at IS DISTINCT FROM NEW.closed_at) EXECUTE FUNCTION crm_deals_changes();

  -- A check becomes the current one when its findings are there, or is no longer. With its call the links go, too.
  CREATE FUNCTION analyses_changes() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO crm_deal_call_changes (recording_id) VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.recording_id ELSE NEW.recording_id END);
    RETURN NULL;
  END $$;
  CREATE TRIGGER analyses_changes AFTER INSERT ON analyses
    FOR EACH ROW WHEN (NEW.is_current) EXECUTE FUNCTION analyses_changes();
  CREATE TRIGGER analyses_changes_current AFTER UPDATE ON analyses
    FOR EACH ROW WHEN ((OLD.is_current OR NEW.is_current)
      AND (OLD.is_current, OLD.status, OLD.provider) IS DISTINCT FROM (NEW.is_current, NEW.status, NEW.provider))
    EXECUTE FUNCTION analyses_changes();
  CREATE TRIGGER analyses_changes_end AFTER DELETE ON analyses
    FOR EACH ROW WHEN (OLD.is_current) EXECUTE FUNCTION analyses_changes();

  -- What people decide.
  CREATE FUNCTION findings_changes() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO crm_deal_call_changes (recording_id) SELECT recording_id FROM analyses WHERE id = NEW.analysis_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER findings_changes AFTER UPDATE OF verdict ON findings
    FOR EACH ROW WHEN (NEW.is_label AND OLD.verdict <> NEW.verdict) EXECUTE FUNCTION findings_changes();
`

/** The triggers hold the tables until this is committed: what is there is worked out once, all of it together. */
const FILL = `
  SET LOCAL statement_timeout = 0;
  SET LOCAL work_mem = '64MB';
  INSERT INTO crm_deal_calls ${callsOf('true')};
`
