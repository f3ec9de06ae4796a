import type { IncomingHttpHeaders } from 'node:http'
import type { Core } from '../../app/core.ts'
import { forbidden } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/access.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { isId } from '../../platform/lib/ids.ts'
import { findActingPerson } from './actor.ts'
import { authMessages } from './messages.ts'

/** The header in which an owner names the person whose view they ask for. */
export const SEE_AS_HEADER = 'X-See-As'

/** Whether an operation can be looked at with another person's eyes: reads of what people share, and who one is. */
export const canSeeAs = ({ id, method, access }: Pick<Operation, 'id' | 'method' | 'access'>): boolean =>
  method === 'get' && (access === 'scoped' || access === 'ownerOrHead' || id === 'me')

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
