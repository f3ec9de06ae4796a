import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Departments, the people that belong to them, and the managers whose calls are theirs. */
export class People1763960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE people ADD COLUMN language text CHECK (language IN ('en', 'ru'));
      ALTER TABLE people ADD COLUMN last_login_at timestamptz;

      CREATE TABLE departments (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX departments_name ON departments (lower(btrim(name)));

      CREATE TABLE person_departments (
        person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        department_id uuid NOT NULL REFERENCES departments,
        PRIMARY KEY (person_id, department_id)
      );
      CREATE INDEX person_departments_department ON person_departments (department_id);

      -- The roster. A call belongs to the department in whose roster its manager's name stands: compared as name_key,
      -- the same expression as in the index recordings_by_manager. crm_user_id is for managers that the CRM knows.
      CREATE TABLE department_managers (
        name_key text PRIMARY KEY GENERATED ALWAYS AS (lower(btrim(name))) STORED,
        name text NOT NULL,
        department_id uuid NOT NULL REFERENCES departments ON DELETE CASCADE,
        crm_user_id text UNIQUE,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX department_managers_department ON department_managers (department_id);
    `)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}
