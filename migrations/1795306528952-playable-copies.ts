import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The copy of a call's sound that every browser plays, for those whose file none does. */
export class PlayableCopies1795306528952 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A row without a storage key is a copy that is being made, by whoever holds the token, until the lease ends.
      CREATE TABLE playable_copies (
        recording_id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
        storage_key text UNIQUE,
        size_bytes bigint,
        token uuid,
        lease_until timestamptz
      );

      -- The file goes with its recording, whatever release deletes that.
      CREATE FUNCTION plan_removal_of_playable_copy() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO file_removals (storage_key, due_at) VALUES (OLD.storage_key, '-infinity')
        ON CONFLICT (storage_key) DO UPDATE SET due_at = excluded.due_at;
        RETURN NULL;
      END
      $$;
      CREATE TRIGGER plan_removal AFTER DELETE ON playable_copies
        FOR EACH ROW WHEN (OLD.storage_key IS NOT NULL) EXECUTE FUNCTION plan_removal_of_playable_copy();
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
