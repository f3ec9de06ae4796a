import type { MigrationInterface, QueryRunner } from 'typeorm'

/** How recordings ended, by when: the statistics of a year read these indexes alone, and no row. */
export class RecordingsEnded1795389534949 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL statement_timeout = 0;
      CREATE INDEX recordings_ended ON recordings (finished_at)
        INCLUDE (status, manager_id, duration_seconds, created_at, started_at) WHERE finished_at IS NOT NULL;
      CREATE INDEX recordings_received ON recordings (created_at) INCLUDE (manager_id);
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
