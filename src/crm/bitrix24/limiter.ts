import { toBilingualCode } from '../../platform/lib/messages.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { loadCrmAutomation } from '../automation/state.ts'
import { CrmAutomationOffError, PortalError } from './errors.ts'
import { portalMessages, AUTOMATION_STATE_NAMES_RU } from './messages.ts'
import { parsePortalWebhookHost, type PortalWebhook } from './webhook.ts'

/** The lanes of requests, most urgent first. Each lane of a portal has at most one running request. */
const LANES = ['live', 'write', 'sync', 'history'] as const
export type PortalLane = (typeof LANES)[number]

/** The portal allows two requests per second from one address, after a burst of 50. We stay below both limits. */
export const MAX_PORTAL_REQUESTS_PER_SECOND = 1.9
const MAX_BURST_REQUESTS = 20
/** A reduced rate recovers by this factor each minute. */
const RECOVERY_FACTOR_PER_MINUTE = 1.05
const SLOWDOWN_FACTOR = 0.8
/** The current limit in requests per second. */
const CURRENT_RATE_SQL = `least(${MAX_PORTAL_REQUESTS_PER_SECOND}, rate * power(${RECOVERY_FACTOR_PER_MINUTE}, least(1000, extract(epoch FROM now() - rate_at) / 60)))::float8`

/** How long a request can occupy its lane. It is longer than any request lasts. */
const LANE_LEASE_SECONDS = 100
/** How long a waiting request keeps less urgent lanes waiting, after its last attempt. */
const LANE_WANTED_SECONDS = 3
/** If a method stays closed for longer, the request fails at once, and the caller must retry later. */
const MAX_METHOD_WAIT_SECONDS = 30

/** The webhook, urgency and abort signal of requests to the portal. */
export interface PortalAccess {
  webhook: PortalWebhook
  lane: PortalLane
  /** `check` can send requests in every state of the automation. `work`, the default, only while it is on. */
  purpose?: 'work' | 'check'
  signal: AbortSignal
}

interface PermitRequest extends PortalAccess {
  /** The method, and the methods within a batch. */
  methods: string[]
}

/** Permission to send one request. It occupies the lane until releasePortalPermit(). */
interface Permit {
  host: string
  lane: PortalLane
  token: string
}

/**
 * Waits until the methods are open, the lane is free, no request in a more urgent lane waits, and the rate allows a request
 * (GCRA). A locked row of the database and the database clock decide for all processes.
 * @throws CrmAutomationOffError, PortalError if a method stays closed for over 30 s, the reason of the signal
 */
export async function acquirePortalPermit(core: Core, request: PermitRequest): Promise<Permit> {
  const { webhook, lane, signal } = request
  const permit = { host: webhook.host, lane, token: randomUUID() }
  for (;;) {
    signal.throwIfAborted()
    const waitMs = await runInTransaction(core.db, (sql) => tryAcquirePermit(core, sql, request, permit))
    if (waitMs === 0) return permit
    await pause(Math.min(Math.max(waitMs, 20), 1000), undefined, { signal })
  }
}

/** @returns 0 if the permit was granted, else the milliseconds until the next attempt */
async function tryAcquirePermit(core: Core, sql: Sql, request: PermitRequest, { host, lane, token }: Permit) {
  await assertRequestAllowed(core, sql, request)
  const closedMs = await loadClosedMs(sql, request)
  if (closedMs > MAX_METHOD_WAIT_SECONDS * 1000) {
    const [method] = request.methods
    const until = new Date(Date.now() + closedMs)
    throw new PortalError({ code: 'OPERATION_TIME_LIMIT', method: method!, words: portalMessages.closed(), until })
  }
  if (closedMs > 0) return closedMs
  await sql.query({
    text: 'INSERT INTO crm_limiter (host, rate) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    values: [host, MAX_PORTAL_REQUESTS_PER_SECOND],
  })
  const { rows } = await sql.query<{ rate: number; ahead: number; stopped: number }>({
    text: `SELECT ${CURRENT_RATE_SQL} AS rate,
                  extract(epoch FROM free_at - now())::float8 AS ahead,
                  coalesce(extract(epoch FROM stopped_until - now()), 0)::float8 AS stopped
             FROM crm_limiter WHERE host = $1 FOR UPDATE`,
    values: [host],
  })
  const { rate, ahead, stopped } = rows[0]!
  const spacing = 1 / rate
  const burst = lane === 'history' ? 0 : (MAX_BURST_REQUESTS - 1) * spacing
  const waitMs = Math.ceil(Math.max(stopped, ahead - burst) * 1000)
  const isFree = await reserveLane(sql, host, lane)
  if (waitMs > 0) return waitMs
  if (!isFree) return 100
  await sql.query({
    text: `UPDATE crm_lanes SET token = $3, lease_until = now() + make_interval(secs => ${LANE_LEASE_SECONDS}), wanted_until = NULL
            WHERE host = $1 AND lane = $2`,
    values: [host, lane, token],
  })
  await sql.query({
    text: `UPDATE crm_limiter SET free_at = greatest(free_at, now()) + make_interval(secs => $2) WHERE host = $1`,
    values: [host, spacing],
  })
  return 0
}

/**
 * Rejects requests while the automation is not on, requests to another portal, and writes while comments are off. Always
 * allows requests with the purpose `check`.
 * @throws CrmAutomationOffError
 */
async function assertRequestAllowed(core: Core, sql: Sql, { webhook, purpose }: PortalAccess): Promise<void> {
  if (purpose === 'check') return
  const { state, host, writingOn } = await loadCrmAutomation(sql)
  if (state !== 'on')
    throw new CrmAutomationOffError(portalMessages.notOn({ state: toBilingualCode(state, AUTOMATION_STATE_NAMES_RU) }))
  if (host !== parsePortalWebhookHost(core.config, 'read') || webhook.host !== host)
    throw new CrmAutomationOffError(portalMessages.otherPortal())
  if (webhook.kind === 'write' && !writingOn) throw new CrmAutomationOffError(portalMessages.mayNotWrite())
}

/** Marks a lane as wanted. @returns true if the lane is free, and no more urgent lane is both free and wanted */
async function reserveLane(sql: Sql, host: string, lane: PortalLane): Promise<boolean> {
  await sql.query({
    text: `INSERT INTO crm_lanes (host, lane, wanted_until) VALUES ($1, $2, now() + make_interval(secs => ${LANE_WANTED_SECONDS}))
           ON CONFLICT (host, lane) DO UPDATE SET wanted_until = excluded.wanted_until`,
    values: [host, lane],
  })
  const { rows } = await sql.query<{ lane: PortalLane; held: boolean; wanted: boolean }>({
    text: `SELECT lane, coalesce(token IS NOT NULL AND lease_until > now(), false) AS held,
                  coalesce(wanted_until > now(), false) AS wanted FROM crm_lanes WHERE host = $1`,
    values: [host],
  })
  const moreUrgent = LANES.slice(0, LANES.indexOf(lane))
  return !rows.some((row) => (row.lane === lane ? row.held : moreUrgent.includes(row.lane) && row.wanted && !row.held))
}

/** Returns the milliseconds until all methods of the request are open; 0 if they are open. */
async function loadClosedMs(sql: Sql, { webhook: { host, kind }, methods }: PermitRequest): Promise<number> {
  const { rows } = await sql.query<{ closed: number | null }>({
    text: `SELECT max(extract(epoch FROM paused_until - now()) * 1000)::float8 AS closed FROM crm_method_pauses
            WHERE host = $1 AND webhook = $2 AND method = ANY ($3) AND paused_until > now()`,
    values: [host, kind, methods],
  })
  return Math.ceil(rows[0]?.closed ?? 0)
}

/** Frees the lane of a permit for the next request. */
export async function releasePortalPermit(core: Core, { host, lane, token }: Permit): Promise<void> {
  await core.pool.query({
    text: 'UPDATE crm_lanes SET token = NULL, lease_until = NULL WHERE host = $1 AND lane = $2 AND token = $3',
    values: [host, lane, token],
  })
}

/**
 * True during a pause of a method. Responses that arrive meanwhile do not change the pause: their requests were sent before
 * it.
 */
const IS_METHOD_PAUSED_SQL = 'crm_method_pauses.paused_until > now()'

/**
 * Records a successful response, which ends expired pauses. A running pause continues: the request was sent before it.
 * @param resetSeconds until the portal resets the operating time of the method; a duration, because the clocks can differ
 */
export async function recordPortalResponse(
  core: Core,
  { host, kind }: PortalWebhook,
  method: string,
  resetSeconds: number | undefined,
): Promise<void> {
  await core.pool.query({
    text: `UPDATE crm_limiter SET stops = 0, stopped_until = NULL
            WHERE host = $1 AND stops > 0 AND coalesce(stopped_until <= now(), true)`,
    values: [host],
  })
  await core.pool.query({
    text: `INSERT INTO crm_method_pauses (host, webhook, method, reset_at) VALUES ($1, $2, $3, now() + make_interval(secs => $4))
           ON CONFLICT (host, webhook, method) DO UPDATE
             SET reset_at = excluded.reset_at, paused_until = CASE WHEN ${IS_METHOD_PAUSED_SQL} THEN crm_method_pauses.paused_until END,
                 pauses = CASE WHEN ${IS_METHOD_PAUSED_SQL} THEN crm_method_pauses.pauses ELSE 0 END
           WHERE crm_method_pauses.reset_at IS DISTINCT FROM excluded.reset_at OR crm_method_pauses.pauses > 0`,
    values: [host, kind, method, resetSeconds ?? null],
  })
}

/** Pauses all requests to a portal after "too many requests", longer each time up to a minute, and reduces the rate. */
export async function recordPortalTooManyRequests(core: Core, { host }: PortalWebhook): Promise<void> {
  await core.pool.query({
    text: `UPDATE crm_limiter
              SET stopped_until = now() + make_interval(secs => least(60, 2 * power(2, stops))), stops = least(stops + 1, 10),
                  rate = ${SLOWDOWN_FACTOR} * ${CURRENT_RATE_SQL}, rate_at = now()
            WHERE host = $1 AND (stopped_until IS NULL OR stopped_until <= now())`,
    values: [host],
  })
}

/**
 * Records that the portal closed a method. The method stays closed until its reset time, or else for a minute, doubled each
 * time up to ten minutes. @returns when the method opens again
 */
export async function recordPortalMethodClosed(
  core: Core,
  { host, kind }: PortalWebhook,
  method: string,
): Promise<Date> {
  const { rows } = await core.pool.query<{ paused_until: Date }>({
    text: `INSERT INTO crm_method_pauses (host, webhook, method, paused_until, pauses)
           VALUES ($1, $2, $3, now() + interval '60 s', 1)
           ON CONFLICT (host, webhook, method) DO UPDATE
             SET paused_until = CASE WHEN ${IS_METHOD_PAUSED_SQL} THEN crm_method_pauses.paused_until
                   WHEN crm_method_pauses.reset_at > now() THEN crm_method_pauses.reset_at + interval '1 s'
                   ELSE now() + make_interval(secs => least(600, 60 * power(2, least(crm_method_pauses.pauses, 5)))) END,
                 pauses = crm_method_pauses.pauses + CASE WHEN ${IS_METHOD_PAUSED_SQL} THEN 0 ELSE 1 END
           RETURNING paused_until`,
    values: [host, kind, method],
  })
  return rows[0]!.paused_until
}
