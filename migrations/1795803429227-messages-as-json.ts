import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Beside each English text of a message: its id and values, so that it can be shown in another language. */
export class MessagesAsJson1795803429227 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE recordings ADD COLUMN message_json jsonb;
      ALTER TABLE transcription_history ADD COLUMN message_json jsonb;
      ALTER TABLE deliveries ADD COLUMN message_json jsonb;
      ALTER TABLE delivery_attempts ADD COLUMN message_json jsonb;
      ALTER TABLE analyses ADD COLUMN message_json jsonb;
      ALTER TABLE backtests ADD COLUMN message_json jsonb;
      ALTER TABLE ingestion_runs ADD COLUMN message_json jsonb;
      ALTER TABLE ingestion_files ADD COLUMN message_json jsonb;
      ALTER TABLE paused_queues ADD COLUMN message_json jsonb;
      ALTER TABLE crm_automation ADD COLUMN message_json jsonb, ADD COLUMN check_message_json jsonb;
      ALTER TABLE crm_steps ADD COLUMN message_json jsonb;
      ALTER TABLE crm_quarantine ADD COLUMN message_json jsonb;
      ALTER TABLE crm_history_loads ADD COLUMN message_json jsonb;
      ALTER TABLE crm_load_jobs ADD COLUMN message_json jsonb;
      ALTER TABLE crm_calls ADD COLUMN message_json jsonb;
      ALTER TABLE crm_sync_jobs ADD COLUMN message_json jsonb;
      ALTER TABLE crm_comments ADD COLUMN message_json jsonb;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
