import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The speakers of calls on one channel. Segments store their speaker in the JSON of the transcript. Calls of earlier releases
 * have no value: two channels have two speakers, one channel has unknown ones.
 */
export class VoiceSpeakers1795838607413 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE recordings ADD COLUMN speakers jsonb;
      -- The hash of the segments before their speakers changed: reviews refer to it.
      ALTER TABLE transcripts ADD COLUMN first_hash text;

      CREATE TABLE separation_runs (
        id uuid PRIMARY KEY,
        state text NOT NULL CHECK (state IN ('estimated', 'running', 'done', 'cancelled')),
        from_at timestamptz NOT NULL,
        to_at timestamptz NOT NULL,
        estimate jsonb NOT NULL,
        -- Of a run that ended.
        progress jsonb,
        -- The last recording that was queued.
        cursor uuid,
        -- Whether all of them are.
        is_queued boolean NOT NULL DEFAULT false,
        person_id uuid NOT NULL,
        person_name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        confirmed_at timestamptz,
        finished_at timestamptz
      );
      CREATE INDEX separation_runs_running ON separation_runs (id) WHERE state = 'running';

      -- The last separation of a recording, whose id it has.
      CREATE TABLE separations (
        id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
        run_id uuid REFERENCES separation_runs,
        status text NOT NULL DEFAULT 'QUEUED'
          CHECK (status IN ('QUEUED', 'PROCESSING', 'DONE', 'FAILED', 'CANCELLED')),
        priority smallint NOT NULL DEFAULT 5,
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        attempt_token uuid,
        lease_until timestamptz,
        last_error text,
        message_json jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        started_at timestamptz,
        finished_at timestamptz
      );
      CREATE INDEX separations_waiting ON separations (priority DESC, created_at, id) WHERE status = 'QUEUED';
      CREATE INDEX separations_running ON separations (lease_until) WHERE status = 'PROCESSING';
      CREATE INDEX separations_failed ON separations (id) WHERE status = 'FAILED';
      CREATE INDEX separations_run ON separations (run_id, status) WHERE run_id IS NOT NULL;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
