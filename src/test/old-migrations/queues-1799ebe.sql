      CREATE TABLE paused_queues (
        name text PRIMARY KEY,
        paused_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX deliveries_failed ON deliveries (id) WHERE status = 'FAILED';
      CREATE INDEX recordings_created ON recordings (created_at);
      CREATE INDEX recordings_finished ON recordings (finished_at) WHERE finished_at IS NOT NULL;
