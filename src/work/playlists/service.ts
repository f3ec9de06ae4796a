import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { diffProperties, recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { isoTimeSql } from '../../reports/query-rows.ts'
import { personReferenceSql } from '../schema.ts'
import { canChangeShared, requireOwnDepartment, visibleSharedCondition } from '../sharing.ts'
import { playlistMessages } from './messages.ts'
import type { PlaylistJson } from './schema.ts'
import { MAX_PLAYLISTS } from './values.ts'

interface NewPlaylist {
  name: string
  departmentId?: string | null
}

type PlaylistRow = Omit<PlaylistJson, 'canChange'>

/** Lists the playlists that the actor sees, by name. @param recordingId only those that contain this visible call */
export async function listPlaylists(
  { pool }: Core,
  actor: PersonActor,
  { recordingId }: { recordingId?: string },
): Promise<{ items: PlaylistJson[] }> {
  return { items: await selectPlaylists(pool, actor, [], { recordingId }) }
}

async function selectPlaylists(
  sql: Sql,
  actor: PersonActor,
  conditions: SqlConditions,
  { recordingId, lock = '' }: { recordingId?: string | undefined; lock?: string } = {},
): Promise<PlaylistJson[]> {
  const p = new SqlParameters()
  const visibleItems = (more: SqlConditions) =>
    `FROM playlist_items i JOIN recordings r ON r.id = i.recording_id
      WHERE i.playlist_id = s.id AND ${p.and([...visibleRecordingsCondition(actor), ...more])}`
  const containsCall =
    recordingId && `AND EXISTS (SELECT ${visibleItems(toConditions(['r.id = ?::uuid', recordingId]))})`
  const { rows } = await sql.query<PlaylistRow>({
    text: `SELECT s.id, s.name, s.department_id AS "departmentId", d.name AS department,
                  ${personReferenceSql('s.person_id')} AS person, ${isoTimeSql('s.created_at')} AS "createdAt",
                  (SELECT count(*)::int ${visibleItems([])}) AS calls
             FROM playlists s LEFT JOIN departments d ON d.id = s.department_id
            WHERE ${p.and([...visibleSharedCondition(actor), ...conditions])} ${containsCall ?? ''}
            ORDER BY lower(s.name), s.id ${lock}`,
    values: p.values,
  })
  return rows.map((row) => ({
    ...row,
    canChange: canChangeShared(actor, { personId: row.person.id, departmentId: row.departmentId }),
  }))
}

/** @throws HttpError 400 for a department that is not the actor's, 409 if the actor has too many playlists */
export function createPlaylist(
  { db }: Core,
  actor: PersonActor,
  { name, departmentId }: NewPlaylist,
): Promise<PlaylistJson> {
  const id = generateId()
  return runInTransaction(db, async (sql) => {
    await requireOwnDepartment(sql, actor, departmentId)
    await requireSpace(sql, actor)
    await insertRow(sql, 'playlists', {
      id,
      person_id: actor.person.id,
      department_id: departmentId,
      name: normalizeWhitespace(name),
    })
    const playlist = await loadPlaylist(sql, actor, id)
    const details = { after: pickAuditFields(playlist) }
    await recordAuditChange(sql, actor, { action: 'playlist.create', object: auditObjectOf(playlist), details })
    return playlist
  })
}

async function requireSpace(sql: Sql, { person }: PersonActor): Promise<void> {
  const { rowCount } = await sql.query({ text: 'SELECT FROM playlists WHERE person_id = $1', values: [person.id] })
  if (rowCount! >= MAX_PLAYLISTS) throw conflictError(playlistMessages.tooMany({ limit: MAX_PLAYLISTS }))
}

/** Changes the given fields. @throws HttpError 400 for a department that is not the actor's, 404 */
export function changePlaylist(
  { db }: Core,
  actor: PersonActor,
  id: string,
  { name, departmentId }: Partial<NewPlaylist>,
): Promise<PlaylistJson> {
  return runInTransaction(db, async (sql) => {
    const before = await lockChangeablePlaylist(sql, actor, id)
    await requireOwnDepartment(sql, actor, departmentId, before.person)
    await sql.query({
      text: 'UPDATE playlists SET name = coalesce($2, name), department_id = $3 WHERE id = $1',
      values: [
        id,
        name === undefined ? null : normalizeWhitespace(name),
        departmentId === undefined ? before.departmentId : departmentId,
      ],
    })
    const after = await loadPlaylist(sql, actor, id)
    const details = diffProperties(pickAuditFields(before), pickAuditFields(after))
    await recordAuditChange(sql, actor, { action: 'playlist.change', object: auditObjectOf(after), details })
    return after
  })
}

/** @throws HttpError 404 */
export function deletePlaylist({ db }: Core, actor: PersonActor, id: string): Promise<void> {
  return runInTransaction(db, async (sql) => {
    const playlist = await lockChangeablePlaylist(sql, actor, id)
    await sql.query({ text: 'DELETE FROM playlists WHERE id = $1', values: [id] })
    const details = { before: pickAuditFields(playlist) }
    await recordAuditChange(sql, actor, { action: 'playlist.delete', object: auditObjectOf(playlist), details })
  })
}

const pickAuditFields = ({ name, department }: PlaylistJson) => ({ name, department })
const auditObjectOf = ({ id, name }: PlaylistJson) => ({ type: 'playlist', id, name }) as const

/** Loads a playlist that the actor sees. @throws HttpError 404 */
export async function loadPlaylist(sql: Sql, actor: PersonActor, id: string, lock?: string): Promise<PlaylistJson> {
  const [playlist] = await selectPlaylists(sql, actor, toConditions(['s.id = ?::uuid', id]), { lock })
  if (!playlist) throw notFoundError(playlistMessages.noPlaylist())
  return playlist
}

/** Locks a playlist that the actor can change. @throws HttpError 404 */
export async function lockChangeablePlaylist(sql: Sql, actor: PersonActor, id: string): Promise<PlaylistJson> {
  const playlist = await loadPlaylist(sql, actor, id, 'FOR UPDATE OF s')
  if (!playlist.canChange) throw notFoundError(playlistMessages.noPlaylist())
  return playlist
}
