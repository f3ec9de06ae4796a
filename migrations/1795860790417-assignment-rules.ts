import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The rule that an assignment is about. */
export class AssignmentRules1795860790417 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE assignments
        ADD COLUMN rule_set_id uuid REFERENCES rule_sets ON DELETE SET NULL,
        ADD COLUMN rule_key text;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
