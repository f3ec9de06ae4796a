import type { Core } from '../../platform/core.ts'
import { normalisePhone } from '../phone.ts'
import { callPortalBatch, callPortal, type PortalAccess, type BatchCommand } from './client.ts'
import { PortalError } from './errors.ts'
import { parseRows, type RowFields, type ParsedRows } from './fields.ts'
import { portalMessages } from './messages.ts'
import {
  ORDER_BY_ID,
  fetchRowsAfter,
  rejectUnrequestedRows,
  extractRows,
  extractPageRows,
  type PortalRow,
  type PortalRowPage,
} from './rows.ts'
import { formatFilterTime, parseId, parseText, parsePortalTime } from './values.ts'

const STATISTICS_METHOD = 'voximplant.statistic.get'

export const MAX_CALL_ID_LENGTH = 255

/** The portal limits these texts to 255 characters. */
const MAX_FIELD_LENGTH = 255
const MAX_CALL_TYPE = 99
const MAX_CALL_SECONDS = 1e6
/** How far the start of a call can be after our clock, because the clock and time zone of the portal can differ. */
const MAX_CLOCK_AHEAD_MS = 48 * 3600_000

/** A row of the call statistics of the portal, with the column names of crm_calls. A call can have several rows. */
export type CallRow = ReturnType<typeof parseCall>

function parseCall(fields: RowFields, countries: readonly string[]) {
  const number = fields.text('PHONE_NUMBER', MAX_FIELD_LENGTH)
  return {
    id: fields.required('ID', fields.id('ID')),
    call_id: fields.required('CALL_ID', fields.text('CALL_ID', MAX_CALL_ID_LENGTH)),
    user_id: fields.id('PORTAL_USER_ID'),
    phone_number: number,
    phone: number === null ? null : normalisePhone(number, countries),
    portal_number: fields.text('PORTAL_NUMBER', MAX_FIELD_LENGTH),
    type: fields.number('CALL_TYPE', 0, MAX_CALL_TYPE) ?? 0,
    duration_seconds: fields.number('CALL_DURATION', 0, MAX_CALL_SECONDS) ?? 0,
    started_at: fields.required('CALL_START_DATE', fields.time('CALL_START_DATE', Date.now() + MAX_CLOCK_AHEAD_MS)),
    failed_code: fields.text('CALL_FAILED_CODE', MAX_FIELD_LENGTH),
    entity_type: fields.text('CRM_ENTITY_TYPE', MAX_FIELD_LENGTH),
    entity_id: fields.id('CRM_ENTITY_ID'),
    activity_id: fields.id('CRM_ACTIVITY_ID'),
    file_id: fields.id('RECORD_FILE_ID'),
  }
}

type PageRows = Pick<PortalRowPage, 'rows' | 'rejected'>

const parseCalls = ({ config }: Core, { rows, rejected }: PageRows): ParsedRows<CallRow> =>
  parseRows(rows, (fields) => parseCall(fields, config.CRM_PHONE_COUNTRIES), rejected)

/**
 * Fetches all rows of calls by call ids, or single rows by row ids. It ignores rows that were not requested. @throws PortalError
 */
export async function fetchCalls(core: Core, access: PortalAccess, field: 'CALL_ID' | 'ID', ids: string[]) {
  const { result } = await callPortal(core, access, STATISTICS_METHOD, {
    FILTER: { [field]: ids },
    ...ORDER_BY_ID,
    start: -1,
  })
  const rows = extractPageRows(STATISTICS_METHOD, result).filter((row) => ids.includes(parseText(row[field]) ?? ''))
  return parseCalls(core, { rows, rejected: [] })
}

/** A period of calls. It includes `from` and excludes `to`. */
export interface Period {
  from: Date
  to: Date
}

const buildPeriodFilter = ({ from, to }: { from: Date | undefined; to?: Date | undefined }) => ({
  ...(from && { '>=CALL_START_DATE': formatFilterTime(from) }),
  ...(to && { '<CALL_START_DATE': formatFilterTime(to) }),
})

/**
 * Fetches a page of calls of all users, in the order of their row ids.
 * @param after the row id before the page
 * @throws PortalError, also if the portal ignores the filter
 */
export async function fetchCallsAfter(
  core: Core,
  access: PortalAccess,
  period: { from: Date | undefined; to?: Date },
  after: number,
): Promise<{ calls: ParsedRows<CallRow>; lastId: number; isLast: boolean }> {
  const list = {
    method: STATISTICS_METHOD,
    params: { FILTER: buildPeriodFilter(period) },
    filter: 'FILTER',
    id: 'ID',
    order: ORDER_BY_ID,
  } as const
  const { lastId, isLast, ...page } = await fetchRowsAfter(core, access, list, after)
  const { from, to } = period
  return { calls: from && to ? parseCallsInPeriod(core, { from, to }, page) : parseCalls(core, page), lastId, isLast }
}

/** Time zones of the portal can shift a filter by at most this. */
const MAX_ZONE_SHIFT_MS = 24 * 3600_000

function parseCallsInPeriod(core: Core, { from, to }: Period, page: PageRows): ParsedRows<CallRow> {
  const isUnrequested = ({ CALL_START_DATE: date }: PortalRow) => {
    const at = parsePortalTime(date)
    return at !== null && (+at < +from - MAX_ZONE_SHIFT_MS || +at >= +to + MAX_ZONE_SHIFT_MS)
  }
  const filterError = { method: STATISTICS_METHOD, words: portalMessages.otherCalls() }
  const parsed = parseCalls(core, rejectUnrequestedRows(page, isUnrequested, filterError))
  return { ...parsed, values: parsed.values.filter(({ started_at: at }) => at >= from && at < to) }
}

/**
 * Fetches a page of the calls of a period.
 * @param start the offset of the page
 * @returns also the total number of calls in the period, if the portal counts them
 */
export async function fetchCallSample(core: Core, access: PortalAccess, period: Period, start: number) {
  const { result, total } = await callPortal(core, access, STATISTICS_METHOD, {
    FILTER: buildPeriodFilter(period),
    ...ORDER_BY_ID,
    start,
  })
  const page = { rows: extractPageRows(STATISTICS_METHOD, result), rejected: [] }
  return { calls: parseCallsInPeriod(core, period, page).values, total }
}

/** Fetches the number of calls in a period; undefined if the portal does not count them. */
export async function fetchCallCount(core: Core, access: PortalAccess, period: Period): Promise<number | undefined> {
  return (
    await callPortal(core, access, STATISTICS_METHOD, { FILTER: buildPeriodFilter(period), ...ORDER_BY_ID, start: 0 })
  ).total
}

/** Each command returns a page of calls, so a larger batch would exceed the size limit of a response. */
const MAX_USERS_PER_REQUEST = 20

/**
 * Fetches the number of answered calls of each user since a time.
 * @param counts gets the numbers by user id, batch by batch, so that it has partial results after an error
 * @throws PortalError, CrmAutomationOffError
 */
export async function fetchAnsweredCallCounts(
  core: Core,
  access: PortalAccess,
  userIds: string[],
  since: Date,
  counts: Map<string, number>,
): Promise<void> {
  for (let n = 0; n < userIds.length; n += MAX_USERS_PER_REQUEST) {
    const ids = userIds.slice(n, n + MAX_USERS_PER_REQUEST)
    const commands = Object.fromEntries(ids.map((id) => [`u${id}`, buildAnsweredCallsCommand(id, since)]))
    const responses = await callPortalBatch(core, access, commands)
    for (const id of ids) {
      const response = responses[`u${id}`]!
      if (response instanceof PortalError || response.total === undefined) continue
      // If the webhook's user sees only their own calls, the portal ignores the filter and returns those.
      const isOfUser = extractRows(response.result).every(({ PORTAL_USER_ID: user }) => parseId(user) === id)
      if (isOfUser) counts.set(id, response.total)
    }
  }
}

const buildAnsweredCallsCommand = (userId: string, since: Date): BatchCommand => {
  const filter = { PORTAL_USER_ID: userId, CALL_FAILED_CODE: '200', ...buildPeriodFilter({ from: since }) }
  return { method: STATISTICS_METHOD, params: { FILTER: filter, SORT: 'ID', ORDER: 'DESC', start: 0 } }
}

/** Returns true for the call types between people: 1 outgoing, 2 incoming, 3 redirected, 4 callback. */
export const isConversation = ({ type }: Pick<CallRow, 'type'>): boolean => type >= 1 && type <= 4

/** Returns true if the portal reports status code 200, which means answered. */
export const isAnswered = ({ failed_code: code }: Pick<CallRow, 'failed_code'>): boolean => code === '200'

const DIRECTIONS: Record<number, 'INBOUND' | 'OUTBOUND'> = { 1: 'OUTBOUND', 2: 'INBOUND', 3: 'INBOUND' }

/** Returns the direction of a call; undefined for callbacks and other types. */
export const directionOf = ({ type }: CallRow): 'INBOUND' | 'OUTBOUND' | undefined => DIRECTIONS[type]

/** Chooses the row that represents a call: a row with a file, then the longest, then the newest. */
export function chooseCallRow(rows: CallRow[]): CallRow | undefined {
  const rank = ({ file_id: file, duration_seconds: seconds }: CallRow) => (file === null ? 0 : 1e7) + seconds
  return rows.toSorted((a, b) => rank(b) - rank(a) || Number(b.id) - Number(a.id))[0]
}
