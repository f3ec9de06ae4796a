import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * How often a recognizer died while it worked on a call that another one then took over. Without a default: Postgres before 18
 * refuses one, because a function takes the table's rows.
 */
export class RecognizerDeaths1795329446255 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE recordings ADD COLUMN recognizer_deaths smallint')
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
