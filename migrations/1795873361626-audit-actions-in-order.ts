import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Finds the first entry of an action directly, also in a bulk action. The index audit_actions stays: migrations delete nothing. */
export class AuditActionsInOrder1795873361626 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX audit_actions_in_order ON audit (person_id, action_id, at, id) WHERE action_id IS NOT NULL',
    )
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
