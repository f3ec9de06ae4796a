import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { badRequestError, conflictError, HttpError } from '../../platform/errors.ts'
import { personOf, type Actor } from '../../platform/http/actor.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { parseDayOrTime, parsePeriodEnd } from '../../platform/lib/time.ts'
import { fetchPortalCallPage, type CrmCallRow, type CallTimePeriod } from '../bitrix24/calls.ts'
import { MAX_PORTAL_BATCH_COMMANDS, type PortalAccess } from '../bitrix24/client.ts'
import { CrmAutomationOffError, PortalError } from '../bitrix24/errors.ts'
import { fetchPortalFileInfos } from '../bitrix24/files.ts'
import { MAX_PORTAL_REQUESTS_PER_SECOND } from '../bitrix24/limiter.ts'
import { PORTAL_PAGE_SIZE } from '../bitrix24/rows.ts'
import { parsePortalWebhook } from '../bitrix24/webhook.ts'
import { loadCallEligibilityRules, findCallSkipReason, type CallEligibilityRules } from '../calls/eligibility.ts'
import { historyLoadMessages } from './messages.ts'
import type { HistoryEstimateJson } from './schema.ts'

/** The maximum number of sampled pages, spread over the period. */
const SAMPLE_PAGES = 10

/** Disk space that must remain free after a load. */
const MIN_FREE_BYTES = 15e9

/** The defaults apply if nothing was measured yet. The real-time factor (RTF) is seconds of recognition per second of audio. */
const DEFAULT_RTF = 0.1
const DEFAULT_BYTES_PER_SECOND = 4000

/**
 * Estimates and stores the cost of loading the calls of a period. It samples pages from the portal.
 * @throws HttpError 400, 409 if there is no roster or the automation is off, 502 if the portal fails
 */
export async function estimateHistoryLoad(
  core: Core,
  actor: Actor,
  range: { from: string; to: string },
  signal: AbortSignal,
): Promise<HistoryEstimateJson> {
  const zone = core.config.APP_TIMEZONE
  const period = { from: parseDayOrTime(range.from, zone)!, to: parsePeriodEnd(range.to, zone)! }
  if (period.from >= period.to) throw badRequestError([historyLoadMessages.order().withField('to')])
  const rules = await loadCallEligibilityRules(core.pool)
  if (rules.roster.size === 0) throw conflictError(historyLoadMessages.noRoster())
  const webhook = parsePortalWebhook(core.config, 'read')
  if (!webhook) throw conflictError(historyLoadMessages.notOn())
  try {
    const historySample = await sampleHistory(core, { webhook, lane: 'live', signal }, period, rules)
    return await insertEstimate(core, actor, period, historySample)
  } catch (error) {
    if (error instanceof CrmAutomationOffError) throw conflictError(historyLoadMessages.notOn())
    if (error instanceof PortalError) throw new HttpError(502, error.reason)
    throw error
  }
}

async function sampleHistory(
  core: Core,
  access: PortalAccess,
  period: CallTimePeriod,
  rules: CallEligibilityRules,
): Promise<HistorySample> {
  const startedMs = performance.now()
  const calls: CrmCallRow[] = []
  const fetchPage = async (start: number): Promise<number> => {
    const page = await fetchPortalCallPage(core, access, period, start)
    calls.push(...page.calls)
    return page.total ?? 0
  }
  const total = await fetchPage(0)
  const pages = Math.max(1, Math.min(SAMPLE_PAGES, Math.ceil(total / PORTAL_PAGE_SIZE)))
  for (let n = 1; n < pages; n++) await fetchPage(Math.floor((n * total) / pages / PORTAL_PAGE_SIZE) * PORTAL_PAGE_SIZE)
  const pageSeconds = (performance.now() - startedMs) / 1000 / pages
  const storedCallIds = await listStoredCallIds(core, calls)
  const eligible = calls.filter((call) => findCallSkipReason(call, rules, true) === undefined && call.file_id !== null)
  const newCalls = eligible.filter(({ call_id: callId }) => !storedCallIds.has(callId))
  const seconds = mean(newCalls.map((call) => call.duration_seconds))
  return {
    total,
    share: calls.length === 0 ? 0 : newCalls.length / calls.length,
    shareHere: calls.length === 0 ? 0 : (eligible.length - newCalls.length) / calls.length,
    seconds,
    bytesPerSecond: await fetchBytesPerSecond(core, access, newCalls),
    pauseSeconds: core.config.CRM_EXPORT_PAUSE_SECONDS,
    pageSeconds,
    rate: MAX_PORTAL_REQUESTS_PER_SECOND,
    ...(await recognition(core)),
  }
}

const mean = (numbers: number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((a, b) => a + b, 0) / numbers.length

async function listStoredCallIds(core: Core, calls: CrmCallRow[]): Promise<Set<string>> {
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT external_call_id AS id FROM recordings WHERE external_call_id = ANY ($1)
           UNION SELECT call_id FROM crm_calls WHERE call_id = ANY ($1) AND recording_id IS NOT NULL`,
    values: [calls.map(({ call_id: callId }) => callId)],
  })
  return new Set(rows.map(({ id }) => id))
}

/** Computes the file bytes per second of audio from up to 50 sampled files, with one request. */
async function fetchBytesPerSecond(core: Core, access: PortalAccess, calls: CrmCallRow[]): Promise<number> {
  const step = Math.max(1, Math.floor(calls.length / MAX_PORTAL_BATCH_COMMANDS))
  const measured = calls.filter((_, n) => n % step === 0).slice(0, MAX_PORTAL_BATCH_COMMANDS)
  if (measured.length === 0) return DEFAULT_BYTES_PER_SECOND
  const fileIds = measured.map(({ file_id: id }) => id!)
  const files = await fetchPortalFileInfos(core, access, fileIds)
  let [bytes, seconds] = [0, 0]
  measured.forEach((call, n) => {
    if (!files[n]) return
    bytes += files[n].size
    seconds += call.duration_seconds
  })
  return seconds === 0 ? DEFAULT_BYTES_PER_SECOND : bytes / seconds
}

/** Computes the real-time factor of the last 50 transcriptions, and the seconds of audio of queued and running calls. */
async function recognition(core: Core): Promise<Pick<HistorySample, 'rtf' | 'slots' | 'waitingSeconds'>> {
  const { rows } = await core.pool.query<{ rtf: number | null; waiting: number }>({
    text: `SELECT (SELECT sum(extract(epoch FROM finished_at - started_at)) / nullif(sum(duration_seconds), 0)
                     FROM (SELECT * FROM recordings WHERE status = 'DONE' AND started_at < finished_at
                            ORDER BY finished_at DESC LIMIT 50) r)::float8 AS rtf,
                  (SELECT coalesce(sum(coalesce(duration_seconds, size_bytes / ${DEFAULT_BYTES_PER_SECOND}.0)), 0)
                     FROM recordings WHERE status IN ('QUEUED', 'PROCESSING'))::float8 AS waiting`,
  })
  const { rtf, waiting } = rows[0]!
  return { rtf: rtf ?? DEFAULT_RTF, slots: core.config.TRANSCRIPTION_CONCURRENCY, waitingSeconds: waiting }
}

async function insertEstimate(
  core: Core,
  actor: Actor,
  period: CallTimePeriod,
  historySample: HistorySample,
): Promise<HistoryEstimateJson> {
  const figures = calculateHistoryEstimate(historySample)
  const freeBytes = await core.storage.freeBytes()
  const fits = freeBytes === null || freeBytes - figures.diskBytes >= MIN_FREE_BYTES
  const reasons = fits ? [] : ['After the load less than 15 GB of the disk would be free']
  const estimateId = generateId()
  return runInTransaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ expires: Date }>({
      text: `INSERT INTO crm_history_estimates (id, from_at, to_at, figures, allowed, person_id, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, now() + interval '24 hours') RETURNING expires_at AS expires`,
      values: [estimateId, period.from, period.to, JSON.stringify(figures), fits, personOf(actor).id],
    })
    const details = { after: { from: period.from, to: period.to, calls: figures.calls, allowed: fits } }
    await recordAuditChange(sql, actor, { action: 'crm.estimate', details })
    const expiresAt = rows[0]!.expires.toISOString()
    return { id: estimateId, ...figures, freeBytes, allowed: fits, reasons, expiresAt }
  })
}

interface HistorySample {
  /** The number of calls of the period in the portal. */
  total: number
  /** The share of sampled calls that a load would store: eligible, with a recording, and not stored yet. */
  share: number
  /** The share of sampled calls that are eligible and already stored. */
  shareHere: number
  /** The mean duration of the calls to load. */
  seconds: number
  bytesPerSecond: number
  /** The pause between two pages. */
  pauseSeconds: number
  pageSeconds: number
  /** The maximum number of requests per second. */
  rate: number
  /** Seconds of recognition per second of audio, in one slot. */
  rtf: number
  slots: number
  /** Seconds of audio of queued and running calls. */
  waitingSeconds: number
}

/** Factors for the lower and upper end of estimated durations. */
const [LOW_FACTOR, HIGH_FACTOR] = [0.8, 1.25]

/**
 * Calculates the cost of a history load from a sample. Each call needs two requests: its file description and its file.
 * @returns numbers of calls, durations in seconds as a range, `hours` of audio, and disk space in bytes
 */
export function calculateHistoryEstimate(sample: HistorySample) {
  const calls = sample.total * sample.share
  const seconds = calls * sample.seconds
  const load =
    (sample.total / PORTAL_PAGE_SIZE) * (sample.pauseSeconds + sample.pageSeconds) + (2 * calls) / sample.rate
  const recognition = ((sample.waitingSeconds + seconds) * sample.rtf) / sample.slots
  return {
    calls: Math.round(calls),
    alreadyHere: Math.round(sample.total * sample.shareHere),
    hours: Math.round(seconds / 36) / 100,
    diskBytes: Math.round(seconds * sample.bytesPerSecond),
    loadSeconds: rangeOf(load),
    recognitionSeconds: rangeOf(recognition),
  }
}

const rangeOf = (seconds: number) => ({
  low: Math.round(seconds * LOW_FACTOR),
  high: Math.round(seconds * HIGH_FACTOR),
})
