import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Lists by score: many calls have the same score, so the index also has the order among these. */
export class RecordingsByScore1795829244124 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX recordings_scored ON recordings (score, call_at DESC, id DESC) INCLUDE (manager_id)
        WHERE score IS NOT NULL;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
