import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { badRequestError } from '../../platform/errors.ts'
import { hasFullVisibility, canSeeManagerCalls } from '../../people/managers/visibility.ts'
import type { CallFields } from './schema.ts'
import { recordingMessages } from './messages.ts'

/**
 * Returns the fields with the submitter as the manager if they name none. Owners and API keys can name anybody or nobody.
 * @throws HttpError 400 if the submitter cannot see the calls of the named manager
 */
export async function addSubmitterAsManager(core: Core, actor: Actor, fields: CallFields): Promise<CallFields> {
  if (actor.kind !== 'person' || hasFullVisibility(actor)) return fields
  if (fields.managerName === undefined) return { ...fields, managerName: actor.person.name }
  await rejectInvisibleManager(core, actor, fields.managerName)
  return fields
}

/**
 * Rejects a manager whose calls the person cannot see. Rejects null too, because the person could not see the call any more.
 * @throws HttpError 400 that names managerName
 */
export async function rejectInvisibleManager(core: Core, actor: Actor, managerName: string | null): Promise<void> {
  if (actor.kind !== 'person' || hasFullVisibility(actor)) return
  if (managerName !== null && (await canSeeManagerCalls(core.pool, actor, managerName))) return
  const { departmentManager, ownManager } = recordingMessages
  throw badRequestError([(actor.person.role === 'head' ? departmentManager() : ownManager()).withField('managerName')])
}
