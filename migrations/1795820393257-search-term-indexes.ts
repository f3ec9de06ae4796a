import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Indexes of the terms. A migration of their own: building them reads all texts, and the lock of the columns would keep
 * others from reading meanwhile.
 */
export class SearchTermIndexes1795820393257 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX transcripts_search_terms ON transcripts USING gin (search_terms) WHERE search_terms IS NOT NULL;
      CREATE INDEX transcripts_unindexed ON transcripts (ready_number NULLS FIRST, created_at, recording_id)
        WHERE search_terms IS NULL;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
