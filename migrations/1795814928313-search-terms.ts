import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The terms of a text for the search: words as written, dictionary forms and numbers (src/platform/lib/search). The API
 * computes them, so existing texts get theirs in the background. Releases before this one search the column `search`.
 */
export class SearchTerms1795814928313 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TERMS)
    await runner.query(TRIGGERS)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

/** The terms stay in the row, as those of `search` do: ranking 20,000 texts takes a fifth of the time. */
const TERMS = String.raw`
  ALTER TABLE transcripts ADD COLUMN search_terms tsvector;
  ALTER TABLE transcripts ALTER COLUMN search_terms SET STORAGE MAIN;

  CREATE FUNCTION search_day(call_at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN E'\x01' || floor(extract(epoch FROM call_at) / 86400)::integer;
`

/** The day of the call is a term too. A text that a release without this column changes loses its terms. */
const TRIGGERS = `
  CREATE FUNCTION transcripts_search_terms() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND NEW.text IS DISTINCT FROM OLD.text AND NEW.search_terms IS NOT DISTINCT FROM OLD.search_terms THEN
      NEW.search_terms := NULL;
    ELSIF NEW.search_terms IS NOT NULL THEN
      NEW.search_terms := NEW.search_terms || array_to_tsvector(ARRAY[
        search_day((SELECT r.call_at FROM recordings r WHERE r.id = NEW.recording_id))]);
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER transcripts_search_terms BEFORE INSERT OR UPDATE OF text, search_terms ON transcripts
    FOR EACH ROW EXECUTE FUNCTION transcripts_search_terms();

  CREATE OR REPLACE FUNCTION recordings_search_day() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE transcripts SET search = search_document(text, NEW.call_at),
                           search_terms = ts_delete(search_terms, search_day(OLD.call_at))
     WHERE recording_id = NEW.id;
    RETURN NULL;
  END $$;
`
