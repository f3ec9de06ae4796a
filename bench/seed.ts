import pg from 'pg'
import { commonEnglish, commonRussian, managers } from './words.ts'

/** The newest call of the seed lies a minute back, the oldest four years. */
const YEARS = 4
const CHUNK = 10_000
/** The first words are the most frequent: the n-th comes about 1/n as often (Zipf). */
const VOCABULARY = 30_000
const PHRASES = 40_000

/**
 * Fills recordings and transcripts with `count` calls, made by Postgres itself: most are DONE with the text of a short
 * call, in Russian or English; some hundred managers, phones that call again, years of working days.
 * @param connections how many make them at once
 */
export async function seedCalls(databaseUrl: string, count: number, connections = 2): Promise<void> {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: databaseUrl }))
  await Promise.all(clients.map((client) => client.connect()))
  await clients[0]!.query(TOOLS)
  const slowIndexes = await dropTextIndexes(clients[0]!)
  await makePhrases(clients[0]!)
  // Two that make the same managers in another order would wait for each other.
  await clients[0]!.query('SELECT manager_named(name) FROM unnest($1::text[]) name', [managers])
  let next = 0
  await Promise.all(
    clients.map(async (client) => {
      // A crash would lose the seed, which nobody needs then.
      await client.query('SET synchronous_commit = off')
      while (next < count) {
        const from = next
        next += CHUNK
        const to = Math.min(next, count)
        await client.query('SELECT bench.seed_recordings($1, $2, $3, $4)', [from, to, count, managers])
        await client.query('SELECT bench.seed_transcripts($1, $2)', [from, to])
      }
    }),
  )
  // What is not on the disk yet cannot be marked as visible to all.
  await clients[0]!.query('RESET synchronous_commit')
  await clients[0]!.query('DROP SCHEMA bench CASCADE')
  await seedDepartments(clients[0]!)
  await clients[0]!.query(`SET maintenance_work_mem = '512MB'`)
  for (const index of slowIndexes) await clients[0]!.query(index)
  await clients[0]!.query('SELECT add_up_recording_counts()')
  for (const table of ['recordings', 'transcripts', 'recording_counts', 'recording_count_changes']) {
    await clients[0]!.query(`VACUUM ANALYZE ${table}`)
  }
  await Promise.all(clients.map((client) => client.end()))
}

/** The departments of the seed: one with a single manager, one with a tenth of them, one with the half. */
export const departments = ['single', 'tenth', 'half'].map((name, index) => ({
  id: `01890a5d-ac96-774b-bcce-b302099a805${index}`,
  name,
}))

async function seedDepartments(client: pg.Client): Promise<void> {
  const rest = [...new Set(managers.map((name) => name.trim().toLowerCase()))]
  const sizes = [1, Math.floor(rest.length / 10), Math.floor(rest.length / 2)]
  for (const [index, { id, name }] of departments.entries()) {
    await client.query('INSERT INTO departments (id, name) VALUES ($1, $2)', [id, name])
    await client.query('INSERT INTO department_managers (name, department_id) SELECT unnest($1::text[]), $2', [
      rest.splice(0, sizes[index]),
      id,
    ])
  }
}

/** Indexes of words and parts of words are made several times faster at once than row by row; answers how. */
export async function dropTextIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexdef LIKE '%USING gin%'`,
  )
  for (const { indexname } of rows) await client.query(`DROP INDEX ${indexname}`)
  return rows.map(({ indexdef }) => indexdef)
}

/** Phrases of 3 to 14 words; a call is some of them in a row. */
async function makePhrases(client: pg.Client): Promise<void> {
  for (const [language, common] of [
    ['ru', commonRussian],
    ['en', commonEnglish],
  ] as const) {
    await client.query('SELECT bench.make_phrases($1, $2, $3, $4)', [
      language,
      [...common, ...inventedWords(language, VOCABULARY - common.length)],
      PHRASES,
      common.length,
    ])
  }
}

/** Words that sound like the language, all different. */
function inventedWords(language: 'ru' | 'en', count: number): string[] {
  const [starts, middles, ends]: [string, string, string] =
    language === 'ru'
      ? [
          'б в г д ж з к л м н п р с т ф х ц ч ш пр ст гр тр кр',
          'а е и о у я ю',
          'лка ние тель ность вать рый ски мо рок дан',
        ]
      : [
          'b c d f g h j k l m n p r s t v w pr st gr tr sh ch',
          'a e i o u ea oo',
          'ling ter ness able tion ful dy lock mer ton',
        ]
  const [s, m, e] = [starts.split(' '), middles.split(' '), ends.split(' ')]
  return Array.from({ length: count }, (_, i) => {
    const pick = <T>(list: T[]): T => {
      const item = list[i % list.length]!
      i = Math.floor(i / list.length)
      return item
    }
    const end = pick(e)
    return pick(s) + pick(m) + pick(s) + pick(m) + end + (i > 0 ? pick(m) + pick(e) : '')
  })
}

const TOOLS = `
CREATE SCHEMA bench;
CREATE TABLE bench.phrases (language text, n integer, phrase text, PRIMARY KEY (language, n));

CREATE FUNCTION bench.make_phrases(language text, words text[], phrases integer, common integer) RETURNS void AS $$
DECLARE
  phrase text;
BEGIN
  FOR n IN 0 .. phrases - 1 LOOP
    phrase := words[ceil(exp(random() * ln(common)))];
    FOR i IN 1 .. 2 + floor(random() * 11) LOOP
      phrase := phrase || ' ' || words[ceil(exp(random() * ln(array_length(words, 1))))];
    END LOOP;
    INSERT INTO bench.phrases VALUES (language, n, phrase);
  END LOOP;
END $$ LANGUAGE plpgsql;

-- The older calls come first, as they did when they were received.
CREATE FUNCTION bench.seed_recordings(first integer, last integer, total integer, managers text[]) RETURNS void AS $$
  INSERT INTO recordings (id, status, source, external_call_id, phone_number, manager_name, direction, call_started_at,
                          file_name, storage_key, size_bytes, duration_seconds, score, error_message,
                          created_at, started_at, finished_at, attempts)
  SELECT uuidv7(received - now()), status,
         CASE WHEN dice < 0.6 THEN 'crm' WHEN dice < 0.9 THEN 'upload' WHEN dice < 0.97 THEN 'url' ELSE 'inbox' END,
         CASE WHEN dice > 0.08 THEN 'pbx-' || n END,
         CASE WHEN dice < 0.97 THEN '+375' || (ARRAY['29', '33', '44', '25'])[1 + n % 4]
              || lpad((floor(exp(random() * ln(300000)))::bigint * 7919 % 10000000)::text, 7, '0') END,
         CASE WHEN dice < 0.95 THEN managers[ceil(exp(random() * ln(array_length(managers, 1) + 1)) - 0.5)] END,
         CASE WHEN dice < 0.99 THEN CASE WHEN random() < 0.55 THEN 'INBOUND' ELSE 'OUTBOUND' END END,
         CASE WHEN dice < 0.9 THEN called END,
         'call-' || n || '.mp3', 'seed/' || n, (seconds * 4000)::bigint, seconds,
         CASE WHEN status = 'DONE' AND random() < 0.7 THEN round((100 * sqrt(random()))::numeric, 1) END,
         CASE WHEN status = 'FAILED' THEN 'The recognizer did not answer' END,
         received, received + interval '2 s', received + interval '20 s', 1
    FROM (
      SELECT n, called, called + make_interval(secs => 60 + 600 * random() * random()) AS received, random() AS dice,
             CASE WHEN random() < 0.96 THEN 'DONE' WHEN random() < 0.6 THEN 'FAILED' ELSE 'CANCELLED' END AS status,
             round((10 + exp(3.2 + random() * 2.6))::numeric, 2) AS seconds
        FROM (
          SELECT n, date_trunc('day', now() - make_interval(days => 2 + ${YEARS * 365}) * (1 - sqrt(n::float / total)))
                    + make_interval(secs => 6 * 3600 + 9 * 3600 * random()) - interval '1 day' AS called
            FROM generate_series(first, last - 1) n
        ) calls
    ) received
$$ LANGUAGE sql;

-- From 2 to 20 phrases, about one word in half a second, and a number that nobody else has.
CREATE FUNCTION bench.seed_transcripts(first integer, last integer) RETURNS void AS $$
DECLARE
  russian text[] := (SELECT array_agg(phrase ORDER BY n) FROM bench.phrases WHERE language = 'ru');
  english text[] := (SELECT array_agg(phrase ORDER BY n) FROM bench.phrases WHERE language = 'en');
  call record;
  phrase text;
  body text;
  segments text;
  is_russian boolean;
  at double precision;
  length double precision;
BEGIN
  FOR call IN SELECT id, created_at, duration_seconds AS seconds, split_part(storage_key, '/', 2) AS n FROM recordings
               WHERE status = 'DONE' AND storage_key IN (SELECT 'seed/' || n FROM generate_series(first, last - 1) n)
               ORDER BY created_at LOOP
    is_russian := random() < 0.7;
    at := 0.4;
    body := (CASE WHEN is_russian THEN 'добрый день номер ' ELSE 'good afternoon order ' END) || (1000000 + call.n::int);
    segments := format('[{"start":%s,"end":%s,"channel":0,"text":"%s"}', at, at + 2, body);
    LOOP
      at := round((at + 2.3)::numeric, 2);
      EXIT WHEN at > least(call.seconds, 90);
      phrase := CASE WHEN is_russian THEN russian[1 + floor(random() * ${PHRASES})] ELSE english[1 + floor(random() * ${PHRASES})] END;
      length := round((char_length(phrase) / 12.0)::numeric, 2);
      body := body || chr(10) || phrase;
      segments := segments || format(',{"start":%s,"end":%s,"channel":%s,"text":"%s"}', at, at + length, (random() < 0.5)::int, phrase);
      at := at + length;
    END LOOP;
    INSERT INTO transcripts (recording_id, text, model, decoder, language, segments, created_at)
    VALUES (call.id, body, 't-one', 'beam_search', CASE WHEN is_russian THEN 'ru' ELSE 'en' END, (segments || ']')::json, call.created_at);
  END LOOP;
END $$ LANGUAGE plpgsql;
`
