import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Lists by phone, and by manager from A to Z. From Z to A, recordings_by_manager is read backward. */
export class RecordingsByPhoneAndManager1795842431422 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX recordings_sorted_by_phone ON recordings (phone_number, call_at DESC, id DESC) INCLUDE (manager_id);
      CREATE INDEX recordings_sorted_by_manager ON recordings (lower(btrim(manager_name)), call_at DESC, id DESC)
        INCLUDE (manager_id);
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
