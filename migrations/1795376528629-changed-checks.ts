import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Checks by when they changed. By itself, before the migration that changes tables: while this index is built everybody reads,
 * and nobody waits behind it for the CRM.
 */
export class ChangedChecks1795376528629 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL statement_timeout = 0;
      CREATE INDEX analyses_changed ON analyses (changed_at) INCLUDE (recording_id) WHERE is_current;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
