      CREATE TABLE people (
        id uuid PRIMARY KEY,
        email text NOT NULL,
        name text NOT NULL,
        role text NOT NULL CHECK (role IN ('owner', 'head', 'manager')),
        rights jsonb NOT NULL DEFAULT '{}',
        password_hash text NOT NULL,
        active boolean NOT NULL DEFAULT true,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX people_email ON people (lower(email));

      CREATE TABLE sessions (
        token_hash bytea PRIMARY KEY,
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX sessions_person ON sessions (person_id);

      CREATE TABLE api_keys (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        prefix text NOT NULL,
        key_hash bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        revoked_at timestamptz
      );
      CREATE UNIQUE INDEX api_keys_key_hash ON api_keys (key_hash);

      CREATE TABLE recordings (
        id uuid PRIMARY KEY,
        status text NOT NULL DEFAULT 'QUEUED'
          CHECK (status IN ('QUEUED', 'PROCESSING', 'DONE', 'FAILED', 'CANCELLED')),
        source text NOT NULL,
        external_call_id text,
        phone_number text,
        manager_name text,
        direction text CHECK (direction IN ('INBOUND', 'OUTBOUND')),
        call_started_at timestamptz,
        priority smallint NOT NULL DEFAULT 0,
        decoder text,
        callback_url text,
        file_name text,
        storage_key text NOT NULL,
        size_bytes bigint NOT NULL,
        duration_seconds double precision,
        error_code text,
        error_message text,
        progress_percent real NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        started_at timestamptz,
        finished_at timestamptz,
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        attempt_token uuid,
        lease_until timestamptz,
        last_error text,
        call_at timestamptz NOT NULL GENERATED ALWAYS AS (coalesce(call_started_at, created_at)) STORED
      );
      CREATE UNIQUE INDEX recordings_external_call_id ON recordings (external_call_id);
      CREATE UNIQUE INDEX recordings_storage_key ON recordings (storage_key);
      CREATE INDEX recordings_by_call_time ON recordings (call_at, id);
      CREATE INDEX recordings_waiting ON recordings (priority DESC, created_at, id) WHERE status = 'QUEUED';
      CREATE INDEX recordings_running ON recordings (lease_until) WHERE status = 'PROCESSING';
      CREATE INDEX recordings_failed ON recordings (id) WHERE status = 'FAILED';

      CREATE TABLE file_removals (
        storage_key text PRIMARY KEY,
        due_at timestamptz NOT NULL
      );
      CREATE INDEX file_removals_due ON file_removals (due_at);

      CREATE TABLE transcripts (
        recording_id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
        text text NOT NULL,
        model text NOT NULL,
        decoder text NOT NULL,
        language text NOT NULL,
        segments jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE deliveries (
        id uuid PRIMARY KEY,
        recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
        event text NOT NULL,
        url text NOT NULL,
        body text,
        status text NOT NULL DEFAULT 'QUEUED' CHECK (status IN ('QUEUED', 'PROCESSING', 'DELIVERED', 'FAILED')),
        priority smallint NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        attempt_token uuid,
        lease_until timestamptz,
        last_error text,
        created_at timestamptz NOT NULL DEFAULT now(),
        started_at timestamptz,
        finished_at timestamptz
      );
      CREATE INDEX deliveries_recording ON deliveries (recording_id);
      CREATE INDEX deliveries_waiting ON deliveries (priority DESC, created_at, id) WHERE status = 'QUEUED';
      CREATE INDEX deliveries_running ON deliveries (lease_until) WHERE status = 'PROCESSING';

      CREATE TABLE delivery_attempts (
        delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
        number integer NOT NULL,
        started_at timestamptz NOT NULL,
        duration_ms integer NOT NULL,
        status_code integer,
        error text,
        PRIMARY KEY (delivery_id, number)
      );
