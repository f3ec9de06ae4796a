import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Whether a person must give themselves a password of their own before they work: theirs was given to them. */
export class MustChangePassword1795310158077 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE people ADD COLUMN must_change_password boolean NOT NULL DEFAULT false')
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
