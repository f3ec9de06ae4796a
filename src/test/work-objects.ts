import { insertBulkAction } from './bulk-actions.ts'
import { generateId } from '../platform/lib/ids.ts'
import type { TestClient, TestResponse } from './client.ts'
import type { TestObjectFactory } from './object-factory.ts'
import { describeResult, type PermissionAttempt as Attempt } from './permission-table.ts'
import type { TestApp } from './server.ts'

/** Inserts a comment of a person on a call. @returns its id */
export async function insertComment({ db }: TestApp, recordingId: string, personId: string): Promise<string> {
  const id = generateId()
  await db.query(
    `INSERT INTO call_comments (id, recording_id, at_seconds, text, person_id) VALUES ($1, $2, 0, 'Well said', $3)`,
    [id, recordingId, personId],
  )
  return id
}

/** Inserts a view or a playlist of a person, private or shared with a department. @returns its id */
export async function insertShared(
  { db }: TestApp,
  table: 'saved_views' | 'playlists',
  personId: string,
  departmentId: string | null = null,
): Promise<string> {
  const id = generateId()
  const columns = table === 'saved_views' ? `, filters) VALUES ($1, $2, $3, $4, '{}')` : ') VALUES ($1, $2, $3, $4)'
  await db.query(`INSERT INTO ${table} (id, person_id, department_id, name${columns}`, [
    id,
    personId,
    departmentId,
    `List ${id.slice(-8)}`,
  ])
  return id
}

/** Adds a call to a playlist. */
export async function insertPlaylistItem(
  { db }: TestApp,
  playlistId: string,
  recordingId: string,
  personId: string,
): Promise<void> {
  await db.query('INSERT INTO playlist_items (id, playlist_id, recording_id, person_id) VALUES ($1, $2, $3, $4)', [
    generateId(),
    playlistId,
    recordingId,
    personId,
  ])
}

/** Assigns a call to a person. @returns the id of the assignment */
export async function insertAssignment(
  { db }: TestApp,
  recordingId: string,
  personId: string,
  creatorId = personId,
): Promise<string> {
  const id = generateId()
  await db.query(
    `INSERT INTO assignments (id, recording_id, person_id, creator_id, reason) VALUES ($1, $2, $3, $4, 'Hear the end')`,
    [id, recordingId, personId, creatorId],
  )
  return id
}

/** Inserts an unread notification about a call. @returns its id */
export async function insertNotification({ db }: TestApp, recordingId: string, personId: string): Promise<string> {
  const id = generateId()
  await db.query(
    `INSERT INTO notifications (id, person_id, kind, cause, recording_id) VALUES ($1, $2, 'comment', $4, $3)`,
    [id, personId, recordingId, id],
  )
  return id
}

interface TestCalibration {
  id: string
  callId: string
  ruleId: string
}

/**
 * Inserts a calibration with one rule of a checked call, created by a person who also judges and has judged the rule.
 * @param finding the path of the finding of the check
 */
async function insertCalibration({ db }: TestApp, finding: string, personId: string): Promise<TestCalibration> {
  const id = generateId()
  const [callId, ruleId] = finding.match(/[0-9a-f-]{36}/g)! as [string, string]
  await db.query(
    `WITH created AS (INSERT INTO calibrations (id, creator_id, name) VALUES ($1, $2, 'Calibration')),
          call AS (INSERT INTO calibration_calls (calibration_id, analysis_id)
                   SELECT $1, analysis_id FROM findings WHERE id = $3),
          person AS (INSERT INTO calibration_people (calibration_id, person_id) VALUES ($1, $2))
     INSERT INTO calibration_verdicts (calibration_id, person_id, finding_id, verdict) VALUES ($1, $2, $3, 'met')`,
    [id, personId, ruleId],
  )
  return { id, callId, ruleId }
}

/** Submits the verdicts of all participants of a calibration. */
const submitCalibrationForAll = ({ db }: TestApp, id: string): Promise<unknown> =>
  db.query('UPDATE calibration_people SET submitted_at = now() WHERE calibration_id = $1', [id])

interface CalibrationReference {
  operation: { id: string }
  /** A part is a call or a rule in a calibration of the person. */
  kind: 'calibration' | 'calibrationPart'
  which: 'own' | 'foreign' | 'unknown'
  /** Creates a checked call and returns the path of a finding. */
  find: (which: 'own' | 'foreign') => Promise<string>
  personId: string
}

/** Inserts a calibration with its call and rule. @returns the ids by path parameter */
export async function createCalibrationReference(
  app: TestApp,
  { operation, kind, which, find, personId }: CalibrationReference,
): Promise<Record<string, string>> {
  const isPart = kind === 'calibrationPart'
  const calibration = await insertCalibration(app, await find(isPart && which === 'foreign' ? which : 'own'), personId)
  if (operation.id === 'readCalibrationResults') await submitCalibrationForAll(app, calibration.id)
  if (which !== 'unknown') return { ...calibration }
  const unknownPart = { callId: generateId(), ruleId: generateId() }
  return isPart ? { ...calibration, ...unknownPart } : { ...calibration, id: generateId() }
}

/** Inserts an owner without a password. @returns their id */
export async function insertOwner({ db }: TestApp): Promise<string> {
  const id = generateId()
  await db.query(
    `INSERT INTO people (id, email, name, role, rights, password_hash) VALUES ($1, $2, $3, 'owner', '{}', 'none')`,
    [id, `${id}@example.com`, `Owner ${id.slice(-8)}`],
  )
  return id
}

/** Creates the attempts of the permission table on objects of the module `work`. */
export const createWorkAttempts = (getObjects: () => TestObjectFactory): Record<string, Attempt> => {
  /** Calls the operation with a comment on the call: of the caller if it is their own, else of its department. */
  const onComment =
    (act: (client: TestClient, address: string) => Promise<TestResponse>): Attempt =>
    async (client, caller, whose) => {
      const objects = getObjects()
      const { id } = await objects.call(caller, whose)
      const author = whose === 'own' ? objects.persons[caller] : (await objects.person(caller, 'sales')).id
      return act(client, `/v1/recordings/${id}/comments/${await insertComment(objects.app, id, author)}`)
    }
  /** Calls the operation with an assignment to and by the caller if it is their own, else to and by a person of Sales. */
  const onAssignment =
    (act: (client: TestClient, id: string) => Promise<TestResponse | string>): Attempt =>
    async (client, caller, whose) => {
      const objects = getObjects()
      const { id } = await objects.call(caller, whose)
      const person = whose === 'own' ? objects.persons[caller] : (await objects.person(caller, 'sales')).id
      return act(client, await insertAssignment(objects.app, id, person))
    }
  /** Calls the operation with a bulk action of the caller if it is their own, else of a person of Sales. */
  const onBulkAction =
    (act: (client: TestClient, id: string) => Promise<TestResponse | string>): Attempt =>
    async (client, caller, whose) => {
      const { app, persons } = getObjects()
      const owner = whose === 'own' ? persons[caller] : (await getObjects().person(caller, 'sales')).id
      return act(client, await insertBulkAction(app, owner))
    }
  /** Calls the operation with a view or playlist: private of the caller or of nobody they know, or shared with a department. */
  const onShared =
    (
      table: 'saved_views' | 'playlists',
      act: (client: TestClient, id: string) => Promise<TestResponse | string>,
    ): Attempt =>
    async (client, caller, whose) => {
      const objects = getObjects()
      const author = whose === 'own' ? objects.persons[caller] : (await objects.person(caller, 'support')).id
      return act(client, await insertShared(objects.app, table, author, objects.inDepartment(whose)[0]))
    }
  const createShared =
    (path: string, more: object): Attempt =>
    (client, _caller, whose) =>
      client.post(path, { name: 'List', departmentId: getObjects().inDepartment(whose)[0], ...more })
  /** Calls the operation with a call and a private playlist of the caller. */
  const onPlaylistCall =
    (act: (client: TestClient, playlist: string, call: string) => Promise<TestResponse>, isIn: boolean): Attempt =>
    async (client, caller, whose) => {
      const { app, persons } = getObjects()
      const { id } = await getObjects().call(caller, whose)
      const playlist = await insertShared(app, 'playlists', persons[caller])
      if (isIn) await insertPlaylistItem(app, playlist, id, persons[caller])
      return act(client, playlist, id)
    }
  /** Calls the operation with a calibration of the caller on their own call, or of others on a call of their department. */
  const onCalibration =
    (act: (client: TestClient, calibration: TestCalibration) => Promise<TestResponse | string>): Attempt =>
    async (client, caller, whose) => {
      const objects = getObjects()
      const person = whose === 'own' ? objects.persons[caller] : (await objects.person(caller, 'sales')).id
      return act(client, await insertCalibration(objects.app, await objects.finding(caller, whose), person))
    }
  const onCall =
    (act: (client: TestClient, address: string) => Promise<TestResponse>): Attempt =>
    async (client, caller, whose) =>
      act(client, `/v1/recordings/${(await getObjects().call(caller, whose)).id}`)
  return {
    listComments: onCall((client, address) => client.get(`${address}/comments`)),
    listMentionablePeople: onCall((client, address) => client.get(`${address}/mentionable-people`)),
    createComment: onCall((client, address) => client.post(`${address}/comments`, { at: 0, text: 'Well said' })),
    changeComment: onComment((client, address) => client.patch(address, { text: 'Well said' })),
    deleteComment: onComment((client, address) => client.delete(address)),
    listAssignments: onAssignment(async (client, id) =>
      describeResult(await client.get('/v1/assignments?pageSize=100'), ({ text }) => text.includes(id)),
    ),
    createAssignment: async (client, caller, whose) => {
      // Anna, the manager of most calls of Sales, has no login.
      const { id: recordingId } = await getObjects().call(caller, whose, whose === 'sales' ? { manager: 'Max' } : {})
      return client.post('/v1/assignments', { recordingId, reason: 'Hear the end' })
    },
    acknowledgeAssignment: onAssignment((client, id) => client.post(`/v1/assignments/${id}/acknowledge`)),
    deleteAssignment: onAssignment((client, id) => client.delete(`/v1/assignments/${id}`)),
    listBulkActions: onBulkAction(async (client, id) =>
      describeResult(await client.get('/v1/bulk-actions'), ({ text }) => text.includes(id)),
    ),
    createBulkAction: async (client, caller, whose) => {
      const { id } = await getObjects().call(caller, whose)
      const answer = await client.post('/v1/bulk-actions', { action: 'delete', filters: { ids: id } })
      return answer.status === 201 ? (answer.json.total === 1 ? 'yes' : 'no') : String(answer.status)
    },
    readBulkAction: onBulkAction((client, id) => client.get(`/v1/bulk-actions/${id}`)),
    cancelBulkAction: onBulkAction((client, id) => client.post(`/v1/bulk-actions/${id}/cancel`)),
    listViews: onShared('saved_views', async (client, id) =>
      describeResult(await client.get('/v1/views'), ({ text }) => text.includes(id)),
    ),
    createView: createShared('/v1/views', { filters: {} }),
    countView: onShared('saved_views', (client, id) => client.get(`/v1/views/${id}/count`)),
    subscribeToView: onShared('saved_views', (client, id) =>
      client.send(`/v1/views/${id}/subscription`, { method: 'PUT' }),
    ),
    unsubscribeFromView: onShared('saved_views', (client, id) => client.delete(`/v1/views/${id}/subscription`)),
    changeView: onShared('saved_views', (client, id) => client.patch(`/v1/views/${id}`, { name: 'List' })),
    deleteView: onShared('saved_views', (client, id) => client.delete(`/v1/views/${id}`)),
    listPlaylists: onShared('playlists', async (client, id) =>
      describeResult(await client.get('/v1/playlists'), ({ text }) => text.includes(id)),
    ),
    createPlaylist: createShared('/v1/playlists', {}),
    readPlaylist: onShared('playlists', (client, id) => client.get(`/v1/playlists/${id}`)),
    changePlaylist: onShared('playlists', (client, id) => client.patch(`/v1/playlists/${id}`, { name: 'List' })),
    deletePlaylist: onShared('playlists', (client, id) => client.delete(`/v1/playlists/${id}`)),
    orderPlaylist: onShared('playlists', (client, id) => client.put(`/v1/playlists/${id}/order`, { recordingIds: [] })),
    addPlaylistItem: onPlaylistCall(
      (client, playlist, recordingId) => client.post(`/v1/playlists/${playlist}/items`, { recordingId }),
      false,
    ),
    removePlaylistItem: onPlaylistCall(
      (client, playlist, recordingId) => client.delete(`/v1/playlists/${playlist}/items/${recordingId}`),
      true,
    ),
    listCalibrations: onCalibration(async (client, { id }) =>
      describeResult(await client.get('/v1/calibrations?pageSize=100'), ({ text }) => text.includes(id)),
    ),
    createCalibration: async (client, caller, whose) => {
      const { app } = getObjects()
      const [recordingId] = (await getObjects().finding(caller, whose)).match(/[0-9a-f-]{36}/g)!
      const participantIds = [await insertOwner(app), await insertOwner(app)]
      return client.post('/v1/calibrations', { name: 'Calibration', recordingIds: [recordingId], participantIds })
    },
    readCalibration: onCalibration((client, { id }) => client.get(`/v1/calibrations/${id}`)),
    readCalibrationCall: onCalibration((client, { id, callId }) =>
      client.get(`/v1/calibrations/${id}/calls/${callId}`),
    ),
    judgeCalibrationRule: onCalibration((client, { id, ruleId }) =>
      client.put(`/v1/calibrations/${id}/rules/${ruleId}`, { verdict: 'missed' }),
    ),
    submitCalibration: onCalibration((client, { id }) => client.post(`/v1/calibrations/${id}/submit`)),
    readCalibrationResults: onCalibration(async (client, { id }) => {
      await submitCalibrationForAll(getObjects().app, id)
      return client.get(`/v1/calibrations/${id}/results`)
    }),
    deleteCalibration: onCalibration((client, { id }) => client.delete(`/v1/calibrations/${id}`)),
    listNotifications: async (client, caller, whose) => {
      const objects = getObjects()
      const { id } = await objects.call(caller, whose)
      const person = whose === 'own' ? objects.persons[caller] : (await objects.person(caller, 'sales')).id
      await insertNotification(objects.app, id, person)
      return describeResult(await client.get('/v1/notifications?pageSize=100'), ({ text }) => text.includes(id))
    },
  }
}
