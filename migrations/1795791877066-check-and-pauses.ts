import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Automatic pauses that remember their cause, automatic checking as a switch, checks that belong to several recalculations,
 * and invented scores beside real ones.
 */
export class CheckAndPauses1795791877066 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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

      ALTER TABLE recordings ADD COLUMN mock_score real;
      UPDATE recordings r SET mock_score = a.score
        FROM analyses a
       WHERE a.recording_id = r.id AND a.is_current AND a.provider = 'mock' AND a.score IS NOT NULL;

      -- The recalculations that asked for a check. analyses.run_id is null where anybody else asked for it, too.
      CREATE TABLE analysis_run_checks (
        run_id uuid NOT NULL REFERENCES analysis_runs ON DELETE CASCADE,
        analysis_id uuid NOT NULL REFERENCES analyses ON DELETE CASCADE,
        PRIMARY KEY (run_id, analysis_id)
      );
      CREATE INDEX analysis_run_checks_analysis ON analysis_run_checks (analysis_id);
      INSERT INTO analysis_run_checks (run_id, analysis_id)
      SELECT a.run_id, a.id FROM analyses a JOIN analysis_runs n ON n.id = a.run_id;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
