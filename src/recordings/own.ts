import type { Core } from '../core.ts'
import { pool } from '../db.ts'
import { badRequest } from '../errors.ts'
import type { Actor } from '../http/access.ts'
import { cleanName } from '../lib/names.ts'
import type { CallFields } from './schema.ts'

/**
 * The fields of a call that somebody submits. What people submit must be theirs to see afterwards: without a manager's
 * name it carries their own, and another name must be one whose calls they see.
 * @throws HttpError 400 naming managerName
 */
export async function asOwn(core: Core, actor: Actor, fields: CallFields): Promise<CallFields> {
  if (actor.kind !== 'person' || actor.person.role === 'owner') return fields
  const { name, role, seenNames } = actor.person
  if (fields.managerName === undefined) return { ...fields, managerName: name }
  const { rowCount } = await pool(core.db).query({
    text: 'SELECT WHERE lower(btrim($1)) = ANY($2::text[])',
    values: [cleanName(fields.managerName), seenNames],
  })
  if (rowCount === 1) return fields
  const rule = role === 'head' ? 'your own name or a manager’s of your departments' : 'your own name'
  throw badRequest([`managerName must be ${rule}`])
}
