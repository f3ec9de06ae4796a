import type { Core } from '../../core.ts'
import { BATCH, callBatch, type Asking, type Command } from '../portal/client.ts'
import { PortalError } from '../portal/errors.ts'
import { rowsOf } from '../portal/rows.ts'
import { idOf } from '../values.ts'
import { DEAL } from '../steps/funnels.ts'
import type { DueCall } from './match.ts'

/** A call without a known activity takes two commands: one finds it. */
const AT_ONCE = BATCH / 2

/** The deals that the portal has bound the calls' activities to, by recording; many calls with one request. */
export async function dealsOfActivities(core: Core, asking: Asking, calls: DueCall[]): Promise<Map<string, string[]>> {
  const ofPortal = calls.filter(({ callId }) => callId !== null)
  const found = new Map<string, string[]>()
  for (let from = 0; from < ofPortal.length; from += AT_ONCE) {
    const some = ofPortal.slice(from, from + AT_ONCE)
    const answers = await callBatch(core, asking, Object.assign({}, ...some.map(commandsOf)) as Record<string, Command>)
    some.forEach(({ recordingId }, n) => {
      const answer = answers[`b${n}`]!
      // An activity that is gone, or was never there, binds to nothing; any other error says nothing of it.
      if (answer instanceof PortalError && answer.verdict !== 'item') throw answer
      if (!(answer instanceof PortalError)) found.set(recordingId, dealsIn(answer.result))
    })
  }
  return found
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
