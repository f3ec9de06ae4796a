import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Makes one schema of all that earlier releases made: some of their migrations were changed after databases had
 * applied them. Each step looks first whether there is anything to repair, so a database of any release may come.
 */
export class RepairDrift1795304658832 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DELIVERIES)
    await runner.query(TRANSCRIPTS)
    await runner.query(INDEXES)
    await runner.query(COUNTS)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}

/**
 * The host of a delivery. Releases before it insert deliveries without one, so a trigger fills it in from the address:
 * as new URL(url).host would, for addresses that new URL has accepted.
 */
const DELIVERIES = `
  ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS host text;

  CREATE FUNCTION host_of_url(url text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(
      regexp_replace(
        substring(lower(url) from '^https?://(?:[^/?#]*@)?([^/?#]+)'),
        CASE WHEN lower(url) LIKE 'https:%' THEN ':443$' ELSE ':80$' END, ''),
      url)
  $$;
  CREATE FUNCTION deliveries_host() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.host := host_of_url(NEW.url);
    RETURN NEW;
  END $$;
  CREATE TRIGGER deliveries_host BEFORE INSERT ON deliveries
    FOR EACH ROW WHEN (NEW.host IS NULL) EXECUTE FUNCTION deliveries_host();

  UPDATE deliveries SET host = host_of_url(url) WHERE host IS NULL;
  ALTER TABLE deliveries ALTER COLUMN host SET NOT NULL;

  DO $$ BEGIN
    IF pg_get_indexdef('deliveries_waiting'::regclass) LIKE '%priority%' THEN
      DROP INDEX deliveries_waiting;
      CREATE INDEX deliveries_waiting ON deliveries (next_attempt_at, id) WHERE status = 'QUEUED';
    END IF;
  END $$;
`

/** Segments were jsonb once, which gives them back with their keys in another order. */
const TRANSCRIPTS = `
  DO $$ BEGIN
    IF (SELECT atttypid = 'jsonb'::regtype FROM pg_attribute
         WHERE attrelid = 'transcripts'::regclass AND attname = 'segments') THEN
      ALTER TABLE transcripts ALTER COLUMN segments TYPE json USING segments::json;
    END IF;
  END $$;
`

/** Indexes that later texts of the migrations no longer made, and those that they made instead. */
const INDEXES = `
  DROP INDEX IF EXISTS recordings_created, recordings_by_call_time,
    recordings_by_status, recordings_by_source, recordings_by_direction;
  CREATE INDEX IF NOT EXISTS recordings_listing ON recordings (call_at, id)
    INCLUDE (created_at, duration_seconds, score, status, source, direction, manager_name);

  DO $$ BEGIN
    IF pg_get_indexdef('audit_listing'::regclass) LIKE '%INCLUDE%' THEN
      DROP INDEX audit_listing, audit_person, audit_action, audit_object;
      CREATE INDEX audit_listing ON audit (at, id);
      CREATE INDEX audit_person ON audit (person_id, at, id) INCLUDE (action) WHERE person_id IS NOT NULL;
      CREATE INDEX audit_action ON audit (action, at, id) INCLUDE (person_id);
      CREATE INDEX audit_object ON audit (object_id, at, id) WHERE object_id IS NOT NULL;
    END IF;
  END $$;
`

/**
 * The kept counts. Where they lack the kinds 'all' and 'days', lists told a total of 0; so everything is counted anew,
 * while nobody writes recordings.
 */
const COUNTS = `
  DO $$ BEGIN
    IF pg_get_constraintdef((SELECT oid FROM pg_constraint
         WHERE conrelid = 'recording_counts'::regclass AND contype = 'p')) NOT LIKE '%INCLUDE%' THEN
      ALTER TABLE recording_counts DROP CONSTRAINT recording_counts_pkey,
        ADD PRIMARY KEY (kind, bucket, name, status, source, direction) INCLUDE (n, milliseconds);
    END IF;
  END $$;

  DO $repair$ BEGIN
    IF pg_get_constraintdef((SELECT oid FROM pg_constraint
         WHERE conrelid = 'recording_counts'::regclass AND conname = 'recording_counts_kind_check')) LIKE '%''days''%' THEN
      RETURN;
    END IF;
    ALTER TABLE recording_counts DROP CONSTRAINT recording_counts_kind_check,
      ADD CONSTRAINT recording_counts_kind_check
        CHECK (kind IN ('all', 'call', 'creation', 'duration', 'score', 'manager', 'days'));
    CREATE OR REPLACE FUNCTION add_up_recording_counts() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT pg_try_advisory_xact_lock(7361001) THEN RETURN; END IF;
      WITH changes AS (DELETE FROM recording_count_changes RETURNING *)
      INSERT INTO recording_counts AS c
      SELECT k.*, sum(n), sum(milliseconds)
        FROM changes c,
             LATERAL (SELECT status, source, coalesce(direction, '')) f (status, source, direction),
             LATERAL (VALUES ('all', 0, '', f.status, f.source, f.direction),
                             ('call', call, '', f.status, f.source, f.direction),
                             ('creation', creation, '', f.status, f.source, f.direction),
                             ('duration', duration, '', f.status, f.source, f.direction),
                             ('score', score, '', f.status, f.source, f.direction),
                             ('manager', 0, coalesce(manager_name, ''), f.status, f.source, f.direction),
                             ('days', call, creation::text, '', '', '')
             ) k (kind, bucket, name, status, source, direction)
       WHERE k.bucket IS NOT NULL
       GROUP BY 1, 2, 3, 4, 5, 6
      HAVING sum(n) <> 0 OR sum(milliseconds) <> 0
      ON CONFLICT (kind, bucket, name, status, source, direction)
      DO UPDATE SET n = c.n + excluded.n, milliseconds = c.milliseconds + excluded.milliseconds;
      IF FOUND THEN DELETE FROM recording_counts WHERE n = 0; END IF;
    END $$;

    LOCK TABLE recordings IN SHARE MODE;
    DELETE FROM recording_count_changes;
    DELETE FROM recording_counts;
    PERFORM count_recording(r, 1) FROM recordings r;
    PERFORM add_up_recording_counts();
  END $repair$;
`
