import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Calls that one transaction writes: a worker that wants one of them waits for some hundred milliseconds at most. */
const PAGE = 2000

/**
 * Gives the calls from before to their managers, and looks for their deals where other rules hold now. It commits page by
 * page, so that calls are read, received and transcribed meanwhile; if it is interrupted, it continues the next time.
 */
export class CallsOfOneManager1795792199564 implements MigrationInterface {
  readonly transaction = false

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MATCH_AGAIN)
    await runner.query(CORRECTED)
    for (const page of [OF_DUPLICATES, OF_CRM_USERS]) {
      for (let moved = PAGE; moved === PAGE;) {
        const rows: { moved: number }[] = await runner.query(page)
        moved = rows[0]!.moved
      }
    }
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}

/** Managers whom a person chose stay, unless the name was cleared. */
const CORRECTED = `
  UPDATE recordings r SET manager_by = 'person'
    FROM (SELECT DISTINCT ON (object_id) object_id, details -> 'after' ->> 'managerName' AS name FROM audit
           WHERE action = 'recording.correct' AND details -> 'after' ? 'managerName' ORDER BY object_id, at DESC, id DESC) c
   WHERE r.id::text = c.object_id AND c.name IS NOT NULL AND r.manager_by IS NULL
`

const OF_DUPLICATES = `
  WITH page AS (
    SELECT r.id, m.same_as FROM recordings r JOIN managers m ON m.id = r.manager_id
     WHERE m.same_as IS NOT NULL LIMIT ${PAGE} FOR NO KEY UPDATE OF r),
  moved AS (UPDATE recordings r SET manager_id = page.same_as FROM page WHERE r.id = page.id RETURNING r.id)
  SELECT count(*)::integer AS moved FROM moved
`

/** Calls that an integration has submitted under the id of a call that a manager of ours made. */
const OF_CRM_USERS = `
  WITH page AS (
    SELECT r.id, m.name FROM crm_calls c JOIN managers m ON m.crm_user_id = c.user_id JOIN recordings r ON r.id = c.recording_id
     WHERE c.load_state = 'received' AND r.source <> 'crm' AND r.manager_by IS NULL AND r.manager_id IS DISTINCT FROM m.id
     LIMIT ${PAGE} FOR NO KEY UPDATE OF r),
  moved AS (
    UPDATE recordings r SET manager_name = page.name, submitted_manager_name = r.manager_name, manager_by = 'portal'
      FROM page WHERE r.id = page.id RETURNING r.id)
  SELECT count(*)::integer AS moved FROM moved
`

/**
 * Calls whose deals the rules of today would choose otherwise: those that were corrected, those that may belong to several
 * deals, and those that were linked by phone although the CRM binds them to a deal that was not read.
 */
const MATCH_AGAIN = `
  UPDATE crm_matches m SET due_at = now()
   WHERE m.state = 'ambiguous'
      OR m.state = 'linked' AND (
           m.awaited_deals IS NOT NULL
           AND EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = m.recording_id AND l.linked_by = 'phone')
        OR m.recording_id::text IN (SELECT object_id FROM audit WHERE action = 'recording.correct'));
`
