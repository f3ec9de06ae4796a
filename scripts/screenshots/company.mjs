/** Adds to the company of `npm run demo` what its people do: logins, audio, a comment, and a call assigned to its manager. */

import { linkSync } from 'node:fs'
import { join } from 'node:path'
import { computePeaks } from './calls.mjs'

const DEPARTMENT = 'Export (demo)'
export const HEAD_CREDENTIALS = { email: 'hanna@example.com', password: 'forty green umbrellas' }

/**
 * Logs a person in.
 * @returns functions that call the API with their session
 */
export async function logInToApi(api, credentials) {
  const headers = { 'Content-Type': 'application/json' }
  const login = await fetch(`${api}/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(credentials) })
  headers.Cookie = login.headers.get('set-cookie').split(';')[0]
  const send = async (path, options) => {
    const response = await fetch(api + path, { ...options, headers })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return {
    get: (path) => send(path),
    post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body) }),
    put: (path, body) => send(path, { method: 'PUT', body: JSON.stringify(body) }),
  }
}

/** Fills a department of the demo. @returns the pages of its head */
export async function seedCompany(db, { api, folder, owner, audio }) {
  const department = (await owner.get('/v1/departments')).items.find(({ name }) => name === DEPARTMENT)
  await db.query('UPDATE departments SET name = $1 WHERE id = $2', ['Export', department.id])
  const departments = [department.id]
  await owner.post('/v1/people', { ...HEAD_CREDENTIALS, name: 'Hanna Novik', role: 'head', departments })
  const { managers } = await owner.get(`/v1/departments/${department.id}`)
  for (const name of managers) {
    const email = `${name.split(' ')[0].toLowerCase()}@example.com`
    await owner.post('/v1/people', { email, name, password: HEAD_CREDENTIALS.password, role: 'manager', departments })
  }
  await addAudio(db, join(folder, 'audio'), managers, audio)
  const head = await logInToApi(api, HEAD_CREDENTIALS)
  const { items } = await head.get('/v1/recordings?scoreFrom=60&scoreBelow=80&direction=INBOUND&pageSize=50')
  const call = items.toSorted((a, b) => b.durationSeconds - a.durationSeconds)[0].id
  await comment(head, call)
  await head.post('/v1/assignments', {
    recordingId: items.find(({ id }) => id !== call).id,
    reason: 'Agree the next step',
  })
  return { 'home-head': '/', 'reviews-head': '/reviews', 'recording-head': `/recordings/${call}` }
}

/** Gives the calls of the managers the audio of the sample and waveforms of their words. */
async function addAudio(db, audioFolder, managers, { storage_key: storageKey, size_bytes: size }) {
  const { rows } = await db.query(
    `SELECT r.id, r.duration_seconds AS duration, t.segments FROM recordings r JOIN transcripts t ON t.recording_id = r.id
      WHERE r.manager_name = ANY ($1)`,
    [managers],
  )
  for (const [index, { id, duration, segments }] of rows.entries()) {
    const key = `${storageKey}-${index}`
    linkSync(join(audioFolder, storageKey), join(audioFolder, key))
    await db.query('UPDATE recordings SET storage_key = $1, size_bytes = $2 WHERE id = $3', [key, size, id])
    await db.query('INSERT INTO waveforms VALUES ($1, $2, $3)', [id, duration, computePeaks({ segments, duration })])
  }
}

/** Comments on the first long sentence of the manager. */
async function comment(head, id) {
  const { segments } = await head.get(`/v1/recordings/${id}/transcript`)
  const { start } = segments.find(({ channel, text }) => channel === 0 && text.length > 60)
  await head.post(`/v1/recordings/${id}/comments`, {
    at: start,
    text: 'Well explained. Now offer a day for the visit.',
  })
}
