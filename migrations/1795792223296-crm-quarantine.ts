import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Rows of the CRM that cannot be stored, values of it that are impossible, and which periods of calls were read whole. */
export class CrmQuarantine1795792223296 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Rows that cannot be stored, until a row with the same id can.
      CREATE TABLE crm_quarantine (
        step text NOT NULL,
        -- Its id in the portal; # and a hash where that is impossible too.
        row_id text NOT NULL,
        reason text NOT NULL,
        -- An excerpt of what is wrong.
        value text,
        -- The load of the history that asked for it.
        history_load_id uuid,
        -- Of the step when the row was seen: a pass after a reset deletes those of before.
        generation integer NOT NULL DEFAULT 1,
        first_seen_at timestamptz NOT NULL DEFAULT now(),
        seen_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (step, row_id)
      );
      -- Of the last pass, or of the one under way: values that became null.
      ALTER TABLE crm_steps ADD COLUMN invalid_values bigint NOT NULL DEFAULT 0;
      ALTER TABLE crm_history_loads ADD COLUMN invalid_values bigint NOT NULL DEFAULT 0;

      -- Every call of the portal that began in these periods is known here, whoever made it.
      CREATE TABLE crm_read_periods (
        id uuid PRIMARY KEY DEFAULT new_id(),
        -- The load of the history that read it; null for the step calls.
        history_load_id uuid UNIQUE,
        from_at timestamptz NOT NULL,
        to_at timestamptz NOT NULL
      );
      -- The step has read every call since 48 hours before the automation was enabled; loads until now left some out.
      INSERT INTO crm_read_periods (from_at, to_at)
      SELECT a.enabled_at - interval '48 hours', s.last_success_at FROM crm_automation a, crm_steps s
       WHERE s.name = 'calls' AND s.last_success_at > a.enabled_at - interval '48 hours';
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
