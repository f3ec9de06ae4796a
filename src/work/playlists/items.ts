import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { findViolatedUniqueIndex, runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { generateId, isUuid } from '../../platform/lib/ids.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { isoTimeSql } from '../../reports/query-rows.ts'
import { CALL_REFERENCE_SQL, personReferenceSql } from '../schema.ts'
import { lockVisibleCall, requireMomentInCall } from '../visible-call.ts'
import { playlistMessages } from './messages.ts'
import type { PlaylistItemJson, PlaylistJson, PlaylistWithItemsJson } from './schema.ts'
import { playlistStore } from './service.ts'
import { MAX_PLAYLIST_CALLS } from './values.ts'

/** Calls without a position follow, in the order in which they were added. */
const PLAYLIST_ORDER_SQL = 'i.position, i.id'

interface NewItem {
  recordingId: string
  at?: number
  note?: string
}

/** Loads a playlist with the calls that the actor sees, in the order of the playlist. @throws HttpError 404 */
export async function loadPlaylistWithItems(
  { pool }: Core,
  actor: PersonActor,
  id: string,
): Promise<PlaylistWithItemsJson> {
  const playlist = await playlistStore.load(pool, actor, id)
  const items = await selectItems(pool, actor, id)
  return { ...playlist, calls: items.length, items }
}

async function selectItems(
  sql: Sql,
  actor: PersonActor,
  playlistId: string,
  more: SqlConditions = [],
): Promise<PlaylistItemJson[]> {
  const p = new SqlParameters()
  const conditions = [
    ...toConditions(['i.playlist_id = ?::uuid', playlistId]),
    ...visibleRecordingsCondition(actor),
    ...more,
  ]
  const { rows } = await sql.query<PlaylistItemJson>({
    text: `SELECT ${CALL_REFERENCE_SQL} AS recording, r.duration_seconds AS "durationSeconds",
                  r.size_bytes > 0 AS "hasAudio", r.score,
                  i.at_seconds AS at, i.note, ${personReferenceSql('i.person_id')} AS person,
                  ${isoTimeSql('i.created_at')} AS "addedAt"
             FROM playlist_items i JOIN recordings r ON r.id = i.recording_id
            WHERE ${p.and(conditions)} ORDER BY ${PLAYLIST_ORDER_SQL}`,
    values: p.values,
  })
  return rows
}

/** Adds a call to the end of a playlist. @throws HttpError 400 naming the field, 404, 409 for a full list or a call in it */
export async function addPlaylistItem(
  core: Core,
  actor: PersonActor,
  id: string,
  { recordingId, at, note }: NewItem,
): Promise<PlaylistItemJson> {
  try {
    return await runInTransaction(core.db, async (sql) => {
      const playlist = await playlistStore.lockChangeable(sql, actor, id)
      const call = await lockVisibleCall(sql, actor, recordingId)
      requireMomentInCall(call, at)
      await requireSpace(sql, id)
      await insertRow(sql, 'playlist_items', {
        id: generateId(),
        playlist_id: id,
        recording_id: call.id,
        at_seconds: at,
        note: note?.trim() || null,
        person_id: actor.person.id,
      })
      await recordItem(sql, actor, 'playlist.add', playlist, { after: { recordingId: call.id } })
      return (await selectItems(sql, actor, id, toConditions(['r.id = ?::uuid', call.id])))[0]!
    })
  } catch (error) {
    throw findViolatedUniqueIndex(error)?.startsWith('playlist_items_playlist_id')
      ? conflictError(playlistMessages.alreadyIn())
      : error
  }
}

async function requireSpace(sql: Sql, id: string): Promise<void> {
  const { rowCount } = await sql.query({ text: 'SELECT FROM playlist_items WHERE playlist_id = $1', values: [id] })
  if (rowCount! >= MAX_PLAYLIST_CALLS) throw conflictError(playlistMessages.full({ limit: MAX_PLAYLIST_CALLS }))
}

/** @throws HttpError 404, also for a call in the playlist that the actor does not see */
export function removePlaylistItem(core: Core, actor: PersonActor, id: string, recordingId: string): Promise<void> {
  return runInTransaction(core.db, async (sql) => {
    const playlist = await playlistStore.lockChangeable(sql, actor, id)
    if (!isUuid(recordingId)) throw notFoundError(playlistMessages.noItem())
    const p = new SqlParameters()
    const conditions = [
      ...toConditions(['i.playlist_id = ?::uuid', id], ['r.id = ?::uuid', recordingId]),
      ...visibleRecordingsCondition(actor),
    ]
    const { rowCount } = await sql.query({
      text: `DELETE FROM playlist_items i USING recordings r WHERE r.id = i.recording_id AND ${p.and(conditions)}`,
      values: p.values,
    })
    if (rowCount !== 1) throw notFoundError(playlistMessages.noItem())
    await recordItem(sql, actor, 'playlist.remove', playlist, { before: { recordingId: recordingId.toLowerCase() } })
  })
}

/**
 * Orders the calls that the actor sees; the others keep their places. @throws HttpError 404, 409 unless these are exactly the
 * calls that the actor sees
 */
export function orderPlaylist(core: Core, actor: PersonActor, id: string, recordingIds: string[]): Promise<void> {
  return runInTransaction(core.db, async (sql) => {
    const playlist = await playlistStore.lockChangeable(sql, actor, id)
    const shown = (await selectItems(sql, actor, id)).map(({ recording }) => recording.id)
    const wanted = recordingIds.map((one) => one.toLowerCase())
    if (wanted.length !== shown.length || !shown.every((one) => wanted.includes(one)))
      throw conflictError(playlistMessages.outdatedOrder())
    const { rows } = await sql.query<{ id: string }>({
      text: `SELECT i.recording_id AS id FROM playlist_items i WHERE i.playlist_id = $1 ORDER BY ${PLAYLIST_ORDER_SQL}`,
      values: [id],
    })
    const next = wanted.values()
    const order = rows.map((item) => (shown.includes(item.id) ? next.next().value! : item.id))
    await sql.query({
      text: `UPDATE playlist_items i SET position = o.position
               FROM unnest($2::uuid[]) WITH ORDINALITY AS o (id, position)
              WHERE i.playlist_id = $1 AND i.recording_id = o.id`,
      values: [id, order],
    })
    await recordItem(sql, actor, 'playlist.order', playlist)
  })
}

const recordItem = (
  sql: Sql,
  actor: PersonActor,
  action: 'playlist.add' | 'playlist.remove' | 'playlist.order',
  playlist: PlaylistJson,
  details?: object,
): Promise<void> => recordAuditChange(sql, actor, { action, object: playlistStore.auditObjectOf(playlist), details })
