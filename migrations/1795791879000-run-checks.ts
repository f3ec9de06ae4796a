import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Checks that belong to several recalculations, and invented scores beside real ones. */
export class RunChecks1795791879000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET LOCAL statement_timeout = 0')
    await runner.query(MOCK_SCORES)
    await runner.query(RUN_CHECKS)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

const MOCK_SCORES = `
  UPDATE recordings r SET mock_score = a.score
    FROM analyses a
   WHERE a.recording_id = r.id AND a.is_current AND a.provider = 'mock' AND a.score IS NOT NULL;
`

/** Keys and indexes come after the rows, which is faster: half a million take 2 s, in which no check is written. */
const RUN_CHECKS = `
  -- Nobody writes checks from here until this is committed.
  LOCK TABLE analysis_runs, analyses IN SHARE ROW EXCLUSIVE MODE;

  -- The recalculations that asked for a check. analyses.run_id is null where anybody else asked for it, too.
  CREATE TABLE analysis_run_checks (run_id uuid NOT NULL, analysis_id uuid NOT NULL);
  INSERT INTO analysis_run_checks (run_id, analysis_id)
  SELECT a.run_id, a.id FROM analyses a JOIN analysis_runs n ON n.id = a.run_id;
  ALTER TABLE analysis_run_checks ADD PRIMARY KEY (run_id, analysis_id);
  CREATE INDEX analysis_run_checks_analysis ON analysis_run_checks (analysis_id);
  ALTER TABLE analysis_run_checks ADD FOREIGN KEY (run_id) REFERENCES analysis_runs ON DELETE CASCADE;
  ALTER TABLE analysis_run_checks ADD FOREIGN KEY (analysis_id) REFERENCES analyses ON DELETE CASCADE;

  -- The previous release tells only analyses.run_id of the checks that its recalculations ask for.
  CREATE FUNCTION analyses_run() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO analysis_run_checks (run_id, analysis_id) VALUES (NEW.run_id, NEW.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER analyses_run AFTER INSERT ON analyses
    FOR EACH ROW WHEN (NEW.run_id IS NOT NULL) EXECUTE FUNCTION analyses_run();
`
