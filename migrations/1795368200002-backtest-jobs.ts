import type { MigrationInterface, QueryRunner } from 'typeorm'

/** A backtest is a job like others: `status` and the job columns stand for `state` and `run_token`, which nobody reads any more. */
export class BacktestJobs1795368200002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE backtests
        ADD COLUMN status text NOT NULL DEFAULT 'QUEUED'
          CHECK (status IN ('QUEUED', 'PROCESSING', 'DONE', 'FAILED', 'CANCELLED')),
        ADD COLUMN priority smallint NOT NULL DEFAULT 5,
        ADD COLUMN attempts integer NOT NULL DEFAULT 0,
        ADD COLUMN next_attempt_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN attempt_token uuid,
        ADD COLUMN started_at timestamptz,
        ALTER COLUMN state SET DEFAULT 'running';
      UPDATE backtests SET lease_until = NULL,
             status = CASE state WHEN 'done' THEN 'DONE' WHEN 'failed' THEN 'FAILED' WHEN 'cancelled' THEN 'CANCELLED' ELSE 'QUEUED' END;
      CREATE INDEX backtests_waiting ON backtests (priority DESC, created_at, id) WHERE status = 'QUEUED';
      CREATE INDEX backtests_delayed ON backtests (next_attempt_at, id) WHERE status = 'QUEUED';
      CREATE INDEX backtests_active ON backtests (lease_until) WHERE status = 'PROCESSING';
      CREATE INDEX backtests_failed ON backtests (id) WHERE status = 'FAILED';
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
