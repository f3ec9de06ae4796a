import type { Sql } from '../db/sql.ts'
import type { Actor } from '../http/actor.ts'
import { newId } from '../lib/ids.ts'
import { currentRequest } from '../lib/log.ts'
import type { Action, ChangeAction } from './actions.ts'

/** The object of an entry. Without a name, NAMES reads it from the row of the object. */
export interface AuditObject {
  type: 'recording' | 'person' | 'department' | 'key' | 'queue' | 'session' | 'settings' | 'ruleSet' | 'backtest'
  id: string
  name?: string | null
}

/** An entry of the audit log. `details` must contain no secret: of a password only that it was changed. */
export interface Entry<A extends Action = Action> {
  action: A
  object?: AuditObject
  details?: object
}

/** Records a person's change in the audit log, in the transaction of the change. The service's own are not recorded. */
export async function recordChange(sql: Sql, actor: Actor, entry: Entry<ChangeAction>): Promise<void> {
  if (actor.kind !== 'system') await insertEntry(sql, actor, entry)
}

/** Writes an entry about any object. */
export async function insertEntry(sql: Sql, actor: Actor, entry: Entry): Promise<void> {
  await sql.query({ text: INSERT_ENTRY, values: valuesOf(actor, entry) })
}

/** Records the same change of many recordings, with an entry for each, so that each recording's log has it. */
export async function recordChangeOfEach(
  sql: Sql,
  actor: Actor,
  entry: Pick<Entry<ChangeAction>, 'action' | 'details'>,
  recordingIds: string[],
): Promise<void> {
  if (actor.kind === 'system' || recordingIds.length === 0) return
  // The entry of the first is the pattern of the others.
  const [first, ...others] = recordingIds as [string, ...string[]]
  const values = valuesOf(actor, { ...entry, object: { type: 'recording', id: first } })
  await sql.query({ text: INSERT_ENTRY, values })
  await sql.query({
    text: `INSERT INTO audit (id, action, person_id, person_name, person_email, key_id, key_name,
                              object_type, object_id, object_name, details, address, request_id, session_id)
           SELECT e.id, a.action, a.person_id, a.person_name, a.person_email, a.key_id, a.key_name,
                  a.object_type, r.id::text, ${RECORDING_NAME}, a.details, a.address, a.request_id, a.session_id
             FROM audit a, unnest($2::uuid[], $3::uuid[]) AS e (id, recording_id) JOIN recordings r ON r.id = e.recording_id
            WHERE a.id = $1`,
    values: [values[0], others.map(newId), others],
  })
}

const RECORDING_NAME = 'coalesce(r.file_name, r.external_call_id, r.phone_number)'

/** SQL for the name of an object by its type; $14 is its id. */
const NAMES: Partial<Record<AuditObject['type'], string>> = {
  recording: `SELECT ${RECORDING_NAME} FROM recordings r WHERE r.id = $14::uuid`,
  person: 'SELECT name FROM people WHERE id = $14::uuid',
  department: 'SELECT name FROM departments WHERE id = $14::uuid',
  ruleSet: 'SELECT key FROM rule_sets WHERE id = $14::uuid',
}
const NAME = `CASE $8::text ${Object.entries(NAMES)
  .map(([type, name]) => `WHEN '${type}' THEN (${name})`)
  .join(' ')} END`

/** A condition can follow. Its parameters are valuesOf() an entry. */
export const INSERT_ENTRY = `
  INSERT INTO audit (id, action, person_id, person_name, person_email, key_id, key_name,
                     object_type, object_id, object_name, details, address, request_id, session_id)
  SELECT $1::uuid, $2::text, $3::uuid, $4::text, $5::text, $6::uuid, $7::text, $8::text, $9::text,
         coalesce($10::text, ${NAME}),
         $11::jsonb, $12::text, $13::text, (SELECT s.id FROM sessions s WHERE s.token_hash = $15::bytea)`

/** The parameters of INSERT_ENTRY; address and request are those of the current request. */
export function valuesOf(actor: Actor, { action, object, details }: Entry): unknown[] {
  const { address, requestId } = currentRequest() ?? {}
  const person = actor.kind === 'person' ? (actor.viewer ?? actor.person) : undefined
  const key = actor.kind === 'key' ? actor : undefined
  return [
    newId(),
    action,
    person?.id,
    person?.name,
    person?.email,
    key?.id,
    key?.name,
    object?.type,
    object?.id,
    object?.name,
    details && asJson(details),
    address,
    requestId,
    object && object.type in NAMES ? object.id : undefined,
    actor.kind === 'person' ? actor.sessionHash : undefined,
  ]
}

/** JSON for jsonb, which rejects NUL and half surrogate pairs. */
const asJson = (details: object): string =>
  JSON.stringify(details, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '�').toWellFormed() : value,
  )

/** The changed properties of `after` and their values in `before`. */
export function difference<T extends object>(before: T, after: Partial<T>): { before: object; after: object } {
  const changed = (Object.keys(after) as (keyof T)[]).filter(
    (name) => after[name] !== undefined && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const of = (values: Partial<T>) => Object.fromEntries(changed.map((name) => [name, values[name]]))
  return { before: of(before), after: of(after) }
}
