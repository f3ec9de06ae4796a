import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What became of each attempt at a transcription, and how a call sounds at a glance. */
export class Evidence1763860000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- One row when an attempt ends, and one when somebody cancels or retries; started_at where an attempt ran.
      CREATE TABLE transcription_history (
        recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
        id bigint GENERATED ALWAYS AS IDENTITY,
        at timestamptz NOT NULL,
        kind text NOT NULL CHECK (kind IN ('failed_attempt', 'done', 'failed', 'cancelled', 'retried')),
        attempt integer,
        started_at timestamptz,
        message text,
        PRIMARY KEY (recording_id, id)
      );

      -- A byte for each peak, 0 to 100; one bytea for each channel.
      CREATE TABLE waveforms (
        recording_id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
        duration_seconds double precision NOT NULL,
        peaks bytea[] NOT NULL
      );
    `)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}
