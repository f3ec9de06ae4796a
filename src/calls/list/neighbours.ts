import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { notFound } from '../../platform/errors.ts'
import { Parameters, type Where } from '../../platform/lib/where.ts'
import { visibleRecording } from '../../people/managers/visibility.ts'
import { countStatement } from './counts.ts'
import type { Filters } from './filters.ts'
import type { PageOf } from './listing.ts'
import type { NeighboursJson } from './neighbours-schema.ts'
import { select } from './select.ts'
import { rowsOf, type Range, type Selection } from './selection.ts'
import { recordingMessages } from '../recordings/messages.ts'

/** Where a recording stands in the order of calls: its time as Postgres has it, and in whole milliseconds. */
interface Position {
  id: string
  at: string
  ms: number
}

/**
 * Where a recording stands in the list that the filters choose of what the actor may see. Nothing of the list is read
 * but the two beside it; how many stand before it is counted as the list counts its total.
 * @throws HttpError 404
 */
export async function readNeighbours(
  core: Core,
  actor: Actor,
  id: string,
  query: Filters & Partial<Pick<PageOf, 'order'>>,
): Promise<NeighboursJson> {
  const sql = core.pool
  const position = await findPosition(sql, actor, id)
  const selection = await select(core, sql, actor, query, { transcripts: false })
  const { order = 'best' } = query
  if (order === 'best' && selection.found) return amongFound(selection.found, position.id)
  return amongCalls(sql, selection, position, order === 'asc' ? 'asc' : 'desc')
}

async function findPosition(sql: Sql, actor: Actor, id: string): Promise<Position> {
  const p = new Parameters()
  const { rows } = await sql.query<Position>({
    text: `SELECT r.id, r.call_at::text AS at, floor(extract(epoch FROM r.call_at) * 1000)::float8 AS ms
             FROM recordings r WHERE ${p.and(visibleRecording(actor, id))}`,
    values: p.values,
  })
  if (!rows[0]) throw notFound(recordingMessages.noRecording())
  return rows[0]
}

/** In the order in which a search found them; a recording that it did not find has no neighbours. */
function amongFound(found: string[], id: string): NeighboursJson {
  const at = found.indexOf(id)
  const neighbour = (index: number) => (at < 0 ? null : (found[index] ?? null))
  return {
    position: at < 0 ? null : at + 1,
    total: found.length,
    previous: neighbour(at - 1),
    next: neighbour(at + 1),
  }
}

/** In the order of calls, in one statement, so of one moment. */
async function amongCalls(
  sql: Sql,
  selection: Selection,
  { id, at, ms }: Position,
  order: 'asc' | 'desc',
): Promise<NeighboursJson> {
  const p = new Parameters()
  const than = (way: '<' | '>'): Where => [
    { sql: `(r.call_at, r.id) ${way} (?::timestamptz, ?::uuid)`, values: [at, id] },
  ]
  const earlier = { beyond: than('<'), by: 'r.call_at DESC, r.id DESC', whole: { to: ms } }
  const later = { beyond: than('>'), by: 'r.call_at, r.id', whole: { from: ms + 1 } }
  const [before, after] = order === 'asc' ? [earlier, later] : [later, earlier]
  const rows = rowsOf(selection)
  const nearest = ({ beyond, by }: typeof before) =>
    `(SELECT r.id FROM recordings r WHERE ${p.and([...rows, ...beyond])} ORDER BY ${by} LIMIT 1)`
  const { rows: positions } = await sql.query<{ here: boolean; before: number } & Omit<NeighboursJson, 'position'>>({
    text: `
      SELECT EXISTS (SELECT FROM recordings r WHERE ${p.and([...rows, { sql: 'r.id = ?', values: [id] }])}) AS here,
             (${countStatement(p, selection)}) AS total,
             (${countBefore(p, selection, before, ms)}) AS before,
             ${nearest(before)} AS previous, ${nearest(after)} AS next`,
    values: p.values,
  })
  const { here, before: ahead, total, previous, next } = positions[0]!
  return { position: here ? ahead + 1 : null, total, previous, next }
}

/** What lies in other milliseconds is counted as every range of time, by the counters where they can tell. */
function countBefore(
  p: Parameters,
  selection: Selection,
  { beyond, whole }: { beyond: Where; whole: { from?: number; to?: number } },
  ms: number,
): string {
  const rows = rowsOf(selection)
  if (selection.found) return `SELECT count(*)::integer FROM recordings r WHERE ${p.and([...rows, ...beyond])}`
  const isCall = ({ name }: Range) => name === 'call'
  const { from, to } = selection.ranges.find(isCall) ?? {}
  const range: Range = {
    name: 'call',
    from: highest(from, whole.from),
    to: lowest(to, whole.to),
    closed: false,
  }
  const others = selection.ranges.filter((one) => !isCall(one))
  const same: Where = [
    {
      sql: 'r.call_at >= ?::timestamptz AND r.call_at < ?::timestamptz',
      values: [new Date(ms), new Date(ms + 1)],
    },
  ]
  return `SELECT (${countStatement(p, { ...selection, ranges: [...others, range] })})
               + (SELECT count(*)::integer FROM recordings r WHERE ${p.and([...rows, ...same, ...beyond])})`
}

const highest = (...times: (number | undefined)[]): number | undefined => extreme(Math.max, times)
const lowest = (...times: (number | undefined)[]): number | undefined => extreme(Math.min, times)

function extreme(which: (...values: number[]) => number, times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length > 0 ? which(...known) : undefined
}
