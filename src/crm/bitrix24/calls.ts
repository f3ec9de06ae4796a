import type { Core } from '../../platform/core.ts'
import { normalisePhoneNumber } from '../phone.ts'
import { callPortalBatch, callPortalMethod, type PortalAccess, type PortalBatchCommand } from './client.ts'
import { PortalError } from './errors.ts'
import { parsePortalRows, type PortalRowFields, type ParsedPortalRows } from './fields.ts'
import { portalMessages } from './messages.ts'
import {
  PORTAL_ORDER_BY_ID,
  fetchPortalRowsAfterId,
  rejectUnrequestedPortalRows,
  extractPortalRows,
  extractPortalPageRows,
  type PortalRow,
  type PortalRowPage,
} from './rows.ts'
import { formatPortalFilterTime, parsePortalId, parsePortalText, parsePortalTime } from './values.ts'

const STATISTICS_METHOD = 'voximplant.statistic.get'

export const MAX_PORTAL_CALL_ID_CHARACTERS = 255

/** The portal limits these texts to 255 characters. */
const MAX_FIELD_LENGTH = 255
const MAX_CALL_TYPE = 99
const MAX_CALL_SECONDS = 1e6
/** How far the start of a call can be after our clock, because the clock and time zone of the portal can differ. */
const MAX_CLOCK_AHEAD_MS = 48 * 3600_000

/** A row of the call statistics of the portal, with the column names of crm_calls. A call can have several rows. */
export type CrmCallRow = ReturnType<typeof parseCall>

function parseCall(fields: PortalRowFields, countries: readonly string[]) {
  const number = fields.text('PHONE_NUMBER', MAX_FIELD_LENGTH)
  return {
    id: fields.required('ID', fields.id('ID')),
    call_id: fields.required('CALL_ID', fields.text('CALL_ID', MAX_PORTAL_CALL_ID_CHARACTERS)),
    user_id: fields.id('PORTAL_USER_ID'),
    phone_number: number,
    phone: number === null ? null : normalisePhoneNumber(number, countries),
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

const parseCalls = ({ config }: Core, { rows, rejected }: PageRows): ParsedPortalRows<CrmCallRow> =>
  parsePortalRows(rows, (fields) => parseCall(fields, config.CRM_PHONE_COUNTRIES), rejected)

/**
 * Fetches the rows of calls by call ids, or single rows by row ids. It ignores rows that were not requested.
 * @throws PortalError, also for more than 50 rows
 */
export async function fetchPortalCalls(core: Core, access: PortalAccess, field: 'CALL_ID' | 'ID', ids: string[]) {
  const { result } = await callPortalMethod(core, access, STATISTICS_METHOD, {
    FILTER: { [field]: ids },
    ...PORTAL_ORDER_BY_ID,
    start: -1,
  })
  const rows = extractPortalPageRows(STATISTICS_METHOD, result).filter((row) =>
    ids.includes(parsePortalText(row[field]) ?? ''),
  )
  return parseCalls(core, { rows, rejected: [] })
}

/** A period of calls. It includes `from` and excludes `to`. */
export interface CallTimePeriod {
  from: Date
  to: Date
}

const buildPeriodFilter = ({ from, to }: { from: Date | undefined; to?: Date | undefined }) => ({
  ...(from && { '>=CALL_START_DATE': formatPortalFilterTime(from) }),
  ...(to && { '<CALL_START_DATE': formatPortalFilterTime(to) }),
})

/**
 * Fetches a page of calls of all users, in the order of their row ids.
 * @param period either end can be open
 * @param after the row id before the page
 * @throws PortalError, also if the portal ignores the filter
 */
export async function fetchPortalCallsAfterId(
  core: Core,
  access: PortalAccess,
  period: { from: Date | undefined; to?: Date },
  after: number,
): Promise<{ calls: ParsedPortalRows<CrmCallRow>; lastId: number; isLast: boolean }> {
  const list = {
    method: STATISTICS_METHOD,
    params: { FILTER: buildPeriodFilter(period) },
    filter: 'FILTER',
    id: 'ID',
    order: PORTAL_ORDER_BY_ID,
  } as const
  const { lastId, isLast, ...page } = await fetchPortalRowsAfterId(core, access, list, after)
  const { from, to } = period
  return { calls: from && to ? parseCallsInPeriod(core, { from, to }, page) : parseCalls(core, page), lastId, isLast }
}

/** Time zones of the portal can shift a filter by at most this. */
const MAX_ZONE_SHIFT_MS = 24 * 3600_000

function parseCallsInPeriod(core: Core, { from, to }: CallTimePeriod, page: PageRows): ParsedPortalRows<CrmCallRow> {
  const isUnrequested = ({ CALL_START_DATE: date }: PortalRow) => {
    const at = parsePortalTime(date)
    return at !== null && (+at < +from - MAX_ZONE_SHIFT_MS || +at >= +to + MAX_ZONE_SHIFT_MS)
  }
  const filterError = { method: STATISTICS_METHOD, words: portalMessages.otherCalls() }
  const parsed = parseCalls(core, rejectUnrequestedPortalRows(page, isUnrequested, filterError))
  return { ...parsed, values: parsed.values.filter(({ started_at: at }) => at >= from && at < to) }
}

/**
 * Fetches a page of the calls of a period.
 * @param start the offset of the page
 * @returns also the total number of calls in the period, if the portal counts them
 */
export async function fetchPortalCallPage(core: Core, access: PortalAccess, period: CallTimePeriod, start: number) {
  const { result, total } = await callPortalMethod(core, access, STATISTICS_METHOD, {
    FILTER: buildPeriodFilter(period),
    ...PORTAL_ORDER_BY_ID,
    start,
  })
  const page = { rows: extractPortalPageRows(STATISTICS_METHOD, result), rejected: [] }
  return { calls: parseCallsInPeriod(core, period, page).values, total }
}

/** Fetches the number of calls in a period; undefined if the portal does not count them. */
export async function fetchPortalCallCount(
  core: Core,
  access: PortalAccess,
  period: CallTimePeriod,
): Promise<number | undefined> {
  return (
    await callPortalMethod(core, access, STATISTICS_METHOD, {
      FILTER: buildPeriodFilter(period),
      ...PORTAL_ORDER_BY_ID,
      start: 0,
    })
  ).total
}

/** Each command returns a whole page of calls, so smaller batches keep responses far below their size limit. */
const MAX_USERS_PER_REQUEST = 20

/**
 * Fetches the number of answered calls of each user since a time.
 * @param counts gets the numbers by user id, batch by batch, so that the map has partial results after an error. Users whose
 * number the portal does not return are left out.
 * @throws PortalError, CrmAutomationOffError
 */
export async function fetchAnsweredCallCountsByUser(
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
      const isOfUser = extractPortalRows(response.result).every(
        ({ PORTAL_USER_ID: user }) => parsePortalId(user) === id,
      )
      if (isOfUser) counts.set(id, response.total)
    }
  }
}

const buildAnsweredCallsCommand = (userId: string, since: Date): PortalBatchCommand => {
  const filter = { PORTAL_USER_ID: userId, CALL_FAILED_CODE: '200', ...buildPeriodFilter({ from: since }) }
  return { method: STATISTICS_METHOD, params: { FILTER: filter, SORT: 'ID', ORDER: 'DESC', start: 0 } }
}

/** Returns true for the call types between people: 1 outgoing, 2 incoming, 3 redirected, 4 callback. */
export const isPhoneConversation = ({ type }: Pick<CrmCallRow, 'type'>): boolean => type >= 1 && type <= 4

/** Returns true if the portal reports status code 200, which means answered. */
export const isAnsweredCall = ({ failed_code: code }: Pick<CrmCallRow, 'failed_code'>): boolean => code === '200'

const DIRECTIONS: Record<number, 'INBOUND' | 'OUTBOUND'> = { 1: 'OUTBOUND', 2: 'INBOUND', 3: 'INBOUND' }

/** Returns the direction of a call; undefined for callbacks and other types. */
export const callDirectionOf = ({ type }: CrmCallRow): 'INBOUND' | 'OUTBOUND' | undefined => DIRECTIONS[type]

/** Chooses the row that represents a call: a row with a file, then the longest, then the newest. Undefined without rows. */
export function chooseCrmCallRow(rows: CrmCallRow[]): CrmCallRow | undefined {
  const rank = ({ file_id: file, duration_seconds: seconds }: CrmCallRow) => (file === null ? 0 : 1e7) + seconds
  return rows.toSorted((a, b) => rank(b) - rank(a) || Number(b.id) - Number(a.id))[0]
}
