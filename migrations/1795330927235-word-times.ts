import type { MigrationInterface, QueryRunner } from 'typeorm'

/** When each word of a transcript was said and how sure of it the model is; what the channels of a recording hold. */
export class WordTimes1795330927235 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE transcripts ADD COLUMN timing text, ADD COLUMN words json;
      ALTER TABLE recordings ADD COLUMN audio jsonb;
      -- Recordings in which nobody speaks are few, and asked for by themselves.
      CREATE INDEX transcripts_no_speech ON transcripts (recording_id) WHERE text = '';
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
