import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What the CRM tells late: deals and phones that calls wait for, and checks that change after their comment. */
export class CrmLateDeals1795376528630 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET LOCAL statement_timeout = 0')
    await runner.query(ASK_AGAIN)
    await runner.query(MATCHES)
    await runner.query(AUTOMATION)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

/** Before anything is changed: readers go on until then. */
const ASK_AGAIN = `
  CREATE INDEX crm_matches_matched ON crm_matches (matched_at) WHERE state IN ('linked', 'manual');
  -- Until now calls were linked to deals that nobody has read.
  UPDATE crm_matches m SET due_at = now() FROM crm_call_deals l
   WHERE l.recording_id = m.recording_id AND l.linked_by = 'activity' AND m.state <> 'manual'
     AND NOT EXISTS (SELECT FROM crm_deals d WHERE d.id = l.deal_id);
`

/** No row has the new columns yet: their indexes are empty. */
const MATCHES = `
  -- Deals that the portal has bound the call to and that were not read: once one of them is, the call is looked at again.
  ALTER TABLE crm_matches ADD COLUMN awaited_deals bigint[];
  CREATE INDEX crm_matches_awaited ON crm_matches USING gin (awaited_deals) WHERE awaited_deals IS NOT NULL;
  -- E.164, of calls that the portal does not know: by it they are found where a client's phone is news.
  ALTER TABLE crm_matches ADD COLUMN phone text;
  CREATE INDEX crm_matches_phone ON crm_matches (phone) WHERE phone IS NOT NULL;
`

const AUTOMATION = `
  -- When comments were planned last: only what changed since then is looked for, however old its call is.
  ALTER TABLE crm_automation ADD COLUMN comments_planned_at timestamptz;
  -- The number of the release that has the read positions forgotten, as it was when they were forgotten last.
  ALTER TABLE crm_automation ADD COLUMN positions_release integer NOT NULL DEFAULT 1;
`
