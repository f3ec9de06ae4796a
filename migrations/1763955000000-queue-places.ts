import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What waits, in the order in which it will be taken, with what its length is told by: a place is counted from it alone. */
export class QueuePlaces1763955000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX recordings_places ON recordings ((-priority), created_at, id)
        INCLUDE (priority, duration_seconds, size_bytes) WHERE status = 'QUEUED'
    `)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}
