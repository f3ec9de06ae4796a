import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Tables of calibrations. Deleting a call deletes its check, and with it the verdicts of the participants. */
export class Calibrations1795864195107 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE calibrations (
        id uuid PRIMARY KEY,
        creator_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX calibrations_creator ON calibrations (creator_id);

      CREATE TABLE calibration_people (
        calibration_id uuid REFERENCES calibrations ON DELETE CASCADE,
        person_id uuid REFERENCES people ON DELETE CASCADE,
        -- Until then, the person sees no verdicts of others and can change their own.
        submitted_at timestamptz,
        PRIMARY KEY (calibration_id, person_id)
      );
      CREATE INDEX calibration_people_person ON calibration_people (person_id);

      CREATE TABLE calibration_calls (
        calibration_id uuid REFERENCES calibrations ON DELETE CASCADE,
        -- The check whose rules people judge. Later checks of the call do not change the calibration.
        analysis_id uuid REFERENCES analyses ON DELETE CASCADE,
        PRIMARY KEY (calibration_id, analysis_id)
      );
      CREATE INDEX calibration_calls_analysis ON calibration_calls (analysis_id);

      CREATE TABLE calibration_verdicts (
        calibration_id uuid,
        person_id uuid,
        finding_id uuid REFERENCES findings ON DELETE CASCADE,
        verdict text NOT NULL CHECK (verdict IN ('met', 'missed', 'not_applicable')),
        comment text,
        PRIMARY KEY (calibration_id, person_id, finding_id),
        FOREIGN KEY (calibration_id, person_id) REFERENCES calibration_people ON DELETE CASCADE
      );
      CREATE INDEX calibration_verdicts_finding ON calibration_verdicts (finding_id);
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
