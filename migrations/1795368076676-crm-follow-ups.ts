import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What follows in the CRM when a call moves to another deal, when writing is refused, and when a load of the past fails again. */
export class CrmFollowUps1795368076676 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Since when the comment says that its call belongs to another deal.
      ALTER TABLE crm_comments ADD COLUMN left_at timestamptz;
      CREATE INDEX crm_comments_recording ON crm_comments (recording_id);
      -- Why the portal takes no comments, and when it is asked again.
      ALTER TABLE crm_automation ADD COLUMN writing_reason_code text, ADD COLUMN writing_reason text,
        ADD COLUMN writing_retry_at timestamptz;
      -- In a row: the pause before the next page doubles with each.
      ALTER TABLE crm_history_loads ADD COLUMN failures integer NOT NULL DEFAULT 0;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
