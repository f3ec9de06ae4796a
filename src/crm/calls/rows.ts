import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../app/core.ts'
import type { Sql } from '../../platform/db/db.ts'
import { parseRows, type Fields, type ParsedRows } from '../bitrix24/fields.ts'
import { normalisePhone } from '../phone.ts'
import type { RejectedRow, Row } from '../bitrix24/rows.ts'
import { storeRows, type RowKind } from '../quarantine/store.ts'
import type { Counts } from '../steps/step.ts'
import { readRules, skipReason, type SkipReason } from './eligible.ts'
import { linkSubmitted } from './submitted.ts'

/** A row of the portal's statistics of calls, as the table crm_calls has it. */
export interface CallRow {
  id: string
  call_id: string
  user_id: string | null
  phone_number: string | null
  phone: string | null
  portal_number: string | null
  type: number
  duration_seconds: number
  started_at: Date
  failed_code: string | null
  entity_type: string | null
  entity_id: string | null
  activity_id: string | null
  file_id: string | null
}

/** Limit of externalCallId in characters. */
export const LONGEST_CALL_ID = 255

/** No field of a portal call has a longer text. */
const LONGEST_FIELD = 255
const LARGEST_TYPE = 99
const LONGEST_CALL_SECONDS = 1e6
/** Latest plausible start of a call after our clock: the portal's clock and time zone can differ. */
const MOST_AHEAD_MS = 48 * 3600_000

/**
 * Parses a row of the portal. @throws RowRejected
 * @param countries of phones: CRM_PHONE_COUNTRIES
 */
export function asCall(fields: Fields, countries: readonly string[]): CallRow {
  const number = fields.text('PHONE_NUMBER', LONGEST_FIELD)
  return {
    id: fields.required('ID', fields.id('ID')),
    call_id: fields.required('CALL_ID', fields.text('CALL_ID', LONGEST_CALL_ID)),
    user_id: fields.id('PORTAL_USER_ID'),
    phone_number: number,
    phone: number === null ? null : normalisePhone(number, countries),
    portal_number: fields.text('PORTAL_NUMBER', LONGEST_FIELD),
    type: fields.number('CALL_TYPE', 0, LARGEST_TYPE) ?? 0,
    duration_seconds: fields.number('CALL_DURATION', 0, LONGEST_CALL_SECONDS) ?? 0,
    started_at: fields.required('CALL_START_DATE', fields.time('CALL_START_DATE', Date.now() + MOST_AHEAD_MS)),
    failed_code: fields.text('CALL_FAILED_CODE', LONGEST_FIELD),
    entity_type: fields.text('CRM_ENTITY_TYPE', LONGEST_FIELD),
    entity_id: fields.id('CRM_ENTITY_ID'),
    activity_id: fields.id('CRM_ACTIVITY_ID'),
    file_id: fields.id('RECORD_FILE_ID'),
  }
}

/** Parses rows of the portal's statistics. @param rejected rows of the page that were already rejected */
export const parseCalls = ({ config }: Core, rows: Row[], rejected?: RejectedRow[]): ParsedRows<CallRow> =>
  parseRows(rows, (fields) => asCall(fields, config.CRM_PHONE_COUNTRIES), rejected)

const COLUMNS: Record<keyof CallRow, string> = {
  id: 'bigint',
  call_id: 'text',
  user_id: 'text',
  phone_number: 'text',
  phone: 'text',
  portal_number: 'text',
  type: 'smallint',
  duration_seconds: 'integer',
  started_at: 'timestamptz',
  failed_code: 'text',
  entity_type: 'text',
  entity_id: 'bigint',
  activity_id: 'bigint',
  file_id: 'bigint',
}
const NAMES = Object.keys(COLUMNS)

/**
 * Whether what was decided about a call is decided anew: while nothing was loaded, and for one skipped without a recording
 * only once there is one. A call that a load of the history has asked for stays asked for; one that was given up is open to
 * the next load alone.
 */
const IS_OPEN = `(c.load_state = 'waiting' AND NOT (excluded.skip_reason IS NOT DISTINCT FROM 'before-automation' AND c.history_load_id IS NOT NULL)
  OR c.load_state = 'failed' AND excluded.history_load_id IS NOT NULL
  OR c.load_state = 'skipped' AND (c.skip_reason <> 'no-recording' OR excluded.file_id IS NOT NULL))`

const KIND: RowKind<CallRow> = { step: 'calls', id: 'ID', keyOf: ({ id }) => id }

/**
 * Writes rows of calls as they are now, with what is to become of each; those that an integration has submitted are linked.
 * @param historyLoadId of the load that asks for them; without it they are live
 */
export async function storeCalls(
  sql: Sql,
  config: Config,
  parsed: ParsedRows<CallRow>,
  historyLoadId?: string,
): Promise<Counts> {
  const counts = await storeRows(sql, KIND, parsed, (calls) => writeCalls(sql, calls, historyLoadId), historyLoadId)
  await linkSubmitted(
    sql,
    config,
    parsed.values.map((call) => call.call_id),
  )
  return counts
}

async function writeCalls(
  sql: Sql,
  calls: CallRow[],
  historyLoadId: string | undefined,
): Promise<{ new: number; changed: number }> {
  const rules = await readRules(sql)
  const judged = [...new Map(calls.map((call) => [call.id, call])).values()].map((call) => {
    const reason: SkipReason | undefined = skipReason(call, rules, historyLoadId !== undefined)
    return { ...call, load_state: reason ? 'skipped' : 'waiting', skip_reason: reason ?? null }
  })
  const given = `jsonb_to_recordset($1::jsonb) AS g (${NAMES.map((name) => `${name} ${COLUMNS[name as keyof CallRow]}`).join(', ')}, load_state text, skip_reason text)`
  const values = NAMES.filter((name) => name !== 'id')
  const { rows } = await sql.query<{ new: number; changed: number }>({
    text: `
      WITH before AS (SELECT c.id, ${values.map((name) => `c.${name}`).join(', ')} FROM crm_calls c JOIN ${given} ON g.id = c.id),
      written AS (
        INSERT INTO crm_calls AS c (${NAMES.join(', ')}, load_state, skip_reason, history_load_id)
        SELECT ${NAMES.map((name) => `g.${name}`).join(', ')}, g.load_state, g.skip_reason, $2 FROM ${given} ORDER BY g.id
        ON CONFLICT (id) DO UPDATE SET ${values.map((name) => `${name} = excluded.${name}`).join(', ')}, read_at = now(),
          load_state = CASE WHEN ${IS_OPEN} THEN excluded.load_state ELSE c.load_state END,
          skip_reason = CASE WHEN ${IS_OPEN} THEN excluded.skip_reason ELSE c.skip_reason END,
          history_load_id = CASE WHEN excluded.history_load_id IS NOT NULL AND c.load_state IN ('waiting', 'skipped', 'failed')
            THEN excluded.history_load_id ELSE c.history_load_id END
        RETURNING c.id, ${values.map((name) => `c.${name}`).join(', ')})
      SELECT count(*) FILTER (WHERE b.id IS NULL)::int AS new,
             count(*) FILTER (WHERE b.id IS NOT NULL AND (${values.map((name) => `b.${name}`).join(', ')})
               IS DISTINCT FROM (${values.map((name) => `w.${name}`).join(', ')}))::int AS changed
        FROM written w LEFT JOIN before b ON b.id = w.id`,
    values: [JSON.stringify(judged), historyLoadId],
  })
  return rows[0]!
}

const ONCE_MORE = `
  ON CONFLICT (call_id) DO UPDATE
     SET status = 'QUEUED', priority = excluded.priority, attempts = 0, next_attempt_at = now(), finished_at = NULL, last_error = NULL
   WHERE j.status IN ('DONE', 'FAILED')`

/** Whether no job of a call c is under way, as SQL. */
const HAS_NO_JOB = `NOT EXISTS (SELECT FROM crm_sync_jobs q WHERE q.call_id = c.call_id AND q.status IN ('QUEUED', 'PROCESSING'))`

/** A file that is replaced within this time is loaded again. */
export const REPLACED_WITHIN = `interval '30 days'`

/**
 * Queues the live calls among those rows that there is something to do for: new ones, those whose file has come, and
 * those whose file is another one now. Jobs under way are passed over before they are locked: their end locks the job
 * first and its call after it, the other way round than whoever stores calls and then queues them.
 */
export async function queueCalls(sql: Sql, calls: CallRow[]): Promise<number> {
  const { rowCount } = await sql.query({
    text: `INSERT INTO crm_sync_jobs AS j (call_id)
           SELECT DISTINCT c.call_id FROM crm_calls c
            WHERE c.id = ANY ($1::bigint[])
              AND ${HAS_NO_JOB}
              AND (c.load_state = 'waiting' AND c.history_load_id IS NULL
                OR c.load_state = 'awaiting-file' AND c.file_id IS NOT NULL
                OR c.load_state = 'received' AND c.file_id <> c.loaded_file_id AND c.started_at > now() - ${REPLACED_WITHIN})
           ${ONCE_MORE}`,
    values: [calls.map(({ id }) => id)],
  })
  return rowCount ?? 0
}

/** Queues calls again, such as those whose file has another content now. Jobs under way are passed over, as above. */
export async function queueAgain(sql: Sql, callIds: string[]): Promise<void> {
  if (callIds.length === 0) return
  await sql.query({
    text: `INSERT INTO crm_sync_jobs AS j (call_id)
           SELECT DISTINCT c.call_id FROM unnest($1::text[]) AS c (call_id) WHERE ${HAS_NO_JOB} ORDER BY 1 ${ONCE_MORE}`,
    values: [callIds],
  })
}
