import type { MigrationInterface, QueryRunner } from 'typeorm'

/** E-mails about notifications, and how often each person wants them. */
export class EmailNotifications1795860859542 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE notification_settings
        ADD COLUMN email text NOT NULL DEFAULT 'none' CHECK (email IN ('none', 'immediate', 'daily'));

      -- E-mails and the jobs that send them. The id is that of the first notification.
      CREATE TABLE notification_emails (
        id uuid PRIMARY KEY,
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        -- The local day of a daily e-mail.
        day date,
        -- MERGED: another e-mail, merged_into, contains the notifications. CANCELLED: there was nothing to send.
        status text NOT NULL DEFAULT 'QUEUED'
          CHECK (status IN ('QUEUED', 'PROCESSING', 'SENT', 'MERGED', 'CANCELLED', 'FAILED')),
        merged_into uuid,
        -- Set before the text is sent, cleared when the mail server responds.
        possibly_sent boolean NOT NULL DEFAULT false,
        priority smallint NOT NULL DEFAULT 0,
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
      CREATE UNIQUE INDEX notification_emails_day ON notification_emails (person_id, day) WHERE day IS NOT NULL;
      CREATE INDEX notification_emails_person ON notification_emails (person_id);
      CREATE INDEX notification_emails_merged ON notification_emails (merged_into) WHERE merged_into IS NOT NULL;
      CREATE INDEX notification_emails_created ON notification_emails (created_at);
      CREATE INDEX notification_emails_waiting ON notification_emails (next_attempt_at, id) WHERE status = 'QUEUED';
      CREATE INDEX notification_emails_running ON notification_emails (lease_until) WHERE status = 'PROCESSING';
      CREATE INDEX notification_emails_failed ON notification_emails (id) WHERE status = 'FAILED';

      -- The e-mail about a notification. Each notification is in at most one.
      ALTER TABLE notifications ADD COLUMN email_id uuid REFERENCES notification_emails ON DELETE SET NULL;
      CREATE INDEX notifications_email ON notifications (email_id) WHERE email_id IS NOT NULL;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
