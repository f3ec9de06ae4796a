import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * What a search finds of a call besides its text: words of the manager's name, of the call id and of the file name.
 * They stand in an index of Postgres's own search, which needs no extension and knows beginnings of words.
 */
export class FindCalls1795305882000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(WORDS)
    await runner.query(SUBSTRINGS)
    await runner.query(INLINE)
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}

/**
 * Words end at any space or punctuation, listed here because classes such as [:alnum:] depend on the database's locale.
 * As in transcripts, the day of the call is a word too, so that the index can be asked for the calls of some days.
 */
const WORDS = String.raw`
  CREATE FUNCTION folded_name(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN lower(translate(name, 'ёЁ', 'еЕ'));

  CREATE FUNCTION name_words(text text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_remove(
      regexp_split_to_array(folded_name(left(text, 500)),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2116\u3000-\u303f\ufeff]+'), '');

  CREATE FUNCTION recording_words(manager_name text, external_call_id text, file_name text, call_at timestamptz)
    RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_to_tsvector(
      coalesce(name_words(manager_name), '{}') || coalesce(name_words(external_call_id), '{}')
      || coalesce(name_words(file_name), '{}')
      || ARRAY[chr(1) || ((call_at AT TIME ZONE 'UTC')::date - date '1970-01-01')]);

  CREATE INDEX recordings_words ON recordings
    USING gin (recording_words(manager_name, external_call_id, file_name, call_at));
`

/** Without pg_trgm the filter by a part of the name gives the same answers, slower (the migrate command says so). */
const SUBSTRINGS = `
  DO $$
  BEGIN
    CREATE INDEX recordings_manager_folded_part ON recordings USING gin (folded_name(manager_name) gin_trgm_ops);
  EXCEPTION
    WHEN undefined_object OR insufficient_privilege OR feature_not_supported THEN
      RAISE WARNING 'without pg_trgm: %', SQLERRM;
  END $$;
`

/**
 * The words of a text stay in its row, so that ranking 20,000 of them does not look for each elsewhere: a fifth of the
 * time. The newest calls, which a search looks at first, are written anew; the others stay as they are.
 */
const INLINE = `
  ALTER TABLE transcripts ALTER COLUMN search SET STORAGE MAIN;
  UPDATE transcripts SET search = search || ''::tsvector
   WHERE recording_id IN (SELECT id FROM recordings ORDER BY call_at DESC, id DESC LIMIT 30000);
`
