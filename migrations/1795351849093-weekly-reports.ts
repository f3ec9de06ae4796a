import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The reports of weeks as they were made: what is changed later does not rewrite them. */
export class WeeklyReports1795351849093 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE weekly_reports (
        -- As 2026-W12, of ISO 8601.
        week text PRIMARY KEY,
        state text NOT NULL CHECK (state IN ('provisional', 'final')),
        made_at timestamptz NOT NULL,
        -- Whose days these were when it was made.
        timezone text NOT NULL,
        -- Manager by manager, so that the report of any of them together is a sum.
        managers jsonb NOT NULL
      );
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
