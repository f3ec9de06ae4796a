import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The hash of a call's audio, to warn about a file that is uploaded twice. Calls of earlier releases have none: computing it
 * would read every file.
 */
export class AudioHash1795829110164 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE recordings ADD COLUMN audio_sha256 bytea;
      CREATE INDEX recordings_audio_sha256 ON recordings (audio_sha256, id) WHERE audio_sha256 IS NOT NULL;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
