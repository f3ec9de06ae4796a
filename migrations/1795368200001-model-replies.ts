import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What a model has answered to a check that has not ended: whoever goes on with it does not pay for it again. */
export class ModelReplies1795368200001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE model_replies (
        analysis_id uuid NOT NULL REFERENCES analyses ON DELETE CASCADE,
        -- Of the request that it answers.
        body_sha256 text NOT NULL,
        answer text NOT NULL,
        PRIMARY KEY (analysis_id, body_sha256)
      );
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
