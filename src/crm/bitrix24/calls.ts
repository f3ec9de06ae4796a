import type { Core } from '../../platform/core.ts'
import { normalisePhone } from '../phone.ts'
import { callBatch, callPortal, type Asking, type Command } from './client.ts'
import { PortalError } from './errors.ts'
import { parseRows, type Fields, type ParsedRows } from './fields.ts'
import { portalMessages } from './messages.ts'
import { BY_ID, fetchRowsAfter, rejectStrangers, rowsOf, rowsOfPage, type Row, type Rows } from './rows.ts'
import { filterTime, idOf, textOf, timeOf } from './values.ts'

const METHOD = 'voximplant.statistic.get'

export const LONGEST_CALL_ID = 255

/** No field of a portal call has a longer text. */
const LONGEST_FIELD = 255
const LARGEST_TYPE = 99
const LONGEST_CALL_SECONDS = 1e6
/** Latest plausible start of a call after our clock: the portal's clock and time zone can differ. */
const MOST_AHEAD_MS = 48 * 3600_000

/** A row of the portal's call statistics, by the columns of crm_calls. */
export type CallRow = ReturnType<typeof asCall>

function asCall(fields: Fields, countries: readonly string[]) {
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

type Page = Pick<Rows, 'rows' | 'rejected'>

const parseCalls = ({ config }: Core, { rows, rejected }: Page): ParsedRows<CallRow> =>
  parseRows(rows, (fields) => asCall(fields, config.CRM_PHONE_COUNTRIES), rejected)

/** Fetches all rows of calls by their call ids, or rows by their own ids. Other rows are ignored. @throws PortalError */
export async function fetchCalls(core: Core, asking: Asking, field: 'CALL_ID' | 'ID', ids: string[]) {
  const { result } = await callPortal(core, asking, METHOD, { FILTER: { [field]: ids }, ...BY_ID, start: -1 })
  const rows = rowsOfPage(METHOD, result).filter((row) => ids.includes(textOf(row[field]) ?? ''))
  return parseCalls(core, { rows, rejected: [] })
}

export interface Period {
  from: Date
  to: Date
}

const filterOf = ({ from, to }: { from: Date | undefined; to?: Date | undefined }) => ({
  ...(from && { '>=CALL_START_DATE': filterTime(from) }),
  ...(to && { '<CALL_START_DATE': filterTime(to) }),
})

/** Fetches a page of calls after an id, of all users. @throws PortalError also if the portal ignores the filter */
export async function fetchCallsAfter(
  core: Core,
  asking: Asking,
  period: { from: Date | undefined; to?: Date },
  after: number,
): Promise<{ calls: ParsedRows<CallRow>; lastId: number; isLast: boolean }> {
  const list = {
    method: METHOD,
    params: { FILTER: filterOf(period) },
    filter: 'FILTER',
    id: 'ID',
    order: BY_ID,
  } as const
  const { lastId, isLast, ...page } = await fetchRowsAfter(core, asking, list, after)
  const { from, to } = period
  return { calls: from && to ? parseCallsOf(core, { from, to }, page) : parseCalls(core, page), lastId, isLast }
}

/** How far the portal's time zone can shift a filter. */
const ZONES_MS = 24 * 3600_000

function parseCallsOf(core: Core, { from, to }: Period, page: Page): ParsedRows<CallRow> {
  const isStranger = ({ CALL_START_DATE: date }: Row) => {
    const at = timeOf(date)
    return at !== null && (+at < +from - ZONES_MS || +at >= +to + ZONES_MS)
  }
  const refusal = { method: METHOD, words: portalMessages.otherCalls() }
  const parsed = parseCalls(core, rejectStrangers(page, isStranger, refusal))
  return { ...parsed, values: parsed.values.filter(({ started_at: at }) => at >= from && at < to) }
}

/** Fetches the page of a period's calls that starts at an offset, and counts all of them. */
export async function sampleCalls(core: Core, asking: Asking, period: Period, start: number) {
  const { result, total } = await callPortal(core, asking, METHOD, { FILTER: filterOf(period), ...BY_ID, start })
  const page = { rows: rowsOfPage(METHOD, result), rejected: [] }
  return { calls: parseCallsOf(core, period, page).values, total }
}

/** Counts the calls of a period; undefined if the portal returns no total. */
export async function countCalls(core: Core, asking: Asking, period: Period): Promise<number | undefined> {
  return (await callPortal(core, asking, METHOD, { FILTER: filterOf(period), ...BY_ID, start: 0 })).total
}

/** Each response includes a page of calls: more would exceed the limit of values in a response. */
const COUNTED_AT_ONCE = 20

/** Counts the answered calls of users since a time into `counts`, request by request. @throws PortalError, CrmNotOn */
export async function countAnsweredCalls(
  core: Core,
  asking: Asking,
  userIds: string[],
  since: Date,
  counts: Map<string, number>,
): Promise<void> {
  for (let n = 0; n < userIds.length; n += COUNTED_AT_ONCE) {
    const ids = userIds.slice(n, n + COUNTED_AT_ONCE)
    const commands = Object.fromEntries(ids.map((id) => [`u${id}`, answeredBy(id, since)]))
    const answers = await callBatch(core, asking, commands)
    for (const id of ids) {
      const answer = answers[`u${id}`]!
      if (answer instanceof PortalError || answer.total === undefined) continue
      // A webhook whose user sees only their own calls returns those, whatever the filter.
      const isOfUser = rowsOf(answer.result).every(({ PORTAL_USER_ID: user }) => idOf(user) === id)
      if (isOfUser) counts.set(id, answer.total)
    }
  }
}

const answeredBy = (userId: string, since: Date): Command => {
  const filter = { PORTAL_USER_ID: userId, CALL_FAILED_CODE: '200', ...filterOf({ from: since }) }
  return { method: METHOD, params: { FILTER: filter, SORT: 'ID', ORDER: 'DESC', start: 0 } }
}

/** Whether it is one of the four types of calls between people: outgoing, incoming, redirected, callback. */
export const isConversation = ({ type }: Pick<CallRow, 'type'>): boolean => type >= 1 && type <= 4

export const isAnswered = ({ failed_code: code }: Pick<CallRow, 'failed_code'>): boolean => code === '200'

const DIRECTIONS: Record<number, 'INBOUND' | 'OUTBOUND'> = { 1: 'OUTBOUND', 2: 'INBOUND', 3: 'INBOUND' }

export const directionOf = ({ type }: CallRow): 'INBOUND' | 'OUTBOUND' | undefined => DIRECTIONS[type]

/** Several rows can belong to one call: a row with a file counts, then the longest, then the last. */
export function chosenRow(rows: CallRow[]): CallRow | undefined {
  const worth = ({ file_id: file, duration_seconds: seconds }: CallRow) => (file === null ? 0 : 1e7) + seconds
  return rows.toSorted((a, b) => worth(b) - worth(a) || Number(b.id) - Number(a.id))[0]
}
