import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Labels are few among the findings: reports ask for those of many calls at once, and read this index alone. */
export class LabelFindings1795347823156 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL statement_timeout = 0;
      CREATE INDEX findings_labels ON findings (analysis_id) INCLUDE (version_id, rule_key, verdict) WHERE is_label;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
