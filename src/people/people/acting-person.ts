import type { Sql } from '../../platform/db/sql.ts'
import { personOf, type Actor } from '../../platform/http/actor.ts'
import { forbiddenError, unauthorizedError } from '../../platform/errors.ts'
import { SELECT_PERSON_SQL, type PersonRow } from './present.ts'

/**
 * Loads the acting person and locks the row, so that nobody demotes them during the transaction.
 * @throws HttpError 401 if the person is deactivated, 403 if the actor is no person
 */
export async function loadActingPerson(sql: Sql, actor: Actor): Promise<PersonRow> {
  const text = `${SELECT_PERSON_SQL} WHERE p.id = $1 FOR SHARE OF p`
  const { rows } = await sql.query<PersonRow>({ text, values: [personOf(actor).id] })
  if (!rows[0]?.active) throw unauthorizedError()
  return rows[0]
}

/** Checks inside the transaction that the actor is still an owner. @throws HttpError 401 if deactivated, 403 if no owner */
export async function requireOwner(sql: Sql, actor: Actor): Promise<void> {
  const { role } = await loadActingPerson(sql, actor)
  if (role !== 'owner') throw forbiddenError()
}
