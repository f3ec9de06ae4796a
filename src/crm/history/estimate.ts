import { recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { badRequest, conflict, HttpError } from '../../platform/errors.ts'
import { personOf, type Actor } from '../../platform/http/actor.ts'
import { newId } from '../../platform/lib/ids.ts'
import { parseDayOrTime, parseEnd } from '../../platform/lib/time.ts'
import { sampleCalls, type CallRow, type Period } from '../bitrix24/calls.ts'
import { BATCH, type Asking } from '../bitrix24/client.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import { findFiles } from '../bitrix24/files.ts'
import { FULL_RATE } from '../bitrix24/limiter.ts'
import { PAGE } from '../bitrix24/rows.ts'
import { webhookOf } from '../bitrix24/webhook.ts'
import { loadRules, skipReason, type Rules } from '../calls/eligible.ts'
import { historyMessages } from './messages.ts'
import type { EstimateJson } from './schema.ts'

/** Pages of the sample, spread over the period. */
const SAMPLED_PAGES = 10

/** Disk space that a load must leave free. */
const KEPT_FREE_BYTES = 15e9

/** Defaults before the first measurement. */
const USUAL_RTF = 0.1
const USUAL_BYTES_PER_SECOND = 4000

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
  const rules = await loadRules(core.pool)
  if (rules.roster.size === 0) throw conflict(historyMessages.noRoster())
  const webhook = webhookOf(core.config, 'read')
  if (!webhook) throw conflict(historyMessages.notOn())
  try {
    const sampled = await sample(core, { webhook, lane: 'live', signal }, period, rules)
    return await insertEstimate(core, actor, period, sampled)
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
    const page = await sampleCalls(core, asking, period, start)
    calls.push(...page.calls)
    return page.total ?? 0
  }
  const total = await read(0)
  const pages = Math.max(1, Math.min(SAMPLED_PAGES, Math.ceil(total / PAGE)))
  for (let n = 1; n < pages; n++) await read(Math.floor((n * total) / pages / PAGE) * PAGE)
  const pageSeconds = (performance.now() - began) / 1000 / pages
  const here = await findCallsHere(core, calls)
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

async function findCallsHere(core: Core, calls: CallRow[]): Promise<Set<string>> {
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT external_call_id AS id FROM recordings WHERE external_call_id = ANY ($1)
           UNION SELECT call_id FROM crm_calls WHERE call_id = ANY ($1) AND recording_id IS NOT NULL`,
    values: [calls.map(({ call_id: callId }) => callId)],
  })
  return new Set(rows.map(({ id }) => id))
}

/** Measures the files of some calls, described with one request. */
async function bytesPerSecond(core: Core, asking: Asking, calls: CallRow[]): Promise<number> {
  const step = Math.max(1, Math.floor(calls.length / BATCH))
  const some = calls.filter((_, n) => n % step === 0).slice(0, BATCH)
  if (some.length === 0) return USUAL_BYTES_PER_SECOND
  const fileIds = some.map(({ file_id: id }) => id!)
  const files = await findFiles(core, asking, fileIds)
  let [bytes, seconds] = [0, 0]
  some.forEach((call, n) => {
    if (!files[n]) return
    bytes += files[n].size
    seconds += call.duration_seconds
  })
  return seconds === 0 ? USUAL_BYTES_PER_SECOND : bytes / seconds
}

/** Measures the speed of the last transcriptions, and what is queued. */
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

async function insertEstimate(core: Core, actor: Actor, period: Period, sampled: Sampled): Promise<EstimateJson> {
  const figures = estimateFigures(sampled)
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

interface Sampled {
  /** Calls of the period, as the portal counts them. */
  total: number
  /** The share of the sample to load: with a recording, and not stored yet. */
  share: number
  /** The share that is stored already. */
  shareHere: number
  /** The mean length of calls to load. */
  seconds: number
  bytesPerSecond: number
  /** Between pages, and of one page. */
  pauseSeconds: number
  pageSeconds: number
  /** The portal's limit of requests per second. */
  rate: number
  /** Seconds of recognition for a second of audio, in one slot. */
  rtf: number
  slots: number
  /** Seconds of queued audio. */
  waitingSeconds: number
}

/** Range around figures that come from a sample. */
const [LOW, HIGH] = [0.8, 1.25]

/** Estimates a history load. Each call costs two requests: the address of its file, and the file. */
export function estimateFigures(s: Sampled) {
  const calls = s.total * s.share
  const seconds = calls * s.seconds
  const load = (s.total / PAGE) * (s.pauseSeconds + s.pageSeconds) + (2 * calls) / s.rate
  const recognition = ((s.waitingSeconds + seconds) * s.rtf) / s.slots
  return {
    calls: Math.round(calls),
    alreadyHere: Math.round(s.total * s.shareHere),
    hours: Math.round(seconds / 36) / 100,
    diskBytes: Math.round(seconds * s.bytesPerSecond),
    loadSeconds: rangeOf(load),
    recognitionSeconds: rangeOf(recognition),
  }
}

const rangeOf = (seconds: number) => ({ low: Math.round(seconds * LOW), high: Math.round(seconds * HIGH) })
