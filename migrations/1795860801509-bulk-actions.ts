import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Table of the actions on many calls that the service runs in the background. */
export class BulkActions1795860801509 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE bulk_actions (
        id uuid PRIMARY KEY,
        -- Each call is changed with the permissions of this person at that moment.
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        action text NOT NULL CHECK (action IN ('retry', 'cancel', 'delete', 'manager', 'recheck')),
        -- The new manager of the action 'manager'; null removes the manager.
        manager_name text,
        state text NOT NULL CHECK (state IN ('running', 'done', 'cancelled')),
        -- In the order in which they are changed. Deleted calls keep their place.
        recording_ids uuid[] NOT NULL,
        -- So many of the first recording_ids are finished.
        processed integer NOT NULL DEFAULT 0,
        -- The number of finished calls by outcome.
        counts jsonb NOT NULL,
        unchanged_ids uuid[] NOT NULL DEFAULT '{}',
        -- Of the request that started the action, for the audit log.
        address text,
        request_id text,
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz
      );
      CREATE INDEX bulk_actions_person ON bulk_actions (person_id, id);
      CREATE INDEX bulk_actions_running ON bulk_actions (id) WHERE state = 'running';
      CREATE INDEX bulk_actions_finished ON bulk_actions (finished_at) WHERE finished_at IS NOT NULL;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
