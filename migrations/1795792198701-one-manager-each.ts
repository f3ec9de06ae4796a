import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * One manager for all spellings of a name: ё and е are the same letter. Rows that exist already are linked, and none is
 * deleted or renamed. A call can also belong to the manager of its CRM user, whatever name it was submitted with.
 * The calls themselves follow in the next migration.
 */
export class OneManagerEach1795792198701 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET LOCAL statement_timeout = 0')
    await runner.query(COLUMNS)
    await runner.query(NAMED)
    await runner.query(LINK_DUPLICATES)
    await runner.query(ROSTERS)
    await runner.query(COUNTERS)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}

const COLUMNS = `
  -- Nobody writes recordings from here until this is committed. They come first: who writes one reads its manager after it.
  LOCK TABLE recordings IN SHARE ROW EXCLUSIVE MODE;
  -- The manager whose name this is another spelling of: calls and rosters name that one.
  ALTER TABLE managers ADD COLUMN same_as uuid REFERENCES managers ON DELETE SET NULL;
  CREATE INDEX managers_folded ON managers (folded_name(btrim(name)));
`

/**
 * An exact spelling wins, because two managers whose names differ in ё alone may be known to be two people. Whoever adds a
 * new name waits for others who add another spelling of it.
 */
const NAMED = `
  CREATE OR REPLACE FUNCTION manager_named(given text) RETURNS uuid LANGUAGE plpgsql AS $$
  DECLARE
    found uuid;
  BEGIN
    IF coalesce(btrim(given), '') = '' THEN RETURN NULL; END IF;
    FOR attempt IN 1..2 LOOP
      SELECT coalesce(m.same_as, m.id) INTO found FROM managers m WHERE folded_name(btrim(m.name)) = folded_name(btrim(given))
       ORDER BY m.name_key <> lower(btrim(given)), m.same_as IS NOT NULL, m.created_at, m.id LIMIT 1;
      IF found IS NOT NULL THEN RETURN found; END IF;
      IF attempt = 1 THEN PERFORM pg_advisory_xact_lock(7361008, hashtext(folded_name(btrim(given)))); END IF;
    END LOOP;
    INSERT INTO managers (name) VALUES (btrim(given)) RETURNING id INTO found;
    RETURN found;
  END $$;

  -- A roster names a manager once. The previous release would add another spelling, and fail.
  CREATE OR REPLACE FUNCTION department_managers_manager() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.manager_id := manager_named(NEW.name);
    IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM department_managers m WHERE m.manager_id = NEW.manager_id) THEN
      RETURN NULL;
    END IF;
    RETURN NEW;
  END $$;
`

/**
 * The first of each name stands for the others: that of a CRM user, then of a roster, then of an account, then the oldest.
 * Two that are known to be different people stay apart, because a name is a right: two CRM users, two accounts, or rosters
 * of two departments.
 */
const LINK_DUPLICATES = `
  WITH known AS (
    SELECT m.id, m.crm_user_id, d.department_id, folded_name(btrim(m.name)) AS key, p.is_account,
           row_number() OVER (PARTITION BY folded_name(btrim(m.name))
             ORDER BY m.crm_user_id IS NULL, d.department_id IS NULL, NOT p.is_account, m.created_at, m.id) AS place
      FROM managers m LEFT JOIN department_managers d ON d.manager_id = m.id,
           LATERAL (SELECT EXISTS (SELECT FROM people WHERE lower(btrim(people.name)) = m.name_key) AS is_account) p),
  compared AS (
    SELECT k.*, first_value(id) OVER (PARTITION BY key ORDER BY place) AS first_id,
           first_value(department_id) OVER (PARTITION BY key ORDER BY department_id IS NULL, place) AS first_department,
           count(*) FILTER (WHERE is_account) OVER (PARTITION BY key ORDER BY place) AS accounts
      FROM known k)
  UPDATE managers m SET same_as = c.first_id FROM compared c
   WHERE c.id = m.id AND c.place > 1 AND c.crm_user_id IS NULL
     AND (c.department_id IS NULL OR c.department_id = c.first_department)
     AND (NOT c.is_account OR c.accounts = 1);
`

/** Of two spellings in one roster the first counts; the other stays as it is, and no call is its manager's. */
const ROSTERS = `
  UPDATE department_managers d SET manager_id = f.same_as
    FROM (SELECT DISTINCT ON (m.same_as) m.same_as, m.id FROM managers m JOIN department_managers d ON d.manager_id = m.id
           WHERE m.same_as IS NOT NULL ORDER BY m.same_as, m.created_at, m.id) f
   WHERE d.manager_id = f.id AND NOT EXISTS (SELECT FROM department_managers o WHERE o.manager_id = f.same_as);
`

/** Calls count for the name of their manager, not for their own spelling of it: a call without a name can have a manager. */
const COUNTERS = `
  CREATE OR REPLACE FUNCTION count_recording(r recordings, n integer) RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO recording_count_changes
    VALUES (floor(extract(epoch FROM r.call_at) / 86400), floor(extract(epoch FROM r.created_at) / 86400),
            floor(r.duration_seconds), floor(r.score),
            coalesce((SELECT coalesce(s.name, m.name) FROM managers m LEFT JOIN managers s ON s.id = m.same_as
                       WHERE m.id = r.manager_id), r.manager_name),
            r.status, r.source, r.direction, n, n * coalesce(round(r.duration_seconds * 1000), 0));
  END;
  CREATE OR REPLACE TRIGGER recordings_counts_change AFTER UPDATE ON recordings
    FOR EACH ROW WHEN (
      (OLD.status, OLD.source, OLD.direction, OLD.manager_name, OLD.manager_id, OLD.call_at, OLD.created_at, OLD.duration_seconds, OLD.score)
      IS DISTINCT FROM
      (NEW.status, NEW.source, NEW.direction, NEW.manager_name, NEW.manager_id, NEW.call_at, NEW.created_at, NEW.duration_seconds, NEW.score))
    EXECUTE FUNCTION recordings_counts();
  SELECT pg_advisory_xact_lock(7361001);
  SELECT add_up_recording_counts();
  CREATE TEMPORARY TABLE counts_by_manager ON COMMIT DROP AS
    SELECT c.kind, c.bucket, coalesce(s.name, m.name, c.name) AS name, c.status, c.source, c.direction,
           sum(c.n) AS n, sum(c.milliseconds) AS milliseconds
      FROM recording_counts c LEFT JOIN managers m ON m.name_key = lower(btrim(c.name)) LEFT JOIN managers s ON s.id = m.same_as
     WHERE c.kind = 'manager' GROUP BY 1, 2, 3, 4, 5, 6;
  DELETE FROM recording_counts WHERE kind = 'manager';
  INSERT INTO recording_counts (kind, bucket, name, status, source, direction, n, milliseconds)
  SELECT kind, bucket, name, status, source, direction, n, milliseconds FROM counts_by_manager;
`
