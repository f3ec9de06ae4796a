import { generateId } from '../platform/lib/ids.ts'
import { buildTsvector } from '../platform/lib/search/terms.ts'
import { TestClient } from './client.ts'
import { OWNER_CREDENTIALS, type TestApp } from './server.ts'

/** The fields of a call that a test inserts directly into the database. Omitted fields get default values. */
export interface TestCallRow {
  id?: string
  status?: string
  source?: string
  externalCallId?: string | null
  phone?: string | null
  manager?: string | null
  direction?: string | null
  fileName?: string | null
  /** The start of the call, as ISO 8601. */
  at?: string | null
  createdAt?: string
  duration?: number | null
  score?: number | null
  /** The transcript of a DONE call; by default one word. */
  text?: string
}

const COLUMNS = `id, status, source, external_call_id, phone_number, manager_name, direction, call_started_at,
                 created_at, duration_seconds, score, file_name`

/**
 * Inserts calls directly into the database, with transcripts of the DONE calls.
 * @returns the ids in the order of `calls`
 */
export async function insertCalls({ db }: Pick<TestApp, 'db'>, calls: TestCallRow[]): Promise<string[]> {
  const rows = calls.map((call) => ({ ...call, id: call.id ?? generateId() }))
  await db.query(
    `INSERT INTO recordings (${COLUMNS}, storage_key, size_bytes)
     SELECT ${COLUMNS}, 'inserted/' || id, 1 FROM json_to_recordset($1) AS c (
       id uuid, status text, source text, external_call_id text, phone_number text, manager_name text, direction text,
       call_started_at timestamptz, created_at timestamptz, duration_seconds double precision, score real,
       file_name text)`,
    [
      JSON.stringify(
        rows.map((call) => ({
          id: call.id,
          status: call.status ?? 'DONE',
          source: call.source ?? 'upload',
          external_call_id: call.externalCallId,
          phone_number: call.phone,
          manager_name: call.manager,
          direction: call.direction,
          call_started_at: call.at,
          created_at: call.createdAt ?? '2026-01-01T00:00:00Z',
          duration_seconds: call.duration,
          score: call.score,
          file_name: call.fileName,
        })),
      ),
    ],
  )
  await db.query(
    `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments, search_terms)
     SELECT id, text, 'm', 'greedy', 'ru', json_build_array(json_build_object('start', 0, 'end', 1, 'channel', 0, 'text', text)),
            terms::tsvector
       FROM json_to_recordset($1) AS c (id uuid, text text, terms text)`,
    [JSON.stringify(await Promise.all(rows.filter(({ status }) => (status ?? 'DONE') === 'DONE').map(addSearchTerms)))],
  )
  return rows.map(({ id }) => id)
}

async function addSearchTerms({ id, text = 'да' }: TestCallRow): Promise<object> {
  return { id, text, terms: await buildTsvector(text) }
}

/**
 * Creates a manager without a department, with the e-mail address max@example.com, and logs them in.
 * @returns a client with the session of the manager
 */
export async function createLoggedInManager(app: TestApp, name: string, rights: object = {}): Promise<TestClient> {
  await app.db.query(
    `INSERT INTO people (id, email, name, role, rights, password_hash)
     SELECT $1, 'max@example.com', $2, 'manager', $3, password_hash FROM people WHERE email = $4`,
    [generateId(), name, JSON.stringify(rights), OWNER_CREDENTIALS.email],
  )
  const manager = new TestClient(() => app.url, {})
  const response = await manager.post('/v1/auth/login', {
    email: 'max@example.com',
    password: OWNER_CREDENTIALS.password,
  })
  manager.headers.Cookie = response.headers.get('set-cookie')!.split(';')[0]!
  return manager
}
