import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Ids that the database makes itself are UUIDv7 as all others are: they tell when, and sort by it. What is there keeps its own. */
export class IdsByTime1795376840630 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      NEW_ID + TABLES.map((table) => `ALTER TABLE ${table} ALTER COLUMN id SET DEFAULT new_id();`).join('\n'),
    )
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

/**
 * RFC 9562, 5.7: 48 bits of milliseconds, and what is left of a random UUID, whose version 4 (0100) becomes 7 (0111).
 * Postgres knows uuidv7() itself only from 18 on.
 */
const NEW_ID = `
  CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql AS $$
    SELECT encode(
      set_bit(set_bit(
        overlay(uuid_send(gen_random_uuid())
          PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
          FROM 1 FOR 6),
        52, 1), 53, 1),
      'hex')::uuid
  $$;
`

/** All whose ids had a random default. */
const TABLES = [
  'managers',
  'crm_sync_jobs',
  'crm_load_jobs',
  'crm_comments',
  'crm_history_estimates',
  'crm_history_loads',
  'sessions',
  'storage_owner',
]
