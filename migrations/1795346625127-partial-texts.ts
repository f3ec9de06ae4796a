import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What is understood of a call while it is being transcribed: a row for each piece, removed when the attempt ends. */
export class PartialTexts1795346625127 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE partial_texts (
        recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
        attempt_token uuid NOT NULL,
        number integer NOT NULL,
        segments jsonb NOT NULL,
        PRIMARY KEY (recording_id, attempt_token, number)
      )
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
