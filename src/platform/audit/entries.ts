import type { Sql } from '../db/sql.ts'
import type { Actor } from '../http/actor.ts'
import { generateId } from '../lib/ids.ts'
import { getCurrentRequestTrace } from '../lib/log.ts'
import type { AuditAction, AuditChangeAction } from './actions.ts'

/** Identifies the object of an entry. Without `name`, the insert looks it up for recordings, people, departments, rule sets, playlists and calibrations. */
export interface AuditObject {
  type:
    | 'recording' | 'person' | 'department' | 'key' | 'queue' | 'session' | 'settings' | 'ruleSet' | 'backtest' | 'view'
    | 'playlist' | 'calibration' // prettier-ignore
  id: string
  name?: string | null
}

/** Describes an entry of the audit log. Never put secrets into `details`; a new password appears as 'changed'. */
export interface AuditEntry<A extends AuditAction = AuditAction> {
  action: A
  object?: AuditObject
  details?: object
}

/**
 * Records a change by a person or key in the audit log. Call it in the transaction of the change. Changes by the service are not
 * recorded.
 */
export async function recordAuditChange(sql: Sql, actor: Actor, entry: AuditEntry<AuditChangeAction>): Promise<void> {
  if (actor.kind !== 'system') await insertAuditEntry(sql, actor, entry)
}

/** Inserts an entry into the audit log, also for callers without a login. */
export async function insertAuditEntry(sql: Sql, actor: Actor, entry: AuditEntry): Promise<void> {
  await sql.query({ text: INSERT_AUDIT_ENTRY_SQL, values: buildAuditEntryValues(actor, entry) })
}

/** Records the same change of many recordings with one entry each, so that the log of each recording contains it. */
export async function insertRecordingAuditEntries(
  sql: Sql,
  actor: Actor,
  entry: Pick<AuditEntry<AuditChangeAction>, 'action' | 'details'>,
  recordingIds: string[],
): Promise<void> {
  if (actor.kind === 'system' || recordingIds.length === 0) return
  // Insert the first entry, then copy it for the other recordings in one statement.
  const [first, ...others] = recordingIds as [string, ...string[]]
  const values = buildAuditEntryValues(actor, { ...entry, object: { type: 'recording', id: first } })
  await sql.query({ text: INSERT_AUDIT_ENTRY_SQL, values })
  await sql.query({
    text: `INSERT INTO audit (id, action, person_id, person_name, person_email, key_id, key_name,
                              object_type, object_id, object_name, details, address, request_id, session_id, action_id)
           SELECT e.id, a.action, a.person_id, a.person_name, a.person_email, a.key_id, a.key_name,
                  a.object_type, r.id::text, ${RECORDING_NAME_SQL}, a.details, a.address, a.request_id, a.session_id, a.action_id
             FROM audit a, unnest($2::uuid[], $3::uuid[]) AS e (id, recording_id) JOIN recordings r ON r.id = e.recording_id
            WHERE a.id = $1`,
    values: [values[0], others.map(generateId), others],
  })
}

const RECORDING_NAME_SQL = 'coalesce(r.file_name, r.external_call_id, r.phone_number)'

/** Selects the name of an object by its type; $14 is the id of the object. */
const OBJECT_NAME_QUERIES: Partial<Record<AuditObject['type'], string>> = {
  recording: `SELECT ${RECORDING_NAME_SQL} FROM recordings r WHERE r.id = $14::uuid`,
  person: 'SELECT name FROM people WHERE id = $14::uuid',
  department: 'SELECT name FROM departments WHERE id = $14::uuid',
  ruleSet: 'SELECT key FROM rule_sets WHERE id = $14::uuid',
  playlist: 'SELECT name FROM playlists WHERE id = $14::uuid',
  calibration: 'SELECT name FROM calibrations WHERE id = $14::uuid',
}
const OBJECT_NAME_SQL = `CASE $8::text ${Object.entries(OBJECT_NAME_QUERIES)
  .map(([type, name]) => `WHEN '${type}' THEN (${name})`)
  .join(' ')} END`

/** Inserts an entry with the parameters of buildAuditEntryValues(). Callers can append a WHERE clause. */
export const INSERT_AUDIT_ENTRY_SQL = `
  INSERT INTO audit (id, action, person_id, person_name, person_email, key_id, key_name,
                     object_type, object_id, object_name, details, address, request_id, session_id, action_id)
  SELECT $1::uuid, $2::text, $3::uuid, $4::text, $5::text, $6::uuid, $7::text, $8::text, $9::text,
         coalesce($10::text, ${OBJECT_NAME_SQL}),
         $11::jsonb, $12::text, $13::text, (SELECT s.id FROM sessions s WHERE s.token_hash = $15::bytea), $16::uuid`

/** Returns the parameters of INSERT_AUDIT_ENTRY_SQL. Takes address, request id and action id from the current request. */
export function buildAuditEntryValues(actor: Actor, { action, object, details }: AuditEntry): unknown[] {
  const { address, requestId, actionId } = getCurrentRequestTrace() ?? {}
  const person = actor.kind === 'person' ? (actor.viewer ?? actor.person) : undefined
  const key = actor.kind === 'key' ? actor : undefined
  return [
    generateId(),
    action,
    person?.id,
    person?.name,
    person?.email,
    key?.id,
    key?.name,
    object?.type,
    object?.id,
    object?.name,
    details && formatJsonb(details),
    address,
    requestId,
    object && object.type in OBJECT_NAME_QUERIES ? object.id : undefined,
    actor.kind === 'person' ? actor.sessionHash : undefined,
    person && actionId,
  ]
}

/** Formats details for a jsonb column. Replaces NUL and lone surrogates, because jsonb rejects them. */
const formatJsonb = (details: object): string =>
  JSON.stringify(details, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '�').toWellFormed() : value,
  )

/**
 * Returns the properties of `after` that differ from `before`, with their values on both sides. Properties that are undefined in
 * `after` count as unchanged.
 */
export function diffProperties<T extends object>(before: T, after: Partial<T>): { before: object; after: object } {
  const changed = (Object.keys(after) as (keyof T)[]).filter(
    (name) => after[name] !== undefined && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pickChanged = (values: Partial<T>) => Object.fromEntries(changed.map((name) => [name, values[name]]))
  return { before: pickChanged(before), after: pickChanged(after) }
}
