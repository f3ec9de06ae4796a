import pg from 'pg'
import { DEFAULT_PAGE_SIZE } from '../../platform/http/paging.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { FAR } from './far-pages.ts'
import { BY_CALL_ID, isWhole, type Selection } from './selection.ts'

/**
 * Pages for which Postgres keeps the plan: the first ones, whole, by one flag, by the time of the call or by the
 * call id, and those far from the first. With other ranges the right way depends on how many calls they hold.
 *
 * What it is worth: alone on a connection, the statement of the first page of 100,000 calls takes 10.2 ms with a kept plan
 * and 12.3 without, that of one flag 9.7 and 10.1; ten clients of the API wait 1.04 times as long without for the first
 * page, 1.14 times for page 1001 (in turns, on a busy machine of two cores).
 */
export function keepsPlan(
  selection: Selection,
  { page, pageSize, order }: { page: number; pageSize: number; order: string },
): boolean {
  if (pageSize !== DEFAULT_PAGE_SIZE) return false
  if (page > 1) return (page - 1) * pageSize >= FAR && isWhole(selection)
  const { flags, ranges, others } = selection
  const isOne = flags.length + ranges.length + others.length <= 1
  const isSafe = ranges.every(({ name }) => name === 'call') && others.every(({ sql }) => sql === BY_CALL_ID)
  return order === 'desc' && isOne && isSafe && isWhole({ ...selection, flags: [], ranges: [], others: [] })
}

/**
 * Whether the values of a statement are numbers and flags alone: then a statement whose plan is not kept has them written
 * into it, and Postgres reads, plans and runs it at once. Times are not: of years before 1 or after 9999 there are several
 * ways to write.
 *
 * What it is worth: of the 1.2 to 3.4 ms of Postgres that a page of a duration or score takes among 1,000,000 calls, 0.2,
 * and a sixth of what the API takes to send it and to read the answer (900 of each in turns, one connection).
 */
export const hasPlainValues = ({ manager, ranges, others, found }: Selection): boolean =>
  !found && manager.length + others.length === 0 && ranges.every(({ name }) => name === 'duration' || name === 'score')

/** Writes values into a statement, instead of parameters: flags and numbers only. */
export class Literals extends Parameters {
  override add(value: unknown): string {
    return pg.escapeLiteral(Array.isArray(value) ? `{${value.join()}}` : String(value))
  }
}
