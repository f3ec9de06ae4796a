import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What became of calls by their ids: the reconciliation of a month asks for those of many at once, and reads this index alone. */
export class RecordingsStates1795369976676 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL statement_timeout = 0;
      CREATE INDEX recordings_states ON recordings (id) INCLUDE (status);
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
