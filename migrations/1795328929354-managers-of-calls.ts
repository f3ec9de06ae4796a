import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Calls that one transaction writes: a worker that wants one of them waits for some hundred milliseconds at most. */
const PAGE = 5000

/**
 * The managers of the calls from before, and the indexes by manager. It commits page by page, so that calls are read,
 * received and transcribed meanwhile; where it breaks off, it goes on the next time.
 */
export class ManagersOfCalls1795328929354 implements MigrationInterface {
  readonly transaction = false

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MAKE_MANAGERS)
    let last: string | null = '00000000-0000-0000-0000-000000000000'
    while (last !== null) {
      const rows: { last: string | null }[] = await runner.query(FILL_PAGE, [last])
      last = rows[0]!.last
    }
    await runner.startTransaction()
    try {
      await runner.query(INDEXES)
      await runner.commitTransaction()
    } catch (error) {
      await runner.rollbackTransaction()
      throw error
    }
    // What was written anew is read from the indexes alone only after this. Where a time limit of the database forbids it,
    // Postgres does it by itself later.
    await runner.query('VACUUM recordings').catch(() => undefined)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}

const MAKE_MANAGERS = `
  INSERT INTO managers (name)
  SELECT DISTINCT ON (lower(btrim(manager_name))) btrim(manager_name) FROM recordings
   WHERE manager_id IS NULL AND btrim(manager_name) <> '' ORDER BY lower(btrim(manager_name)), call_at, id
  ON CONFLICT (name_key) DO NOTHING
`

/** The triggers of changes look at other columns: nothing is counted anew. */
const FILL_PAGE = `
  WITH page AS (
    SELECT id, manager_id, manager_name FROM recordings WHERE id > $1::uuid ORDER BY id LIMIT ${PAGE} FOR NO KEY UPDATE
  ), filled AS (
    UPDATE recordings r SET manager_id = m.id FROM page, managers m
     WHERE r.id = page.id AND page.manager_id IS NULL AND m.name_key = lower(btrim(page.manager_name))
  )
  SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last
`

const INDEXES = `
  SET LOCAL statement_timeout = 0;
  ALTER TABLE recordings DROP CONSTRAINT IF EXISTS recordings_manager_id_fkey;
  ALTER TABLE recordings ADD CONSTRAINT recordings_manager_id_fkey FOREIGN KEY (manager_id) REFERENCES managers;
  CREATE INDEX IF NOT EXISTS recordings_of_manager ON recordings (manager_id, call_at, id);

  -- As it was, and with the manager beside; the old one serves until this one is there.
  CREATE INDEX recordings_listing_new ON recordings (call_at, id)
    INCLUDE (created_at, duration_seconds, score, status, source, direction, manager_name, manager_id);
  DROP INDEX recordings_listing;
  ALTER INDEX recordings_listing_new RENAME TO recordings_listing;
  ANALYZE recordings;
`
