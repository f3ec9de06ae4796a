import type { MigrationInterface, QueryRunner } from 'typeorm'

/** In which session somebody did what the audit log tells of: the same read in another one is another entry. */
export class AuditSessions1763975000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No reference: the log outlives the session.
    await runner.query('ALTER TABLE audit ADD COLUMN session_id uuid')
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}
