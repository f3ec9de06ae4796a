      CREATE TABLE audit (
        id uuid PRIMARY KEY,
        at timestamptz NOT NULL DEFAULT now(),
        action text NOT NULL,
        -- Who, as they were called then: no reference, because the log outlives what it tells of.
        person_id uuid,
        person_name text,
        person_email text,
        key_id uuid,
        key_name text,
        object_type text,
        object_id text,
        object_name text,
        details jsonb,
        address text,
        request_id text
      );
      -- One for each filter, in the order of the list; the included columns are those of the others, so that filters
      -- together are answered by one index too.
      CREATE INDEX audit_listing ON audit (at, id) INCLUDE (person_id, action, object_id);
      CREATE INDEX audit_person ON audit (person_id, at, id) INCLUDE (action, object_id) WHERE person_id IS NOT NULL;
      CREATE INDEX audit_action ON audit (action, at, id) INCLUDE (person_id, object_id);
      CREATE INDEX audit_object ON audit (object_id, at, id) INCLUDE (person_id, action) WHERE object_id IS NOT NULL;

      CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the audit log is only added to' USING ERRCODE = 'insufficient_privilege';
      END $$;
      CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
        FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();

      ALTER TABLE sessions
        ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
        ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN address text,
        ADD COLUMN user_agent text;
      CREATE UNIQUE INDEX sessions_id ON sessions (id);
