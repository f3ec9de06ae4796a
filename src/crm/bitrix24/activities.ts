import type { Core } from '../../app/core.ts'
import { BATCH, callBatch, type Asking, type Command, type PortalAnswer } from './client.ts'
import { PortalError, TOO_LARGE } from './errors.ts'
import { rowsOf } from './rows.ts'
import { idOf } from './values.ts'
import { DEAL } from '../steps/funnels.ts'
import type { DueCall } from '../deals/match.ts'

/** A call without a known activity takes two commands: one finds it. */
const AT_ONCE = BATCH / 2

/** What the portal says of the deals of calls. */
export interface Bound {
  deals: Map<string, string[]>
  /** Recordings of which it has said nothing yet. */
  unknown: Set<string>
}

/**
 * The deals that the portal has bound the calls' activities to; many calls with one request. One that it does not tell of
 * keeps the others from nothing.
 * @throws PortalError of a request as a whole
 */
export async function dealsOfActivities(core: Core, asking: Asking, calls: DueCall[]): Promise<Bound> {
  const ofPortal = calls.filter(({ callId }) => callId !== null)
  const bound: Bound = { deals: new Map(), unknown: new Set() }
  for (let from = 0; from < ofPortal.length; from += AT_ONCE) {
    await readBindings(core, asking, ofPortal.slice(from, from + AT_ONCE), bound)
  }
  return bound
}

/** Asks for the calls of an answer that is too large half by half, so that one of them keeps the others from nothing. */
async function readBindings(core: Core, asking: Asking, calls: DueCall[], bound: Bound): Promise<void> {
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

/** An activity that is gone, that nobody shows us, or that was never there: other errors say nothing of it. */
function bindsNothing({ verdict }: PortalError, found: PortalAnswer | PortalError | undefined): boolean {
  const isNone = found !== undefined && !(found instanceof PortalError) && rowsOf(found.result).length === 0
  return isNone || verdict === 'item' || verdict === 'denied'
}

function commandsOf({ activityId, callId }: DueCall, n: number): Record<string, Command> {
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
