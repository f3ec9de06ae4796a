import type { Sql } from '../../platform/db/sql.ts'
import { FIRST_ID, MANAGERS, PREFIX, type DemoCall } from './company.ts'

/** Bitrix24’s types of calls. */
const TYPES = { OUTBOUND: 1, INBOUND: 2 }

/** What a portal also knows of, and what is not loaded: of every so many calls one such comes before. */
const SKIPPED = [
  { reason: 'unanswered', every: 5, durationSeconds: 0 },
  { reason: 'short', every: 13, durationSeconds: 8 },
  { reason: 'no-recording', every: 41, durationSeconds: 74 },
] as const

/**
 * The portal's own list of the calls, so that there is something to reconcile: those that are here, and others that were not
 * loaded. All of them are settled, so a portal that is connected later is asked for none.
 */
export async function insertPortalCalls(sql: Sql, calls: (DemoCall & { id: string })[]): Promise<void> {
  const users = new Map(MANAGERS.map(({ name, userId }) => [name, userId]))
  const rows = calls.flatMap((call) => {
    const number = Number(call.externalCallId.slice(PREFIX.length))
    const type = TYPES[call.direction]
    const own = { user: users.get(call.manager)!, phone: call.phone, type, failed: '200' }
    const received = { ...own, at: call.at, state: 'received', recordingId: call.id, seconds: call.durationSeconds }
    const others = SKIPPED.filter(({ every }) => number % every === 0).map(({ reason, durationSeconds }, n) => ({
      ...own,
      at: new Date(call.at.getTime() - (n + 1) * 1_200_000),
      state: 'skipped',
      reason,
      seconds: durationSeconds,
      failed: reason === 'unanswered' ? '304' : '200',
    }))
    return [received, ...others].map((row, n) => ({
      ...row,
      id: FIRST_ID + number * (SKIPPED.length + 1) + n,
      callId: n === 0 ? call.externalCallId : `${call.externalCallId}-${n}`,
    }))
  })
  await sql.query({
    text: `INSERT INTO crm_calls (id, call_id, user_id, phone_number, phone, type, duration_seconds, started_at, failed_code,
                                  load_state, skip_reason, recording_id)
           SELECT id, "callId", "user", phone, phone, type, seconds, at, failed, state, reason, "recordingId"
             FROM json_to_recordset($1) AS c (id bigint, "callId" text, "user" text, phone text, type smallint,
                  seconds double precision, at timestamptz, failed text, state text, reason text, "recordingId" uuid)`,
    values: [JSON.stringify(rows)],
  })
}
