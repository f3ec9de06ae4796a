import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Links of calls to deals know when the call was and whose it is, so that reports of a year need not look up hundreds of
 * thousands of calls one by one. Triggers hold both, because a release before writes links without them.
 */
export class CallsOfDeals1795365871870 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET LOCAL statement_timeout = 0')
    await runner.query(COLUMNS)
    await runner.query(FILL)
    await runner.query(TRIGGERS)
    await runner.query(INDEXES)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

const COLUMNS = `
  -- Both as the recording has them.
  ALTER TABLE crm_call_deals ADD COLUMN call_at timestamptz, ADD COLUMN manager_id uuid;
`

const TRIGGERS = `
  -- The lock is the one that the reference takes too; what it has waited for only the next statement sees.
  CREATE FUNCTION crm_call_deals_call() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM recordings WHERE id = NEW.recording_id FOR KEY SHARE;
    SELECT call_at, manager_id INTO NEW.call_at, NEW.manager_id FROM recordings WHERE id = NEW.recording_id;
    RETURN NEW;
  END $$;
  CREATE TRIGGER crm_call_deals_call BEFORE INSERT OR UPDATE OF recording_id ON crm_call_deals
    FOR EACH ROW EXECUTE FUNCTION crm_call_deals_call();

  -- Waits for links of the call that are being made: they have read what changes here.
  CREATE FUNCTION recordings_links() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM recordings WHERE id = NEW.id FOR UPDATE;
    UPDATE crm_call_deals SET call_at = NEW.call_at, manager_id = NEW.manager_id WHERE recording_id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER recordings_links AFTER UPDATE ON recordings
    FOR EACH ROW WHEN ((OLD.manager_id, OLD.call_at) IS DISTINCT FROM (NEW.manager_id, NEW.call_at))
    EXECUTE FUNCTION recordings_links();
`

/** Nothing changes between this and the triggers. */
const FILL = `
  LOCK TABLE recordings, crm_call_deals IN SHARE ROW EXCLUSIVE MODE;
  UPDATE crm_call_deals l SET call_at = r.call_at, manager_id = r.manager_id FROM recordings r WHERE r.id = l.recording_id;
`

const INDEXES = `
  CREATE INDEX crm_call_deals_counted ON crm_call_deals (deal_id, call_at) INCLUDE (recording_id) WHERE NOT ambiguous;
  CREATE INDEX crm_call_deals_calls ON crm_call_deals (call_at, recording_id) INCLUDE (manager_id) WHERE NOT ambiguous;
  -- The checks that reports count.
  CREATE INDEX analyses_counted ON analyses (recording_id) INCLUDE (id)
    WHERE is_current AND provider IS DISTINCT FROM 'mock';
`
