import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Tables of comments, notifications, assignments, saved views and playlists. Deleting a call deletes its rows.
 */
export class WorkingTogether1795849829343 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE call_comments (
        id uuid PRIMARY KEY,
        recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
        -- The first comment of the thread.
        reply_to uuid REFERENCES call_comments ON DELETE CASCADE,
        at_seconds double precision NOT NULL,
        -- Empty after the deletion of a comment that has replies.
        text text NOT NULL,
        mentions uuid[] NOT NULL DEFAULT '{}',
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        edited_at timestamptz,
        deleted_at timestamptz
      );
      CREATE INDEX call_comments_recording ON call_comments (recording_id);
      CREATE INDEX call_comments_reply ON call_comments (reply_to) WHERE reply_to IS NOT NULL;

      CREATE TABLE assignments (
        id uuid PRIMARY KEY,
        recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
        -- The person who hears the call.
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        creator_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        reason text NOT NULL,
        at_seconds double precision,
        created_at timestamptz NOT NULL DEFAULT now(),
        acknowledged_at timestamptz
      );
      CREATE INDEX assignments_recording ON assignments (recording_id);
      CREATE INDEX assignments_person ON assignments (person_id, id);
      CREATE INDEX assignments_creator ON assignments (creator_id, id);
      CREATE UNIQUE INDEX assignments_open ON assignments (recording_id, person_id, creator_id)
        WHERE acknowledged_at IS NULL;

      CREATE TABLE saved_views (
        id uuid PRIMARY KEY,
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        -- Null: private.
        department_id uuid REFERENCES departments ON DELETE SET NULL,
        name text NOT NULL,
        -- Query parameters of the list of calls, as texts.
        filters jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX saved_views_person ON saved_views (person_id);
      CREATE INDEX saved_views_department ON saved_views (department_id) WHERE department_id IS NOT NULL;

      CREATE TABLE playlists (
        id uuid PRIMARY KEY,
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        department_id uuid REFERENCES departments ON DELETE SET NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX playlists_person ON playlists (person_id);
      CREATE INDEX playlists_department ON playlists (department_id) WHERE department_id IS NOT NULL;

      CREATE TABLE playlist_items (
        -- Ids contain their time, so they are in the order of the playlist.
        id uuid PRIMARY KEY,
        playlist_id uuid NOT NULL REFERENCES playlists ON DELETE CASCADE,
        recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
        at_seconds double precision,
        note text,
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (playlist_id, recording_id)
      );
      CREATE INDEX playlist_items_recording ON playlist_items (recording_id);

      CREATE TABLE notifications (
        id uuid PRIMARY KEY,
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        kind text NOT NULL CHECK (kind IN ('dispute', 'decision', 'comment', 'mention', 'assignment', 'criticalMiss',
                                           'weeklyReport')),
        -- The event: a person gets one notification of each kind.
        cause text NOT NULL,
        recording_id uuid REFERENCES recordings ON DELETE CASCADE,
        comment_id uuid REFERENCES call_comments ON DELETE CASCADE,
        assignment_id uuid REFERENCES assignments ON DELETE CASCADE,
        -- The person who caused it.
        actor_id uuid REFERENCES people ON DELETE CASCADE,
        details jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        read_at timestamptz,
        UNIQUE (person_id, kind, cause)
      );
      CREATE INDEX notifications_person ON notifications (person_id, created_at DESC);
      CREATE INDEX notifications_unread ON notifications (person_id) WHERE read_at IS NULL;
      CREATE INDEX notifications_cause ON notifications (kind, cause);
      CREATE INDEX notifications_created ON notifications (created_at);
      CREATE INDEX notifications_recording ON notifications (recording_id);
      CREATE INDEX notifications_comment ON notifications (comment_id) WHERE comment_id IS NOT NULL;
      CREATE INDEX notifications_assignment ON notifications (assignment_id) WHERE assignment_id IS NOT NULL;

      -- Without a row: every kind.
      CREATE TABLE notification_settings (
        person_id uuid PRIMARY KEY REFERENCES people ON DELETE CASCADE,
        muted text[] NOT NULL DEFAULT '{}'
      );
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
