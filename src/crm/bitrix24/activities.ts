import type { Core } from '../../platform/core.ts'
import { BATCH, callBatch, type Asking, type Command, type PortalAnswer } from './client.ts'
import { PortalError, TOO_LARGE } from './errors.ts'
import { rowsOf } from './rows.ts'
import { DEAL } from './deals.ts'
import { idOf } from './values.ts'

/** Calls of a request: a call without a known activity takes two commands, because one finds it. */
export const CALLS_AT_ONCE = BATCH / 2

interface PortalCall {
  recordingId: string
  callId: string | null
  activityId: string | null
}

/** The deals to which the portal binds calls. */
interface Bound {
  deals: Map<string, string[]>
  /** Recordings of calls about which the portal did not answer. */
  unknown: Set<string>
}

/** Fetches the deals to which the portal binds the activities of up to 25 calls. @throws PortalError of the whole request */
export async function dealsOfActivities(core: Core, asking: Asking, calls: PortalCall[]): Promise<Bound> {
  const bound: Bound = { deals: new Map(), unknown: new Set() }
  const ofPortal = calls.filter(({ callId }) => callId !== null)
  if (ofPortal.length > 0) await readBindings(core, asking, ofPortal, bound)
  return bound
}

/** Bisects a request whose response is too large, so that one call does not block the others. */
async function readBindings(core: Core, asking: Asking, calls: PortalCall[], bound: Bound): Promise<void> {
  const commands: Record<string, Command> = Object.assign({}, ...calls.map(commandsOf))
  const answers = await callBatch(core, asking, commands).catch((error: unknown) => {
    if (error instanceof PortalError && error.code === TOO_LARGE) return undefined
    throw error
  })
  if (!answers && calls.length > 1) {
    const half = calls.length >> 1
    for (const some of [calls.slice(0, half), calls.slice(half)]) await readBindings(core, asking, some, bound)
    return
  }
  calls.forEach(({ recordingId }, n) => {
    const answer = answers?.[`b${n}`]
    if (answer && !(answer instanceof PortalError)) bound.deals.set(recordingId, dealsIn(answer.result))
    else if (!answer || !bindsNothing(answer, answers[`a${n}`])) bound.unknown.add(recordingId)
  })
}

/** Whether the activity is deleted, hidden, or never existed; other errors say nothing about it. */
function bindsNothing({ verdict }: PortalError, found: PortalAnswer | PortalError | undefined): boolean {
  const isNone = found !== undefined && !(found instanceof PortalError) && rowsOf(found.result).length === 0
  return isNone || verdict === 'item' || verdict === 'denied'
}

function commandsOf({ activityId, callId }: PortalCall, n: number): Record<string, Command> {
  const bindings = (id: string): Command => ({ method: 'crm.activity.binding.list', params: { activityId: id } })
  if (activityId !== null) return { [`b${n}`]: bindings(activityId) }
  const filter = { PROVIDER_ID: 'VOXIMPLANT_CALL', ORIGIN_ID: `VI_${callId}` }
  const params = { filter, select: ['ID'], order: { ID: 'DESC' }, start: -1 }
  return { [`a${n}`]: { method: 'crm.activity.list', params }, [`b${n}`]: bindings(`$result[a${n}][0][ID]`) }
}

const dealsIn = (result: unknown): string[] =>
  rowsOf(result)
    .filter(({ entityTypeId }) => Number(entityTypeId) === DEAL)
    .map(({ entityId }) => idOf(entityId))
    .filter((id) => id !== null)
