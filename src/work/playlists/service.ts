import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { isoTimeSql } from '../../reports/query-rows.ts'
import { personReferenceSql } from '../schema.ts'
import { presentShared, SharedStore, visibleSharedCondition } from '../sharing.ts'
import { playlistMessages } from './messages.ts'
import type { PlaylistJson } from './schema.ts'
import { MAX_PLAYLISTS } from './values.ts'

interface NewPlaylist {
  name: string
  departmentId?: string | null
}

type PlaylistRow = Omit<PlaylistJson, 'canChange'>

export const playlistStore = new SharedStore<PlaylistRow>({
  type: 'playlist',
  table: 'playlists',
  limit: MAX_PLAYLISTS,
  tooMany: () => playlistMessages.tooMany({ limit: MAX_PLAYLISTS }),
  notFound: playlistMessages.noPlaylist,
  select: selectPlaylists,
})

/** Lists the playlists that the actor sees, by name. @param recordingId only those that contain this visible call */
export async function listPlaylists(
  { pool }: Core,
  actor: PersonActor,
  { recordingId, counts }: { recordingId?: string; counts?: boolean },
): Promise<{ items: PlaylistJson[] }> {
  const rows = await selectPlaylists(pool, actor, [], { recordingId, counts })
  return { items: rows.map((row) => presentShared(row, actor)) }
}

async function selectPlaylists(
  sql: Sql,
  actor: PersonActor,
  conditions: SqlConditions,
  {
    recordingId,
    counts = true,
    lock = '',
  }: { recordingId?: string | undefined; counts?: boolean | undefined; lock?: string } = {},
): Promise<PlaylistRow[]> {
  const p = new SqlParameters()
  const visibleItems = (more: SqlConditions) =>
    `FROM playlist_items i JOIN recordings r ON r.id = i.recording_id
      WHERE i.playlist_id = s.id AND ${p.and([...visibleRecordingsCondition(actor), ...more])}`
  const containsCall =
    recordingId && `AND EXISTS (SELECT ${visibleItems(toConditions(['r.id = ?::uuid', recordingId]))})`
  const { rows } = await sql.query<PlaylistRow>({
    text: `SELECT s.id, s.name, s.department_id AS "departmentId", d.name AS department,
                  ${personReferenceSql('s.person_id')} AS person, ${isoTimeSql('s.created_at')} AS "createdAt",
                  ${counts ? `(SELECT count(*)::int ${visibleItems([])})` : 'NULL'} AS calls
             FROM playlists s LEFT JOIN departments d ON d.id = s.department_id
            WHERE ${p.and([...visibleSharedCondition(actor), ...conditions])} ${containsCall ?? ''}
            ORDER BY lower(s.name), s.id ${lock}`,
    values: p.values,
  })
  return rows
}

/** @throws HttpError 400 for a department that is not the actor's, 409 if the actor has too many playlists */
export const createPlaylist = ({ db }: Core, actor: PersonActor, playlist: NewPlaylist): Promise<PlaylistJson> =>
  runInTransaction(db, (sql) => playlistStore.insert(sql, actor, playlist))

/** Changes the given fields. @throws HttpError 400 for a department that is not the actor's, 404 */
export const changePlaylist = (
  { db }: Core,
  actor: PersonActor,
  id: string,
  changes: Partial<NewPlaylist>,
): Promise<PlaylistJson> =>
  runInTransaction(db, async (sql) =>
    playlistStore.update(sql, actor, await playlistStore.lockChangeable(sql, actor, id), changes),
  )

/** @throws HttpError 404 */
export const deletePlaylist = ({ db }: Core, actor: PersonActor, id: string): Promise<void> =>
  runInTransaction(db, (sql) => playlistStore.delete(sql, actor, id))
