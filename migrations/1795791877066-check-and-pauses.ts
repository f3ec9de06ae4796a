import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Automatic pauses that remember their cause, and automatic checking as a switch. The columns of recordings that this and the
 * following migrations fill are added here alone: nobody reads the table meanwhile, so nothing slow shares the transaction.
 */
export class CheckAndPauses1795791877066 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE recordings
        -- The score that a check with the provider mock has invented.
        ADD COLUMN mock_score real,
        -- Who decided on the manager: 'portal' for the CRM user of the call, 'person' for a correction, null for the submitted name.
        ADD COLUMN manager_by text,
        -- The name that a call was submitted with, while manager_name is that of its CRM user.
        ADD COLUMN submitted_manager_name text;

      -- Without a cause a person paused the queue. One that no configuration has is lifted at the first start.
      ALTER TABLE paused_queues ADD COLUMN cause text, ADD COLUMN reason text, ADD COLUMN reason_code text,
        ADD COLUMN probe_at timestamptz;
      UPDATE paused_queues p SET cause = '', reason = s.value ->> 'reason', probe_at = now()
        FROM settings s
       WHERE p.name = 'analysis' AND s.name = 'model-state' AND s.value ->> 'reason' IS NOT NULL
         AND s.changed_at >= p.paused_at - interval '1 minute';
      INSERT INTO paused_queues (name, cause, reason, reason_code, probe_at)
      SELECT 'crm-write', '', writing_reason, writing_reason_code, now() FROM crm_automation WHERE writing_reason IS NOT NULL
      ON CONFLICT DO NOTHING;

      -- Under which configuration the last check of the portal, and what blocks, were found.
      ALTER TABLE crm_automation ADD COLUMN check_cause text, ADD COLUMN reason_cause text;

      INSERT INTO settings AS s (name, value)
      SELECT 'analysis', '{"agentChannel": {"default": 0}, "automatic": true}'
       WHERE EXISTS (SELECT FROM analyses) OR EXISTS (SELECT FROM crm_automation WHERE state <> 'off')
      ON CONFLICT (name) DO UPDATE SET value = s.value || '{"automatic": true}';
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
