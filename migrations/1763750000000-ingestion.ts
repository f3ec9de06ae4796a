import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The state of the record intake, and the files that it has seen and not yet registered. */
export class Ingestion1763750000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ingestion_runs (
        source text NOT NULL,
        prefix text NOT NULL,
        due_at timestamptz NOT NULL DEFAULT now(),
        run_token uuid,
        lease_until timestamptz,
        last_run_at timestamptz,
        found integer NOT NULL DEFAULT 0,
        registered integer NOT NULL DEFAULT 0,
        failed integer NOT NULL DEFAULT 0,
        last_error text,
        PRIMARY KEY (source, prefix)
      );

      CREATE TABLE ingestion_files (
        storage_key text PRIMARY KEY,
        version text NOT NULL,
        run_token uuid NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL,
        fault text,
        failed_at timestamptz
      );
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}
