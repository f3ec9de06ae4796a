import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import type { Page, Step, StepRun } from '../../platform/queue/steps.ts'
import { isOn } from '../automation/state.ts'
import { linkLateSubmitted } from '../calls/submitted.ts'
import { normalisePhone } from '../phone.ts'
import { readingAs } from '../bitrix24/client.ts'
import { backgroundStep } from '../steps/background-step.ts'
import { dueCalls, findDeals, storeChoices, type DueCall } from './match.ts'
import { dealMessages } from './messages.ts'
import { askWhereNews } from './news.ts'

const AT_ONCE = 500
/** So many of them, which the portal is asked for with one request: a call that ends meanwhile waits for no more. */
const ASKED_AT_ONCE = 25
const JUST_NOW_MS = 2 * 3600_000

/** Finds the deals of calls: of new ones at once, of those without a deal again where deals or phones are new. */
export const matchesStep: Step = backgroundStep({
  name: 'matches',
  // Below the two seconds of the schedule, so that it is begun each time.
  intervalSeconds: 1,
  // Whoever has just called is waited for, and submitted calls need no portal.
  pauses: { first: 1, longest: 60 },
  notStored: dealMessages.notStored(),
  isReady: isOn,
  pages: match,
})

async function* match(core: Core, run: StepRun): AsyncGenerator<Page<unknown>> {
  yield { cursor: null, commit: (sql) => askAgain(core, sql) }
  for (;;) {
    const due = await dueCalls(core, AT_ONCE)
    if (due.length === 0) return
    const isOfPortal = ({ callId }: DueCall) => callId !== null
    // Those that the portal does not know wait for no answer of it.
    const [others, asked] = [due.filter((call) => !isOfPortal(call)), due.filter(isOfPortal).slice(0, ASKED_AT_ONCE)]
    for (const calls of [others, asked]) if (calls.length > 0) yield await findPage(core, run, calls)
  }
}

async function findPage(core: Core, { signal }: StepRun, found: DueCall[]): Promise<Page<unknown>> {
  const calls = found.map((call) => withPhone(call, core.config.CRM_PHONE_COUNTRIES))
  const asking = readingAs(core, calls.some(isAwaited) ? 'live' : 'sync', signal)
  const choices = await findDeals(core, asking, calls)
  return { cursor: null, commit: (sql) => storeChoices(sql, calls, choices) }
}

/**
 * Drops the portal's client if the phone of the call differs from the portal's. If the call's own phone is not a number, for
 * example "hidden", the portal's phone counts.
 */
function withPhone(call: DueCall, countries: readonly string[]): DueCall {
  const phone = (call.phone === null ? null : normalisePhone(call.phone, countries)) ?? call.portalPhone
  const isOther = phone !== null && call.portalPhone !== null && phone !== call.portalPhone
  return { ...call, phone, ...(isOther && { clientKind: null, clientId: null }) }
}

/** Whoever has just called is waited for: their deal comes before what is read by and by. */
const isAwaited = ({ attempts, startedAt }: DueCall): boolean =>
  attempts === 0 && Date.now() - startedAt.getTime() < JUST_NOW_MS

/**
 * Makes calls due: those submitted by others, those without a deal whose client has news, and those of deals that are missing.
 * Those of the portal become due when their loading is written down: before, their activity is not known.
 */
async function askAgain({ config }: Core, sql: Sql): Promise<void> {
  const { rows } = await sql.query<{ since: Date; now: Date }>({
    text: `SELECT coalesce((position ->> 'since')::timestamptz, '-infinity') AS since, now() - interval '10 s' AS now
             FROM crm_steps WHERE name = 'matches'`,
  })
  const { since, now } = rows[0]!
  // Before a match is touched: whoever stores calls takes the rows in this order.
  await linkLateSubmitted(sql, config, since)
  const behind = await askSubmitted(sql)
  await askWhereNews(sql, since)
  await sql.query({
    text: `UPDATE crm_steps SET position = jsonb_build_object('since', $1::timestamptz, 'behind', $2::uuid) WHERE name = 'matches'`,
    values: [now, behind],
  })
}

/** So many recordings are gone through at once, the oldest first. */
const PASSED_AT_ONCE = 2000

/**
 * Asks for the calls that others have submitted: for new ones at once, and little by little for those that were here before
 * the CRM was. From then on they are found by their phone where a client is news.
 * @returns behind which recording the next ones are
 */
async function askSubmitted(sql: Sql): Promise<string | null> {
  await sql.query({
    text: `INSERT INTO crm_matches (recording_id, state)
           SELECT r.id, 'waiting' FROM recordings r
            WHERE r.created_at > now() - interval '2 days' AND r.phone_number IS NOT NULL AND r.source <> 'crm'
              AND NOT EXISTS (SELECT FROM crm_matches m WHERE m.recording_id = r.id)
            ORDER BY r.created_at LIMIT ${AT_ONCE}
           ON CONFLICT DO NOTHING`,
  })
  const { rows } = await sql.query<{ behind: string | null }>({
    text: `WITH last AS (SELECT (position ->> 'behind')::uuid AS id FROM crm_steps WHERE name = 'matches'),
           passed AS (SELECT r.id, r.phone_number, r.source FROM recordings r
                       WHERE r.id > coalesce((SELECT id FROM last), '00000000-0000-0000-0000-000000000000')
                       ORDER BY r.id LIMIT ${PASSED_AT_ONCE}),
           asked AS (
             INSERT INTO crm_matches AS m (recording_id, state)
             SELECT id, 'waiting' FROM passed p WHERE phone_number IS NOT NULL AND source <> 'crm'
                AND NOT EXISTS (SELECT FROM crm_calls c WHERE c.recording_id = p.id)
             ON CONFLICT (recording_id) DO UPDATE SET due_at = now() WHERE m.phone IS NULL AND m.state IN ('none', 'ambiguous'))
           SELECT coalesce((SELECT id FROM passed ORDER BY id DESC LIMIT 1), (SELECT id FROM last)) AS behind`,
  })
  return rows[0]!.behind
}
