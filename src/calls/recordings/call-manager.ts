import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { badRequestError } from '../../platform/errors.ts'
import { canSeeAll, canSeeManager } from '../../people/managers/visibility.ts'
import type { CallFields } from './schema.ts'
import { recordingMessages } from './messages.ts'

/** Gives a call its submitter's name by default. @throws HttpError 400 for a manager whose calls they do not see */
export async function addDefaultManager(core: Core, actor: Actor, fields: CallFields): Promise<CallFields> {
  if (actor.kind !== 'person' || canSeeAll(actor)) return fields
  if (fields.managerName === undefined) return { ...fields, managerName: actor.person.name }
  await rejectForeignManager(core, actor, fields.managerName)
  return fields
}

/** People can neither clear the manager nor name one whose calls they cannot see. @throws HttpError 400 naming managerName */
export async function rejectForeignManager(core: Core, actor: Actor, managerName: string | null): Promise<void> {
  if (actor.kind !== 'person' || canSeeAll(actor)) return
  if (managerName !== null && (await canSeeManager(core.pool, actor, managerName))) return
  const { departmentManager, ownManager } = recordingMessages
  throw badRequestError([(actor.person.role === 'head' ? departmentManager() : ownManager()).withField('managerName')])
}
