import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Numbering texts, adding up findings and changing people took one and the same advisory lock: while findings of a large
 * recalculation were added up, or a roster was changed, no text could be committed, and whoever changed people might wait for
 * a call while that call waited for them. Now each of the two functions has a lock of its own (see src/advisory-locks.ts).
 */
export class OneLockEach1795404006908 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Whoever has stored a text commits first: numbers given under different locks would not be in the order of commits.
      LOCK TABLE transcripts IN SHARE ROW EXCLUSIVE MODE;
      CREATE OR REPLACE FUNCTION transcripts_ready() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(7361005);
        UPDATE transcripts SET ready_number = nextval('transcripts_ready_number') WHERE recording_id = NEW.recording_id;
        RETURN NULL;
      END $$;

      CREATE OR REPLACE FUNCTION add_up_rule_counts() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        IF NOT pg_try_advisory_xact_lock(7361006) THEN RETURN; END IF;
        WITH changes AS (DELETE FROM rule_count_changes RETURNING *)
        INSERT INTO rule_counts AS c
        SELECT day, manager_id, version_id, rule_key, is_label, sum(met), sum(missed), sum(not_applicable), sum(unknown)
          FROM changes GROUP BY 1, 2, 3, 4, 5
        ON CONFLICT (day, manager_id, version_id, rule_key)
        DO UPDATE SET met = c.met + excluded.met, missed = c.missed + excluded.missed,
                      not_applicable = c.not_applicable + excluded.not_applicable, unknown = c.unknown + excluded.unknown;
      END $$;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
