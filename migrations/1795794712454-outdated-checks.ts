import type { MigrationInterface, QueryRunner } from 'typeorm'

/** When a correction of the call made a check outdated, while automatic checking is off. */
export class OutdatedChecks1795794712454 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE analyses ADD COLUMN outdated_at timestamptz;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
