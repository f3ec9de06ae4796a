import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Filters, full-text search, and counts of recordings that are kept instead of counted. */
export class Search1763810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE recordings ADD COLUMN score real;
      ALTER TABLE recordings
        ADD COLUMN phone_digits text GENERATED ALWAYS AS (regexp_replace(phone_number, '\\D', '', 'g')) STORED;

      -- The order of lists, with what filters ask of it beside: a list is found without its rows.
      CREATE INDEX recordings_listing ON recordings (call_at, id)
        INCLUDE (created_at, duration_seconds, score, status, source, direction, manager_name);
      DROP INDEX recordings_by_call_time;
      CREATE INDEX recordings_by_creation ON recordings (created_at);
      CREATE INDEX recordings_by_duration ON recordings (duration_seconds);
      CREATE INDEX recordings_by_score ON recordings (score) WHERE score IS NOT NULL;
      CREATE INDEX recordings_by_manager ON recordings (lower(btrim(manager_name)), call_at, id);
      -- What q finds by prefix; LIKE needs this order of texts in databases of another locale.
      CREATE INDEX recordings_call_id_prefix ON recordings (lower(external_call_id) text_pattern_ops);
      CREATE INDEX recordings_phone_prefix ON recordings (phone_digits text_pattern_ops);
      CREATE INDEX recordings_manager_prefix ON recordings (lower(manager_name) text_pattern_ops);
    `)
    await runner.query(SUBSTRINGS)
    await runner.query(SEARCH)
    await runner.query(COUNTS)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}

/**
 * Indexes for parts of names and numbers. A database whose owner may not create pg_trgm goes without: the same answers,
 * slower (the migrate command says so).
 */
const SUBSTRINGS = `
  DO $$
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX recordings_manager_part ON recordings USING gin (lower(manager_name) gin_trgm_ops);
    CREATE INDEX recordings_phone_part ON recordings USING gin (phone_digits gin_trgm_ops);
  EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
      RAISE WARNING 'without pg_trgm: %', SQLERRM;
  END $$;
`

/**
 * One configuration for both languages: words in Latin letters by English rules, others by Russian ones. It has no stop
 * words, because a phrase may hold them. Every document also holds the day of its call (UTC, days since 1970) as a
 * word that no text can hold, so that the index can be asked for the matches of some days only.
 *
 * Triggers keep it, not our statements: the previous release runs on this schema too.
 */
const SEARCH = `
  CREATE TEXT SEARCH DICTIONARY svc_russian (TEMPLATE = pg_catalog.snowball, LANGUAGE = russian);
  CREATE TEXT SEARCH DICTIONARY svc_english (TEMPLATE = pg_catalog.snowball, LANGUAGE = english);
  CREATE TEXT SEARCH CONFIGURATION svc_search (COPY = pg_catalog.russian);
  ALTER TEXT SEARCH CONFIGURATION svc_search
    ALTER MAPPING FOR asciiword, asciihword, hword_asciipart WITH svc_english;
  ALTER TEXT SEARCH CONFIGURATION svc_search ALTER MAPPING FOR word, hword, hword_part WITH svc_russian;

  -- A tsvector holds at most 1 MB: more than the longest call, but a text without end must not fail to be stored.
  CREATE FUNCTION search_document(text text, call_at timestamptz) RETURNS tsvector
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_tsvector('svc_search', translate(left(text, 250000), 'ёЁ', 'еЕ'))
      || array_to_tsvector(ARRAY[E'\\x01' || floor(extract(epoch FROM call_at) / 86400)::integer]);

  ALTER TABLE transcripts ADD COLUMN search tsvector;
  UPDATE transcripts t SET search = search_document(t.text, r.call_at) FROM recordings r WHERE r.id = t.recording_id;
  CREATE INDEX transcripts_search ON transcripts USING gin (search);

  CREATE FUNCTION transcripts_search() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.search := search_document(NEW.text, (SELECT r.call_at FROM recordings r WHERE r.id = NEW.recording_id));
    RETURN NEW;
  END $$;
  CREATE TRIGGER transcripts_search BEFORE INSERT OR UPDATE OF text ON transcripts
    FOR EACH ROW EXECUTE FUNCTION transcripts_search();

  CREATE FUNCTION recordings_search_day() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE transcripts SET search = search_document(text, NEW.call_at) WHERE recording_id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER recordings_search_day AFTER UPDATE ON recordings
    FOR EACH ROW WHEN (OLD.call_at IS DISTINCT FROM NEW.call_at) EXECUTE FUNCTION recordings_search_day();
`

/**
 * How many recordings there are, for each value of one dimension (kind) and each status, source and direction: in all,
 * a day of the call or of the creation (UTC), a second of length, a point of score (each its lower bound), a manager.
 * And, whatever they are, for each day of the call (bucket) and of the creation (name): the two are near each other.
 *
 * A change of a recording only adds a line to recording_count_changes, so that no two writers ever wait for each
 * other; the schedule adds the lines up. What counts is the sum of both tables, so it is exact at any moment.
 */
const COUNTS = `
  CREATE TABLE recording_counts (
    kind text NOT NULL CHECK (kind IN ('all', 'call', 'creation', 'duration', 'score', 'manager', 'days')),
    bucket integer NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    source text NOT NULL,
    direction text NOT NULL,
    n bigint NOT NULL,
    milliseconds bigint NOT NULL,
    PRIMARY KEY (kind, bucket, name, status, source, direction) INCLUDE (n, milliseconds)
  );
  CREATE TABLE recording_count_changes (
    call integer NOT NULL,
    creation integer NOT NULL,
    duration integer,
    score integer,
    manager_name text,
    status text NOT NULL,
    source text NOT NULL,
    direction text,
    n integer NOT NULL,
    milliseconds bigint NOT NULL
  );

  -- One at a time adds up; who comes meanwhile has nothing to do.
  CREATE FUNCTION add_up_recording_counts() RETURNS void LANGUAGE plpgsql AS $$
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

  CREATE FUNCTION count_recording(r recordings, n integer) RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO recording_count_changes
    VALUES (floor(extract(epoch FROM r.call_at) / 86400), floor(extract(epoch FROM r.created_at) / 86400),
            floor(r.duration_seconds), floor(r.score), r.manager_name, r.status, r.source, r.direction,
            n, n * coalesce(round(r.duration_seconds * 1000), 0));
  END;
  CREATE FUNCTION recordings_counts() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN PERFORM count_recording(OLD, -1); END IF;
    IF TG_OP <> 'DELETE' THEN PERFORM count_recording(NEW, 1); END IF;
    RETURN NULL;
  END $$;
  -- From here on nobody writes recordings until this is committed: what is there is counted once.
  CREATE TRIGGER recordings_counts AFTER INSERT OR DELETE ON recordings
    FOR EACH ROW EXECUTE FUNCTION recordings_counts();
  CREATE TRIGGER recordings_counts_change AFTER UPDATE ON recordings
    FOR EACH ROW WHEN (
      (OLD.status, OLD.source, OLD.direction, OLD.manager_name, OLD.call_at, OLD.created_at, OLD.duration_seconds, OLD.score)
      IS DISTINCT FROM
      (NEW.status, NEW.source, NEW.direction, NEW.manager_name, NEW.call_at, NEW.created_at, NEW.duration_seconds, NEW.score))
    EXECUTE FUNCTION recordings_counts();
  SELECT count(count_recording(r, 1)) FROM recordings r;
  SELECT add_up_recording_counts();
`
