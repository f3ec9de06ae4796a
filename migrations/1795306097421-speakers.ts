import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Settings that an owner makes, and of each call on which channel the agent speaks, where somebody has said so. */
export class Speakers1795306097421 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE settings (
        name text PRIMARY KEY,
        value jsonb NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now()
      )
    `)
    await runner.query('ALTER TABLE recordings ADD COLUMN agent_channel smallint')
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
