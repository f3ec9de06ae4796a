      ALTER TABLE recordings ADD COLUMN score real;
      ALTER TABLE recordings
        ADD COLUMN phone_digits text GENERATED ALWAYS AS (regexp_replace(phone_number, '\D', '', 'g')) STORED;

      CREATE INDEX recordings_by_status ON recordings (status, call_at, id);
      CREATE INDEX recordings_by_source ON recordings (source, call_at, id);
      CREATE INDEX recordings_by_direction ON recordings (direction, call_at, id);
      CREATE INDEX recordings_by_creation ON recordings (created_at);
      CREATE INDEX recordings_by_duration ON recordings (duration_seconds);
      CREATE INDEX recordings_by_score ON recordings (score) WHERE score IS NOT NULL;
      CREATE INDEX recordings_by_manager ON recordings (lower(btrim(manager_name)), call_at, id);
      -- What q finds by prefix; LIKE needs this order of texts in databases of another locale.
      CREATE INDEX recordings_call_id_prefix ON recordings (lower(external_call_id) text_pattern_ops);
      CREATE INDEX recordings_phone_prefix ON recordings (phone_digits text_pattern_ops);
      CREATE INDEX recordings_manager_prefix ON recordings (lower(manager_name) text_pattern_ops);
  DO $$
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX recordings_manager_part ON recordings USING gin (lower(manager_name) gin_trgm_ops);
    CREATE INDEX recordings_phone_part ON recordings USING gin (phone_digits gin_trgm_ops);
  EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
      RAISE WARNING 'without pg_trgm: %', SQLERRM;
  END $$;
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
      || array_to_tsvector(ARRAY[E'\x01' || floor(extract(epoch FROM call_at) / 86400)::integer]);

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
  CREATE TABLE recording_counts (
    kind text NOT NULL CHECK (kind IN ('call', 'creation', 'duration', 'score', 'manager')),
    bucket integer NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    source text NOT NULL,
    direction text NOT NULL,
    n bigint NOT NULL,
    milliseconds bigint NOT NULL,
    PRIMARY KEY (kind, bucket, name, status, source, direction)
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
    SELECT kind, bucket, name, status, source, coalesce(direction, ''), sum(n), sum(milliseconds)
      FROM changes, LATERAL (VALUES ('call', call, ''), ('creation', creation, ''), ('duration', duration, ''),
                                    ('score', score, ''), ('manager', 0, coalesce(manager_name, ''))) k (kind, bucket, name)
     WHERE bucket IS NOT NULL
     GROUP BY kind, bucket, name, status, source, coalesce(direction, '')
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
