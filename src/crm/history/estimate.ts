import { recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../app/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { badRequest, conflict, HttpError } from '../../platform/errors.ts'
import { personOf, type Actor } from '../../platform/http/access.ts'
import { newId } from '../../platform/lib/ids.ts'
import { parseDayOrTime, parseEnd } from '../../platform/lib/time.ts'
import { asObject, BATCH, callBatch, callPortal, type Asking, type Command } from '../bitrix24/client.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import { FULL_RATE } from '../bitrix24/limiter.ts'
import { portalMessages } from '../bitrix24/messages.ts'
import { PAGE, rejectStrangers, rowsOfPage, type Row, type Rows } from '../bitrix24/rows.ts'
import { webhookOf } from '../bitrix24/webhook.ts'
import { readRules, skipReason, type Rules } from '../calls/eligible.ts'
import { sizeOf } from '../bitrix24/files.ts'
import { BY_ID, STATISTICS } from '../bitrix24/calls.ts'
import { parseCalls, type CallRow } from '../calls/rows.ts'
import type { ParsedRows } from '../bitrix24/fields.ts'
import { filterTime, timeOf } from '../bitrix24/values.ts'
import { figuresOf, type Sampled } from './figures.ts'
import { historyMessages } from './messages.ts'
import type { EstimateJson } from './schema.ts'

/** So many pages across the period are looked at. */
const SAMPLED_PAGES = 10

/** So much of the disk must stay free. */
const KEPT_FREE_BYTES = 15e9

/** While nothing was measured. */
const USUAL_RTF = 0.1
const USUAL_BYTES_PER_SECOND = 4000

export interface Period {
  from: Date
  to: Date
}

/** Filters the calls of a period, of all users, because the reconciliation also counts users outside the roster. */
export const filterOf = ({ from, to }: Period) => ({
  '>=CALL_START_DATE': filterTime(from),
  '<CALL_START_DATE': filterTime(to),
})

/** How far a portal may take a time that stands in a filter otherwise, because of its zone. */
const ZONES_MS = 24 * 3600_000

/** The calls of an answer. @throws PortalError where the portal has not taken the filter: it would give everything */
export function askedFor(core: Core, { from, to }: Period, page: Pick<Rows, 'rows' | 'rejected'>): ParsedRows<CallRow> {
  const isStranger = ({ CALL_START_DATE: date }: Row) => {
    const at = timeOf(date)
    return at !== null && (+at < +from - ZONES_MS || +at >= +to + ZONES_MS)
  }
  const refusal = { method: STATISTICS, words: portalMessages.otherCalls() }
  const { rows, rejected } = rejectStrangers(page, isStranger, refusal)
  const parsed = parseCalls(core, rows, rejected)
  return { ...parsed, values: parsed.values.filter(({ started_at: at }) => at >= from && at < to) }
}

/** Estimates what loading the calls of a period would take. @throws HttpError 400, 409, 502 */
export async function estimate(
  core: Core,
  actor: Actor,
  given: { from: string; to: string },
  signal: AbortSignal,
): Promise<EstimateJson> {
  const zone = core.config.APP_TIMEZONE
  const period = { from: parseDayOrTime(given.from, zone)!, to: parseEnd(given.to, zone)! }
  if (period.from >= period.to) throw badRequest([historyMessages.order().about('to')])
  const rules = await readRules(core.pool)
  if (rules.roster.size === 0) throw conflict(historyMessages.noRoster())
  const webhook = webhookOf(core.config, 'read')
  if (!webhook) throw conflict(historyMessages.notOn())
  try {
    const sampled = await sample(core, { webhook, lane: 'live', signal }, period, rules)
    return await keepEstimate(core, actor, period, sampled)
  } catch (error) {
    if (error instanceof CrmNotOn) throw conflict(historyMessages.notOn())
    if (error instanceof PortalError) throw new HttpError(502, error.reason)
    throw error
  }
}

async function sample(core: Core, asking: Asking, period: Period, rules: Rules): Promise<Sampled> {
  const began = performance.now()
  const calls: CallRow[] = []
  const read = async (start: number): Promise<number> => {
    const answer = await callPortal(core, asking, STATISTICS, { FILTER: filterOf(period), ...BY_ID, start })
    calls.push(...askedFor(core, period, { rows: rowsOfPage(STATISTICS, answer.result), rejected: [] }).values)
    return answer.total ?? 0
  }
  const total = await read(0)
  const pages = Math.max(1, Math.min(SAMPLED_PAGES, Math.ceil(total / PAGE)))
  for (let n = 1; n < pages; n++) await read(Math.floor((n * total) / pages / PAGE) * PAGE)
  const pageSeconds = (performance.now() - began) / 1000 / pages
  const here = await callsHere(core, calls)
  const wanted = calls.filter((call) => skipReason(call, rules, true) === undefined && call.file_id !== null)
  const fresh = wanted.filter(({ call_id: callId }) => !here.has(callId))
  const seconds = mean(fresh.map((call) => call.duration_seconds))
  return {
    total,
    share: calls.length === 0 ? 0 : fresh.length / calls.length,
    shareHere: calls.length === 0 ? 0 : (wanted.length - fresh.length) / calls.length,
    seconds,
    bytesPerSecond: await bytesPerSecond(core, asking, fresh),
    pauseSeconds: core.config.CRM_EXPORT_PAUSE_SECONDS,
    pageSeconds,
    rate: FULL_RATE,
    ...(await recognition(core)),
  }
}

const mean = (numbers: number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((a, b) => a + b, 0) / numbers.length

async function callsHere(core: Core, calls: CallRow[]): Promise<Set<string>> {
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT external_call_id AS id FROM recordings WHERE external_call_id = ANY ($1)
           UNION SELECT call_id FROM crm_calls WHERE call_id = ANY ($1) AND recording_id IS NOT NULL`,
    values: [calls.map(({ call_id: callId }) => callId)],
  })
  return new Set(rows.map(({ id }) => id))
}

/** By the files of some of them, asked for with one request. */
async function bytesPerSecond(core: Core, asking: Asking, calls: CallRow[]): Promise<number> {
  const step = Math.max(1, Math.floor(calls.length / BATCH))
  const some = calls.filter((_, n) => n % step === 0).slice(0, BATCH)
  if (some.length === 0) return USUAL_BYTES_PER_SECOND
  const commands: Record<string, Command> = Object.fromEntries(
    some.map(({ file_id: id }, n) => [`f${n}`, { method: 'disk.file.get', params: { id } }]),
  )
  const answers = await callBatch(core, asking, commands)
  let [bytes, seconds] = [0, 0]
  some.forEach((call, n) => {
    const answer = answers[`f${n}`]!
    const size = answer instanceof PortalError ? null : sizeOf(asObject(answer.result).SIZE)
    if (size === null) return
    bytes += size
    seconds += call.duration_seconds
  })
  return seconds === 0 ? USUAL_BYTES_PER_SECOND : bytes / seconds
}

/** How fast calls are transcribed, by the last of them, and what waits. */
async function recognition(core: Core): Promise<Pick<Sampled, 'rtf' | 'slots' | 'waitingSeconds'>> {
  const { rows } = await core.pool.query<{ rtf: number | null; waiting: number }>({
    text: `SELECT (SELECT sum(extract(epoch FROM finished_at - started_at)) / nullif(sum(duration_seconds), 0)
                     FROM (SELECT * FROM recordings WHERE status = 'DONE' AND started_at < finished_at
                            ORDER BY finished_at DESC LIMIT 50) r)::float8 AS rtf,
                  (SELECT coalesce(sum(coalesce(duration_seconds, size_bytes / ${USUAL_BYTES_PER_SECOND}.0)), 0)
                     FROM recordings WHERE status IN ('QUEUED', 'PROCESSING'))::float8 AS waiting`,
  })
  const { rtf, waiting } = rows[0]!
  return { rtf: rtf ?? USUAL_RTF, slots: core.config.TRANSCRIPTION_CONCURRENCY, waitingSeconds: waiting }
}

async function keepEstimate(core: Core, actor: Actor, period: Period, sampled: Sampled): Promise<EstimateJson> {
  const figures = figuresOf(sampled)
  const freeBytes = await core.storage.freeBytes()
  const fits = freeBytes === null || freeBytes - figures.diskBytes >= KEPT_FREE_BYTES
  const reasons = fits ? [] : ['After the load less than 15 GB of the disk would be free']
  const estimateId = newId()
  return transaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ expires: Date }>({
      text: `INSERT INTO crm_history_estimates (id, from_at, to_at, figures, allowed, person_id, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, now() + interval '24 hours') RETURNING expires_at AS expires`,
      values: [estimateId, period.from, period.to, JSON.stringify(figures), fits, personOf(actor).id],
    })
    const details = { after: { from: period.from, to: period.to, calls: figures.calls, allowed: fits } }
    await recordChange(sql, actor, { action: 'crm.estimate', details })
    const expiresAt = rows[0]!.expires.toISOString()
    return { id: estimateId, ...figures, freeBytes, allowed: fits, reasons, expiresAt }
  })
}
