import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Notifications about calls that enter a view, and the order of playlists. */
export class ViewSubscriptions1795864026309 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE view_subscriptions (
        view_id uuid NOT NULL REFERENCES saved_views ON DELETE CASCADE,
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        -- Older calls do not notify.
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (person_id, view_id)
      );
      CREATE INDEX view_subscriptions_view ON view_subscriptions (view_id);

      -- Changed calls that the schedule compares with the views. Without a foreign key, so that it locks no call.
      CREATE TABLE view_candidates (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        recording_id uuid NOT NULL
      );

      ALTER TABLE notifications DROP CONSTRAINT notifications_kind_check;
      ALTER TABLE notifications ADD CONSTRAINT notifications_kind_check
        CHECK (kind IN ('dispute', 'decision', 'comment', 'mention', 'assignment', 'criticalMiss', 'weeklyReport', 'view'));
      ALTER TABLE notifications ADD COLUMN view_id uuid REFERENCES saved_views ON DELETE CASCADE;
      CREATE INDEX notifications_view ON notifications (view_id) WHERE view_id IS NOT NULL;

      -- Null: after the calls with a position, in the order of the ids.
      ALTER TABLE playlist_items ADD COLUMN position integer;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
