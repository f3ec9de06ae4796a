import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Managers as rows. Their names stay unique as they are compared (case aside), and a call belongs to the manager whose
 * name it carries: triggers say so, because the previous release writes calls and rosters by name alone. So both
 * releases show the same calls to the same people. The calls from before get theirs in the migration that follows.
 */
export class Managers1795328928578 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE)
    await runner.query(ROSTERS)
    await runner.query(CALLS)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}

const TABLE = `
  CREATE TABLE managers (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL,
    name_key text NOT NULL GENERATED ALWAYS AS (lower(btrim(name))) STORED,
    crm_user_id text,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX managers_name ON managers (name_key);
  CREATE UNIQUE INDEX managers_crm_user ON managers (crm_user_id);

  -- The manager of a name, made where there is none. Whoever makes the same name at once waits for the other.
  CREATE FUNCTION manager_named(given text) RETURNS uuid LANGUAGE plpgsql AS $$
  DECLARE
    found uuid;
  BEGIN
    IF coalesce(btrim(given), '') = '' THEN RETURN NULL; END IF;
    SELECT m.id INTO found FROM managers m WHERE m.name_key = lower(btrim(given));
    IF found IS NULL THEN
      INSERT INTO managers (name) VALUES (btrim(given)) ON CONFLICT (name_key) DO NOTHING;
      SELECT m.id INTO found FROM managers m WHERE m.name_key = lower(btrim(given));
    END IF;
    RETURN found;
  END $$;
`

const ROSTERS = `
  INSERT INTO managers (name, crm_user_id) SELECT btrim(name), crm_user_id FROM department_managers ORDER BY name_key;
  ALTER TABLE department_managers ADD COLUMN manager_id uuid REFERENCES managers;
  UPDATE department_managers SET manager_id = manager_named(name);
  ALTER TABLE department_managers ALTER COLUMN manager_id SET NOT NULL;
  CREATE UNIQUE INDEX department_managers_manager ON department_managers (manager_id);

  CREATE FUNCTION department_managers_manager() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.manager_id := manager_named(NEW.name);
    RETURN NEW;
  END $$;
  CREATE TRIGGER department_managers_manager BEFORE INSERT OR UPDATE OF name ON department_managers
    FOR EACH ROW EXECUTE FUNCTION department_managers_manager();
`

/** The column alone: to fill it for a million calls takes a while, and adding it locks the table. */
const CALLS = `
  ALTER TABLE recordings ADD COLUMN manager_id uuid;

  CREATE FUNCTION recordings_manager() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.manager_id := manager_named(NEW.manager_name);
    RETURN NEW;
  END $$;
  CREATE TRIGGER recordings_manager BEFORE INSERT OR UPDATE OF manager_name ON recordings
    FOR EACH ROW EXECUTE FUNCTION recordings_manager();
`
