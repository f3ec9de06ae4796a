import type { Core } from '../../platform/core.ts'
import {
  MAX_PORTAL_BATCH_COMMANDS,
  callPortalBatch,
  type PortalAccess,
  type PortalBatchCommand,
  type PortalResponse,
} from './client.ts'
import { PortalError, PORTAL_RESPONSE_TOO_LARGE_CODE } from './errors.ts'
import { extractPortalRows } from './rows.ts'
import { PORTAL_DEAL_ENTITY_TYPE } from './deals.ts'
import { parsePortalId } from './values.ts'

/** A call without a known activity needs two commands of a batch: one finds its activity, the other reads the deals. */
export const MAX_ACTIVITY_CALLS_PER_REQUEST = MAX_PORTAL_BATCH_COMMANDS / 2

interface PortalCall {
  recordingId: string
  callId: string | null
  activityId: string | null
}

interface ActivityDeals {
  deals: Map<string, string[]>
  /** Recordings whose deals are unknown, because the portal returned an error. Retry them later. */
  unknown: Set<string>
}

/**
 * Fetches the deals to which the portal links the activities of calls. It skips calls without a call id.
 * @param calls at most MAX_ACTIVITY_CALLS_PER_REQUEST
 * @throws PortalError if the whole request fails
 */
export async function fetchDealsOfCallActivities(
  core: Core,
  access: PortalAccess,
  calls: PortalCall[],
): Promise<ActivityDeals> {
  const activityDeals: ActivityDeals = { deals: new Map(), unknown: new Set() }
  const portalCalls = calls.filter(({ callId }) => callId !== null)
  if (portalCalls.length > 0) await fetchBindings(core, access, portalCalls, activityDeals)
  return activityDeals
}

/** Halves a request whose response is too large, so that one call does not block the others. */
async function fetchBindings(
  core: Core,
  access: PortalAccess,
  calls: PortalCall[],
  activityDeals: ActivityDeals,
): Promise<void> {
  const commands: Record<string, PortalBatchCommand> = Object.assign({}, ...calls.map(buildCommands))
  const responses = await callPortalBatch(core, access, commands).catch((error: unknown) => {
    if (error instanceof PortalError && error.code === PORTAL_RESPONSE_TOO_LARGE_CODE) return undefined
    throw error
  })
  if (!responses && calls.length > 1) {
    const middle = calls.length >> 1
    for (const part of [calls.slice(0, middle), calls.slice(middle)])
      await fetchBindings(core, access, part, activityDeals)
    return
  }
  calls.forEach(({ recordingId }, n) => {
    const response = responses?.[`b${n}`]
    if (response && !(response instanceof PortalError))
      activityDeals.deals.set(recordingId, parseDealIds(response.result))
    else if (!response || !isActivityMissing(response, responses[`a${n}`])) activityDeals.unknown.add(recordingId)
  })
}

/** Returns true if the activity was deleted, is hidden, or never existed. Other errors can be temporary. */
function isActivityMissing(
  { verdict }: PortalError,
  activityResponse: PortalResponse | PortalError | undefined,
): boolean {
  const isEmpty =
    activityResponse !== undefined &&
    !(activityResponse instanceof PortalError) &&
    extractPortalRows(activityResponse.result).length === 0
  return isEmpty || verdict === 'item' || verdict === 'denied'
}

function buildCommands({ activityId, callId }: PortalCall, n: number): Record<string, PortalBatchCommand> {
  const bindings = (id: string): PortalBatchCommand => ({
    method: 'crm.activity.binding.list',
    params: { activityId: id },
  })
  if (activityId !== null) return { [`b${n}`]: bindings(activityId) }
  const filter = { PROVIDER_ID: 'VOXIMPLANT_CALL', ORIGIN_ID: `VI_${callId}` }
  const params = { filter, select: ['ID'], order: { ID: 'DESC' }, start: -1 }
  return { [`a${n}`]: { method: 'crm.activity.list', params }, [`b${n}`]: bindings(`$result[a${n}][0][ID]`) }
}

const parseDealIds = (result: unknown): string[] =>
  extractPortalRows(result)
    .filter(({ entityTypeId }) => Number(entityTypeId) === PORTAL_DEAL_ENTITY_TYPE)
    .map(({ entityId }) => parsePortalId(entityId))
    .filter((id) => id !== null)
