import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The id that joins the entries of one action of a person. Entries of the version before have none. */
export class AuditActions1795828547573 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit ADD COLUMN action_id uuid;
      CREATE INDEX audit_actions ON audit (person_id, action_id) WHERE action_id IS NOT NULL;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
