import type { Actor } from '../../platform/http/actor.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { Core } from '../../platform/core.ts'
import { forbidden } from '../../platform/errors.ts'
import { canSeeAs, SEE_AS_HEADER } from '../../platform/http/access.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { isId } from '../../platform/lib/ids.ts'
import { findActingPerson } from './actor.ts'
import { authMessages } from './messages.ts'

/**
 * Whoever an owner sees as: the role and the departments of that person, with no right to change anything. It is for
 * reads alone, and for owners alone, who see all that anybody sees: so nobody gains anything by it. The audit log tells
 * of such reads in the owner's name.
 * @throws HttpError 403 for everybody else, for changes, and for whoever has no view of their own
 */
export async function seeAs(
  core: Core,
  actor: Actor,
  operation: Pick<Operation, 'id' | 'method' | 'access'>,
  headers: IncomingHttpHeaders,
): Promise<Actor> {
  const id = headers[SEE_AS_HEADER.toLowerCase()]
  if (id === undefined || actor.kind === 'nobody') return actor
  if (actor.kind !== 'person' || actor.person.role !== 'owner')
    throw forbidden(authMessages.seeAsOwners({ header: SEE_AS_HEADER }))
  if (!canSeeAs(operation)) throw forbidden(authMessages.seeAsReads({ header: SEE_AS_HEADER }))
  const person = typeof id === 'string' && isId(id) ? await findActingPerson(core, id) : undefined
  if (!person || person.role === 'owner') throw forbidden(authMessages.seeAsWhom({ header: SEE_AS_HEADER }))
  const { language } = actor.person
  const rights = { ...person.rights, manageRecordings: false, editRules: false }
  return { ...actor, person: { ...person, rights, language, mustChangePassword: false }, viewer: actor.person }
}
