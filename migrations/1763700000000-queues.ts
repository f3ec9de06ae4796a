import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Paused queues, and indexes for lists of jobs, measured speed and statistics by day. */
export class Queues1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE paused_queues (
        name text PRIMARY KEY,
        paused_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX deliveries_failed ON deliveries (id) WHERE status = 'FAILED';
      CREATE INDEX recordings_finished ON recordings (finished_at) WHERE finished_at IS NOT NULL;
    `)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}
