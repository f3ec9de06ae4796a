/** Fills databases with calls and deals, and measures SQL statements with psql. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Dialogue, DialogueSegment, PhraseLanguage, Verdict } from '../src/check/rules/types.ts'
import { DATABASE_SESSION_SETTINGS } from '../src/platform/db/session-settings.ts'
import { sha256 } from '../src/platform/lib/crypto.ts'
import { generateId } from '../src/platform/lib/ids.ts'
import { buildTsvector } from '../src/platform/lib/search/terms.ts'

const DATA_FOLDER = 'bench/data'
const CHUNK_SIZE = 10_000
/** The company has this many managers, a fifth of them in each department. */
const COMPANY_MANAGERS = 100

const words = JSON.parse(readFileSync(join(DATA_FOLDER, 'words.json'), 'utf8')) as Record<
  'russian' | 'english',
  string
> &
  Record<'russianManagers' | 'englishManagers', [first: string, last: string]>
const combineNames = ([firsts, lasts]: [string, string]) =>
  lasts.split(' ').flatMap((last) => firsts.split(' ').map((first) => `${first} ${last}`))

export const RUSSIAN_WORDS = words.russian.split(' ')
/** The seed assigns the most calls to the first manager. */
const managers = [...combineNames(words.russianManagers), ...combineNames(words.englishManagers)]
/** The departments of seedCalls(), whose ids data/lists.json also contains. */
const departments = ['0', '1', '2'].map((n) => `01890a5d-ac96-774b-bcce-b302099a805${n}`)

/** Opens a Postgres connection; the caller closes it. */
export async function connectToDatabase(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return client
}

/**
 * Inserts an API key into the database.
 * @returns the key
 */
export async function insertApiKey(databaseUrl: string): Promise<string> {
  const key = `svc_${randomBytes(32).toString('base64url')}`
  const client = await connectToDatabase(databaseUrl)
  const values = [generateId(), 'bench', key.slice(0, 10), sha256(key)]
  await client.query('INSERT INTO api_keys (id, name, prefix, key_hash) VALUES ($1, $2, $3, $4)', values)
  await client.end()
  return key
}

/**
 * Runs an SQL file of bench/data.
 * @param values values that replace `:name` in the statements
 */
export async function runSqlFile(client: pg.Client, name: string, values: Record<string, unknown> = {}): Promise<void> {
  const sql = readFileSync(join(DATA_FOLDER, `${name}.sql`), 'utf8')
  const toText = (value: unknown) => (typeof value === 'number' ? String(value) : pg.escapeLiteral(formatValue(value)))
  await client.query(
    sql.replace(/(?<!:):([a-z]+)/g, (match, key: string) => (key in values ? toText(values[key]) : match)),
  )
}

/** Inserts a transcript for an existing recording. */
export async function insertTranscript(db: pg.Client, id: string, segments: object[], language = 'ru'): Promise<void> {
  const text = segments.map((segment) => (segment as DialogueSegment).text).join('\n')
  await db.query(
    `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments) VALUES ($1, $2, 'm', 'greedy', $3, $4)`,
    [id, text, language, JSON.stringify(segments)],
  )
}

/**
 * Inserts a DONE call with a transcript but without audio.
 * @returns the id of the recording
 */
export async function insertTranscribedCall(db: pg.Client, segments: DialogueSegment[], call: object): Promise<string> {
  const id = generateId()
  const fields = { direction: 'OUTBOUND', call_started_at: new Date(), duration_seconds: 240, ...call }
  await db.query(
    `INSERT INTO recordings (id, status, source, direction, call_started_at, duration_seconds, storage_key, size_bytes)
     VALUES ($1, 'DONE', 'upload', $2, $3, $4, $5, 1)`,
    [id, fields.direction, fields.call_started_at, fields.duration_seconds, `bench/${id}`],
  )
  await insertTranscript(db, id, segments)
  return id
}

/** A call with the verdicts and labels that a reader gave it. */
export interface JudgedCall {
  key: string
  language: PhraseLanguage
  direction: 'INBOUND' | 'OUTBOUND'
  turns: ['agent' | 'client', string][]
  verdicts: Record<string, Verdict>
  labels: string[]
}

const DIALOGUES_FOLDER = 'bench/check-dialogues'
const WORDS_PER_SECOND = 2.5
const PAUSE_SECONDS = 0.3

/** Loads the calls of bench/check-dialogues, each with the verdicts of a reader. */
export const loadJudgedCalls = (): JudgedCall[] =>
  readdirSync(DIALOGUES_FOLDER)
    .sort()
    .map((name) => ({
      ...(JSON.parse(readFileSync(join(DIALOGUES_FOLDER, name), 'utf8')) as JudgedCall),
      key: name.replace('.json', ''),
    }))

/** Converts a judged call to a dialogue with times, as the recognizer would produce it. */
export function convertJudgedCallToDialogue({ turns, direction }: JudgedCall): Dialogue {
  const segments: DialogueSegment[] = []
  let at = 1
  for (const [side, text] of turns) {
    const end = at + text.split(' ').length / WORDS_PER_SECOND
    segments.push({ channel: side === 'agent' ? 0 : 1, start: at, end, text })
    at = end + PAUSE_SECONDS
  }
  return { segments, channels: 2, agentChannel: 0, direction, durationSeconds: Math.ceil(at) }
}

let dialogues: Dialogue[] | undefined
/** Loads the dialogues of all judged calls, and caches them. */
export const loadJudgedDialogues = (): Dialogue[] => (dialogues ??= loadJudgedCalls().map(convertJudgedCallToDialogue))

/** Joins dialogues of judged calls into a call with at least `count` words, from the dialogue `first` on. */
export function makeLongDialogue(count: number, first = 0): Dialogue {
  const calls = loadJudgedDialogues()
  const segments: DialogueSegment[] = []
  let [wordsLeft, at] = [count, 0]
  for (let index = first; wordsLeft > 0; index++)
    for (const piece of calls[index % calls.length]!.segments) {
      if (wordsLeft <= 0) break
      segments.push({ ...piece, start: at + piece.start, end: at + piece.end })
      wordsLeft -= piece.text.split(' ').length
      at += 0.1
    }
  return { segments, channels: 2, agentChannel: 0, direction: 'OUTBOUND', durationSeconds: count / WORDS_PER_SECOND }
}

/**
 * Fills a database with calls of four years. Most are DONE with a short Russian or English transcript.
 * @param indexed false omits the search terms
 */
export async function seedCalls(databaseUrl: string, count: number, { indexed = true } = {}): Promise<void> {
  const clients = await Promise.all([connectToDatabase(databaseUrl), connectToDatabase(databaseUrl)])
  const [client] = clients
  await runSqlFile(client, 'seed-calls', { russian: RUSSIAN_WORDS, english: words.english.split(' '), managers })
  await runSqlFile(client, 'drop-text-indexes')
  let next = 0
  const seedChunks = async (one: pg.Client) => {
    await one.query('SET synchronous_commit = off; CREATE TEMP TABLE seeded_texts (LIKE transcripts)')
    while (next < count) {
      const from = next
      next += CHUNK_SIZE
      await one.query('SELECT bench.seed_recordings($1, $2, $3, $4)', [from, Math.min(next, count), count, managers])
      await one.query('SELECT bench.seed_transcripts($1, $2)', [from, Math.min(from + CHUNK_SIZE, count)])
      await insertTexts(one, indexed)
    }
  }
  await Promise.all(clients.map(seedChunks))
  await client.query('SELECT bench.seed_departments($1, $2)', [departments, managers])
  await finishSeed(client)
  await Promise.all(clients.map((one) => one.end()))
}

/** Moves seeded texts to the table of transcripts, with search terms if `indexed`. */
async function insertTexts(client: pg.Client, indexed: boolean): Promise<void> {
  const { rows } = await client.query<{ id: string; text: string }>('SELECT recording_id AS id, text FROM seeded_texts')
  const terms: (string | null)[] = []
  for (const { text } of rows) terms.push(indexed ? await buildTsvector(text) : null)
  await client.query(
    `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments, created_at, search_terms)
     SELECT recording_id, text, model, decoder, language, segments, created_at, x.terms::tsvector
       FROM seeded_texts JOIN unnest($1::uuid[], $2::text[]) x (id, terms) ON x.id = recording_id ORDER BY created_at`,
    [rows.map(({ id }) => id), terms],
  )
  await client.query('TRUNCATE seeded_texts')
}

async function finishSeed(client: pg.Client): Promise<void> {
  // VACUUM marks pages as visible to all transactions only after the commits of their rows are on disk.
  await client.query('RESET synchronous_commit')
  await runSqlFile(client, 'finish-seed')
  await client.query('VACUUM ANALYZE')
}

/**
 * Fills a database that has published rules with deals and calls.
 * @param unchecked true omits the checks, which saves a third of the time
 */
export async function seedCompany(
  databaseUrl: string,
  { calls, deals, unchecked }: { calls: number; deals: number; unchecked?: boolean },
): Promise<void> {
  const client = await connectToDatabase(databaseUrl)
  const run = (name: string) =>
    runSqlFile(client, `company-${name}`, { managers: managers.slice(0, COMPANY_MANAGERS), calls, deals })
  await client.query(`SET synchronous_commit = off; SET work_mem = '256MB'`)
  await run('deals')
  await runSqlFile(client, 'drop-text-indexes')
  await run('calls')
  // The role `replica` skips foreign keys and counter triggers. The SQL files update the counters themselves.
  await client.query('SET session_replication_role = replica')
  await run('links')
  if (!unchecked) await run('checks')
  await client.query('SET session_replication_role = origin')
  await client.query('SELECT add_up_deal_calls($1)', [2 * deals])
  await finishSeed(client)
  await client.end()
}

const SESSION_OPTIONS = Object.entries(DATABASE_SESSION_SETTINGS).map(([name, value]) => `-c ${name}=${value}`).join(' ') // prettier-ignore

/** Replaces the placeholders of a statement with its values, because psql has no parameters of this form. */
export function inlineSqlValues({ text, values = [] }: { text: string; values?: unknown[] }): string {
  return text.replace(/\$(\d+)/g, (_, n) => pg.escapeLiteral(formatValue(values[Number(n) - 1])))
}

function formatValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join(',')}}` : String(value)
}

/** Starts psql with the session settings of the service. The input and the output are pipes. */
export function startPsql(databaseUrl: string, ...args: string[]) {
  return spawn('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', ...args, databaseUrl], {
    env: { ...process.env, PGOPTIONS: SESSION_OPTIONS },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

/**
 * Runs statements repeatedly in one psql session.
 * @returns the total milliseconds of each round
 */
export async function measureStatementsInPsql(
  databaseUrl: string,
  statements: string[],
  rounds: number,
): Promise<number[]> {
  const script = `${statements.join(';\n')};\n`.repeat(rounds)
  const child = startPsql(databaseUrl)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdin.end(`\\o /dev/null\n\\timing on\n${script}`)
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`psql exited with ${String(code)}`)
  const times = Array.from(output.matchAll(/^Time: ([\d.]+) ms/gm), ([, ms]) => Number(ms))
  return Array.from({ length: rounds }, () => times.splice(0, statements.length).reduce((sum, ms) => sum + ms, 0))
}
