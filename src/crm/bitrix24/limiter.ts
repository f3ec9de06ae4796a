import type { Sql } from '../../platform/db/sql.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { checkAllowed, type Purpose } from './guard.ts'
import { PortalError } from './errors.ts'
import { portalMessages } from './messages.ts'
import type { Webhook } from './webhook.ts'

/** From the most urgent to the least; each has one request under way at a time. */
const LANES = ['live', 'write', 'sync', 'history'] as const
export type Lane = (typeof LANES)[number]

/** The portal lets two requests a second through from one address, after 50 at once. */
export const FULL_RATE = 1.9
const BURST = 20
/** A rate that was taken back recovers by so much each minute. */
const RECOVERY = 1.05
const SLOW_DOWN = 0.8
/** Requests a second as they are allowed now, as SQL. */
const RATE = `least(${FULL_RATE}, rate * power(${RECOVERY}, least(1000, extract(epoch FROM now() - rate_at) / 60)))::float8`

/** How long a request may hold its lane: longer than one may last. */
const LANE_LEASE_SECONDS = 100
/** For how long a lane counts as wanted after somebody asked for it. */
const WANTED_SECONDS = 3
/** Closed methods are waited for as long as this; else whoever asks comes again. */
const LONGEST_WAIT_SECONDS = 30

/** What a request falls under: whose limits, and which lane. */
export interface Turn {
  webhook: Webhook
  lane: Lane
  /** The method asked, and those within a batch. */
  methods: string[]
  purpose: Purpose
  signal: AbortSignal
}

/** A lane that is held; whoever holds it gives it back. */
export interface HeldLane extends Turn {
  token: string
}

/**
 * Waits until a request may go: the automation is on, no method of it is closed, its lane is free, nobody more urgent
 * waits, and the rate allows it (GCRA). One row of the database judges for all processes, by its clock.
 * @throws CrmNotOn, PortalError for a method closed for longer, the signal's reason
 */
export async function takeTurn(core: Core, turn: Turn): Promise<HeldLane> {
  const token = randomUUID()
  for (;;) {
    turn.signal.throwIfAborted()
    const waitMs = await transaction(core.db, (sql) => tryTurn(core, sql, turn, token))
    if (waitMs === 0) return { ...turn, token }
    await pause(Math.min(Math.max(waitMs, 20), 1000), undefined, { signal: turn.signal })
  }
}

/** @returns 0 where the request may go, else in how many milliseconds to ask again */
async function tryTurn(core: Core, sql: Sql, turn: Turn, token: string): Promise<number> {
  await checkAllowed(core, sql, turn.webhook, turn.purpose)
  const { host } = turn.webhook
  const closedMs = await closedFor(sql, turn)
  if (closedMs > LONGEST_WAIT_SECONDS * 1000) throw closed(turn, closedMs)
  if (closedMs > 0) return closedMs
  await sql.query({
    text: 'INSERT INTO crm_limiter (host, rate) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    values: [host, FULL_RATE],
  })
  const { rows } = await sql.query<{ rate: number; ahead: number; stopped: number }>({
    text: `SELECT ${RATE} AS rate,
                  extract(epoch FROM free_at - now())::float8 AS ahead,
                  coalesce(extract(epoch FROM stopped_until - now()), 0)::float8 AS stopped
             FROM crm_limiter WHERE host = $1 FOR UPDATE`,
    values: [host],
  })
  const { rate, ahead, stopped } = rows[0]!
  const spacing = 1 / rate
  const burst = turn.lane === 'history' ? 0 : (BURST - 1) * spacing
  const waitMs = Math.ceil(Math.max(stopped, ahead - burst) * 1000)
  const isFree = await wantLane(sql, turn)
  if (waitMs > 0) return waitMs
  if (!isFree) return 100
  await sql.query({
    text: `UPDATE crm_lanes SET token = $3, lease_until = now() + make_interval(secs => ${LANE_LEASE_SECONDS}), wanted_until = NULL
            WHERE host = $1 AND lane = $2`,
    values: [host, turn.lane, token],
  })
  await sql.query({
    text: `UPDATE crm_limiter SET free_at = greatest(free_at, now()) + make_interval(secs => $2) WHERE host = $1`,
    values: [host, spacing],
  })
  return 0
}

/** Says that the lane is wanted. @returns whether it is free and nobody more urgent could go now */
async function wantLane(sql: Sql, { webhook: { host }, lane }: Turn): Promise<boolean> {
  await sql.query({
    text: `INSERT INTO crm_lanes (host, lane, wanted_until) VALUES ($1, $2, now() + make_interval(secs => ${WANTED_SECONDS}))
           ON CONFLICT (host, lane) DO UPDATE SET wanted_until = excluded.wanted_until`,
    values: [host, lane],
  })
  const { rows } = await sql.query<{ lane: Lane; held: boolean; wanted: boolean }>({
    text: `SELECT lane, coalesce(token IS NOT NULL AND lease_until > now(), false) AS held,
                  coalesce(wanted_until > now(), false) AS wanted FROM crm_lanes WHERE host = $1`,
    values: [host],
  })
  const before = LANES.slice(0, LANES.indexOf(lane))
  return !rows.some((row) => (row.lane === lane ? row.held : before.includes(row.lane) && row.wanted && !row.held))
}

/** For how many milliseconds a method of the request is closed; 0 where none is. */
async function closedFor(sql: Sql, { webhook: { host, kind }, methods }: Turn): Promise<number> {
  const { rows } = await sql.query<{ closed: number | null }>({
    text: `SELECT max(extract(epoch FROM paused_until - now()) * 1000)::float8 AS closed FROM crm_method_pauses
            WHERE host = $1 AND webhook = $2 AND method = ANY ($3) AND paused_until > now()`,
    values: [host, kind, methods],
  })
  return Math.ceil(rows[0]?.closed ?? 0)
}

const closed = ({ methods }: Turn, ms: number) =>
  new PortalError({
    code: 'OPERATION_TIME_LIMIT',
    method: methods[0]!,
    words: portalMessages.closed(),
    until: new Date(Date.now() + ms),
  })

/** Gives the lane back. */
export async function endTurn(core: Core, { webhook: { host }, lane, token }: HeldLane): Promise<void> {
  await core.pool.query({
    text: 'UPDATE crm_lanes SET token = NULL, lease_until = NULL WHERE host = $1 AND lane = $2 AND token = $3',
    values: [host, lane, token],
  })
}

/** A pause that is not over: an answer that comes meanwhile was on its way before, and another refusal says nothing new. */
const STANDS = 'crm_method_pauses.paused_until > now()'

/**
 * After an answer: the portal is willing again, and has said in how many seconds it forgets the time it worked on the
 * method. Seconds, because its clock may be another one. A stop is not ended by it: the request was on its way before.
 */
export async function noteAnswer(
  core: Core,
  { webhook: { host, kind } }: Turn,
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
             SET reset_at = excluded.reset_at, paused_until = CASE WHEN ${STANDS} THEN crm_method_pauses.paused_until END,
                 pauses = CASE WHEN ${STANDS} THEN crm_method_pauses.pauses ELSE 0 END
           WHERE crm_method_pauses.reset_at IS DISTINCT FROM excluded.reset_at OR crm_method_pauses.pauses > 0`,
    values: [host, kind, method, resetSeconds ?? null],
  })
}

/** Too many requests: all of them stop, longer each time, and go on more slowly. */
export async function noteTooMany(core: Core, { webhook: { host } }: Turn): Promise<void> {
  await core.pool.query({
    text: `UPDATE crm_limiter
              SET stopped_until = now() + make_interval(secs => least(60, 2 * power(2, stops))), stops = least(stops + 1, 10),
                  rate = ${SLOW_DOWN} * ${RATE}, rate_at = now()
            WHERE host = $1 AND (stopped_until IS NULL OR stopped_until <= now())`,
    values: [host],
  })
}

/** The portal has closed a method: until it forgets the time it worked on it, or for a while that doubles. */
export async function noteClosed(core: Core, { webhook: { host, kind } }: Turn, method: string): Promise<Date> {
  const { rows } = await core.pool.query<{ paused_until: Date }>({
    text: `INSERT INTO crm_method_pauses (host, webhook, method, paused_until, pauses)
           VALUES ($1, $2, $3, now() + interval '60 s', 1)
           ON CONFLICT (host, webhook, method) DO UPDATE
             SET paused_until = CASE WHEN ${STANDS} THEN crm_method_pauses.paused_until
                   WHEN crm_method_pauses.reset_at > now() THEN crm_method_pauses.reset_at + interval '1 s'
                   ELSE now() + make_interval(secs => least(600, 60 * power(2, least(crm_method_pauses.pauses, 5)))) END,
                 pauses = crm_method_pauses.pauses + CASE WHEN ${STANDS} THEN 0 ELSE 1 END
           RETURNING paused_until`,
    values: [host, kind, method],
  })
  return rows[0]!.paused_until
}
