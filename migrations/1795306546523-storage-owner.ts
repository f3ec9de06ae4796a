import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What a database is called in the storage of its audio: the mark there carries this id. */
export class StorageOwner1795306546523 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE storage_owner (
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one)
      );
      INSERT INTO storage_owner DEFAULT VALUES;
    `)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}
