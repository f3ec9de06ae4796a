import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The order in which texts became ready, for readers who go from page to page while new ones arrive. The numbers are
 * given one transaction after another, so that none is committed after a larger one was seen: a time could be.
 * Texts from before have no number and come first, by their time.
 *
 * A trigger gives them, because the previous release writes texts on this schema too. The lock is held from the insert
 * to the commit, which are the last steps of storing a text.
 */
export class ReadyOrder1795305883257 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE transcripts ADD COLUMN ready_number bigint;
      CREATE SEQUENCE transcripts_ready_number OWNED BY transcripts.ready_number;
      CREATE INDEX transcripts_ready ON transcripts (ready_number NULLS FIRST, created_at, recording_id);

      CREATE FUNCTION transcripts_ready() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(7361002);
        NEW.ready_number := nextval('transcripts_ready_number');
        RETURN NEW;
      END $$;
      CREATE TRIGGER transcripts_ready BEFORE INSERT ON transcripts
        FOR EACH ROW EXECUTE FUNCTION transcripts_ready();
    `)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}
