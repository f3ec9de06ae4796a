import type { Core } from '../../platform/core.ts'
import http from 'node:http'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { openAppCore, type CoreHandle } from '../../app/core.ts'
import { createLogger } from '../../platform/lib/log.ts'
import type { AudioStorage } from '../../platform/storage/storage.ts'
import { openAudioStorage } from '../../platform/storage/open.ts'
import { TestClient } from '../../test/client.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { waitUntil } from '../../test/wait.ts'
import { removeDueFiles } from './audio-files.ts'

const ROUNDS = chooseRepeatCount(5, 100)

describe('planned removals of files', () => {
  let app: TestApp
  let core: Core
  let opened: CoreHandle
  /** Replaces the removal of a key in the storage. Undefined means that the key is removed as usual. */
  let fault: (key: string) => Promise<void> | undefined
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    opened = await openAppCore(app.config, createLogger('silent', 'test'))
    core = { ...opened.core, storage: await openFaultyStorage() }
  })
  after(async () => {
    await opened.close()
    await app.stop()
  })
  beforeEach(() => void (fault = () => undefined))
  afterEach(() => app.db.query('DELETE FROM file_removals'))

  async function openFaultyStorage(): Promise<AudioStorage> {
    const storage = await openAudioStorage(app.config)
    const remove = storage.remove.bind(storage)
    return Object.assign(storage, { remove: async (key: string) => (await fault(key)) ?? (await remove(key)) })
  }
  const path = (key: string) => join(app.config.audioDir, key)
  async function putFile(key: string, content = key): Promise<void> {
    await mkdir(path('in'), { recursive: true })
    await writeFile(path(`in/${key}.wav`), content)
  }
  const register = (key: string) => app.ida.post('/v1/recordings/from-storage', { storageKey: `in/${key}.wav` })
  const uploaded = () => readdir(path('uploads'), { recursive: true }).catch((): string[] => [])
  const planned = async () =>
    (await app.db.query('SELECT storage_key AS key FROM file_removals ORDER BY 1')).rows.map(({ key }) => key)
  const plan = (key: string, due: string) =>
    app.db.query(`INSERT INTO file_removals VALUES ($1, now() + $2::interval)`, [`in/${key}.wav`, due])

  it('a new file under a removed key stays, while another process removes slowly', async () => {
    for (const key of ['slow', 'again']) await putFile(key)
    await plan('slow', '-2 min')
    await plan('again', '-1 min')
    let release!: () => void
    const held = new Promise<void>((resolve) => (release = resolve))
    let holds = false
    fault = (key) => {
      if (key !== 'in/slow.wav' || holds) return undefined
      holds = true
      return held
    }
    const slow = removeDueFiles(core)
    await waitUntil('one removal is held', () => holds)
    expect((await register('slow')).status, 'what is being removed').to.equal(404)
    await removeDueFiles(core)
    expect(await planned(), 'another process passes by what is held').to.deep.equal(['in/slow.wav'])
    await putFile('again', 'a new call')
    const { status, json } = await register('again')
    expect(status).to.equal(201)
    release()
    await slow
    expect(await planned()).to.deep.equal([])
    expect((await app.ida.get(`/v1/recordings/${json.id}/audio`)).text).to.equal('a new call')
  })

  it('a failed removal blocks no others, is retried later, and cannot be registered', async () => {
    const bad = Array.from({ length: 120 }, (_, n) => `bad-${String(n).padStart(3, '0')}`)
    for (const key of bad) await plan(key, '-2 days')
    for (const key of ['good', 'bad-000']) await putFile(key)
    await plan('good', '-1 min')
    let tried = 0
    fault = (key) => {
      if (!key.startsWith('in/bad')) return undefined
      tried++
      return Promise.reject(new Error('read-only'))
    }
    await removeDueFiles(core)
    expect(await planned()).to.deep.equal(bad.map((key) => `in/${key}.wav`))
    await removeDueFiles(core)
    expect(tried, 'each once, until its pause is over').to.equal(bad.length)
    expect((await register('bad-000')).status).to.equal(404)
    await app.db.query(`UPDATE file_removals SET due_at = due_at - interval '11 min'`)
    fault = () => undefined
    await removeDueFiles(core)
    expect(await planned()).to.deep.equal([])
    expect((await register('bad-000')).status, 'it is gone').to.equal(404)
  })

  it('the file of a deleted recording is removed even after a clock shift', async () => {
    await putFile('back')
    const { json } = await register('back')
    await rm(path('in/back.wav'))
    await mkdir(path('in/back.wav')) // This path is no file of the service, so the service ignores it and keeps no row for it.
    expect((await app.ida.delete(`/v1/recordings/${json.id}`)).status).to.equal(204)
    expect(await planned()).to.deep.equal([])
    await rm(path('in/back.wav'), { recursive: true })
    await app.db.query(`INSERT INTO file_removals VALUES ('in/back.wav', '-infinity')`)
    await putFile('back')
    // Moving every stored time forward is equivalent to setting the clock back by a day.
    await app.db.query(`UPDATE file_removals SET due_at = due_at + interval '1 day'`)
    await removeDueFiles(core)
    expect(await planned()).to.deep.equal([])
    expect((await register('back')).status).to.equal(404)
  })

  for (const moment of ['while its file arrives', 'between file and fields'] as const) {
    it(`an upload gets 503 and leaves nothing if the clock jumps ${moment}`, async () => {
      const upload = beginUpload(moment === 'while its file arrives' ? 'half' : 'whole')
      const arriving = moment === 'while its file arrives'
      await waitUntil('it is on the disk', async () => {
        const names = await uploaded()
        return names.some((name) => /[0-9a-f-]{36}(\.part)?$/.test(name) && name.endsWith('.part') === arriving)
      })
      await app.db.query(`UPDATE file_removals SET due_at = due_at - interval '25 hours'`)
      await removeDueFiles(core)
      expect(await planned()).to.deep.equal([])
      expect((await upload.finish()).statusCode).to.equal(503)
      expect((await app.ida.get('/v1/recordings?source=upload')).json.total).to.equal(0)
      expect(await planned()).to.deep.equal([])
      expect((await uploaded()).filter((name) => /[0-9a-f-]{36}/.test(name))).to.deep.equal([])
      const { json } = await app.ida.upload('sound')
      expect((await app.ida.get(`/v1/recordings/${json.id}/audio`)).text).to.equal('sound')
      await app.ida.delete(`/v1/recordings/${json.id}`)
    })
  }

  it('an upload succeeds if the clock is set back by a day', async () => {
    const upload = beginUpload('whole')
    await waitUntil('it is planned', async () => (await planned()).length === 1)
    await app.db.query(`UPDATE file_removals SET due_at = due_at + interval '1 day'`)
    await removeDueFiles(core)
    expect((await upload.finish()).statusCode).to.equal(201)
    const { items } = (await app.ida.get('/v1/recordings?source=upload')).json
    expect((await app.ida.get(`/v1/recordings/${items[0].id}/audio`)).text).to.equal('some sound')
    await app.ida.delete(`/v1/recordings/${items[0].id}`)
  })

  it('starting a worker postpones overdue removals by a day', async () => {
    const fresh = await startTestApp({ API_RUN_MODE: 'api' })
    try {
      const due = async () =>
        (await fresh.db.query(`SELECT storage_key AS key, due_at > now() + interval '23 hours' AS later, due_at = '-infinity' AS now
                                 FROM file_removals ORDER BY 1`)).rows // prettier-ignore
      await fresh.db.query(
        `INSERT INTO file_removals VALUES ('in/deleted.wav', '-infinity'), ('in/overdue.wav', now() - interval '3 days'),
                                          ('in/soon.wav', now() + interval '1 hour')`,
      )
      await fresh.restart({ API_RUN_MODE: 'api' })
      expect(await due(), 'a process that removes nothing').to.deep.include({
        key: 'in/overdue.wav',
        later: false,
        now: false,
      })
      await fresh.restart({ API_RUN_MODE: 'worker' })
      const notes = (await due()).filter(({ key }) => key !== 'in/deleted.wav')
      expect(notes).to.deep.equal([
        { key: 'in/overdue.wav', later: true, now: false },
        { key: 'in/soon.wav', later: false, now: false },
      ])
    } finally {
      await fresh.stop()
    }
  })

  /** Starts an upload that the test ends later. */
  function beginUpload(sent: 'half' | 'whole') {
    const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"`
    const file = `${part('file')}; filename="a.wav"\r\n\r\nsome sound`
    const field = `\r\n${part('phoneNumber')}\r\n\r\n+1\r\n--b--\r\n`
    const cut = sent === 'half' ? 4 : field.indexOf('+1')
    const headers = { ...app.ida.headers, 'Content-Type': 'multipart/form-data; boundary=b' }
    const length = { 'Content-Length': file.length + field.length }
    const request = http.request(`${app.url}/v1/recordings`, { method: 'POST', headers: { ...headers, ...length } })
    const responded = new Promise<http.IncomingMessage>((resolve, reject) => {
      request.on('response', (answer) => resolve(answer.resume())).on('error', reject)
    })
    request.write(file + (sent === 'half' ? '' : field.slice(0, cut)))
    return {
      finish() {
        request.end(sent === 'half' ? field : field.slice(cut))
        return responded
      },
    }
  }

  it(`a key that two processes remove and register at once keeps its file`, async () => {
    const processes = [1, 2].map(() => new ServiceProcess('api', { ...app.config, LOG_LEVEL: 'info' }))
    try {
      const ports = await Promise.all(processes.map((process) => process.waitUntilReady()))
      const [one, two] = ports.map((port) => new TestClient(() => `http://127.0.0.1:${port}`, app.ida.headers))
      let generation = 0
      await putFile('race', 'call 0')
      let { id } = (await register('race')).json
      for (let round = 0; round < ROUNDS; round++) {
        const [deleter, registrar] = round % 2 ? [one!, two!] : [two!, one!]
        const deleted = deleter.delete(`/v1/recordings/${id}`)
        // Writes the next call when the name is free. A PBX writes the file under another name first, then renames it.
        const registered = waitUntil('the next call is registered', async () => {
          await writeFile(path('in/next'), `call ${++generation}`)
          await rename(path('in/next'), path('in/race.wav'))
          const responses = await Promise.all([registrar, deleter].map((client) =>
            client.post('/v1/recordings/from-storage', { storageKey: 'in/race.wav' }),
          )) // prettier-ignore
          for (const { status, text } of responses) expect(status, text).to.be.oneOf([201, 404, 409])
          const created = responses.filter(({ status }) => status === 201)
          expect(created.length, 'registered once').to.be.at.most(1)
          return created[0]?.json.id
        })
        expect((await deleted).status).to.equal(204)
        id = await registered
        for (const client of [one!, two!]) {
          const { status, text } = await client.get(`/v1/recordings/${id}/audio`)
          expect(status, `round ${round}`).to.equal(200)
          expect(text).to.equal(`call ${generation}`)
        }
      }
    } finally {
      await Promise.all(processes.map((process) => process.stop('SIGKILL')))
    }
  })
})
