import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Config } from '../../platform/config/config.ts'
import { createLogger } from '../../platform/lib/log.ts'
import { startApi } from '../commands/api.ts'
import { TestClient } from '../../test/client.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { TestS3Server } from '../../test/s3-server.ts'
import {
  createDatabaseFromTemplate,
  OWNER_CREDENTIALS,
  startTestApp,
  makeTestConfig,
  type TestApp,
} from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { createBackup, type BackupManifest } from './backup.ts'
import type { InstallationConfig } from './installation.ts'
import { restoreBackup } from './restore.ts'
import { listDatabaseTables, withPostgresClient } from './tables.ts'

const NEW_MANAGER = { email: 'max@example.com', name: 'Max', role: 'manager', password: 'a long password' }
const silentLog = createLogger('silent', 'test')

/** Loads all calls with their audio, the count of a search, and the facets. */
async function loadEverything(url: string, keys: Record<string, string>) {
  const ida = new TestClient(() => url, keys)
  const calls = (await ida.get('/v1/recordings?pageSize=100')).json.items as { id: string }[]
  const whole = await Promise.all(
    calls.map(async ({ id }) => ({
      call: (await ida.get(`/v1/recordings/${id}`)).json,
      sound: (await ida.get(`/v1/recordings/${id}/audio`)).text,
    })),
  )
  const found = (await ida.get('/v1/recordings?q=hello')).json.total
  const facets = (await ida.get('/v1/recordings/facets')).json
  return { whole, found, facets }
}

describe('backup and restore', () => {
  for (const kind of ['local', 's3'] as const) {
    describe(`audio in ${kind === 'local' ? 'a folder' : 'S3'}`, () => {
      const recognizer = new ScriptedRecognizer()
      const s3 = new TestS3Server()
      const folder = mkdtempSync(join(tmpdir(), 'svc-backup-'))
      let app: TestApp
      let database: { url: string; drop(): Promise<void> }
      /** The configuration of an empty installation with the other kind of storage. */
      let target: Config
      let manifest: BackupManifest
      const installed = (config: Config) => config as InstallationConfig

      before(async () => {
        recognizer.answer = (recognition) => recognition.finish('hello from the call')
        await Promise.all([recognizer.start(), s3.start()])
        app = await startTestApp({ STORAGE_KIND: kind, asrUrl: recognizer.url, ...s3.config })
        database = await createDatabaseFromTemplate('template0')
        const other = kind === 's3' ? 'local' : 's3'
        const config = { STORAGE_KIND: other, asrUrl: recognizer.url, ...s3.config } as const
        target = makeTestConfig(database.url, join(folder, 'target'), config)
        for (const n of [1, 2, 3]) {
          await app.ida.upload(`sound ${n}`, { externalCallId: `c-${n}`, managerName: 'Анна' })
        }
        expect((await app.olga.post('/v1/people', NEW_MANAGER)).status).to.equal(201)
        await waitUntil('all are done', async () => (await app.ida.get('/v1/recordings?status=DONE')).json.total === 3)
      })
      after(async () => {
        await app.stop()
        await database.drop()
        await Promise.all([recognizer.stop(), s3.stop()])
        rmSync(folder, { recursive: true, force: true })
      })

      it('a backup during uploads and deletions has exactly the audio of its calls', async () => {
        const traffic = new AbortController()
        const passing = (async () => {
          for (let n = 0; !traffic.signal.aborted; n++) {
            const { json } = await app.ida.upload(`passing ${n}`)
            await app.ida.delete(`/v1/recordings/${json.id}`)
          }
        })()
        manifest = await createBackup(installed(app.config), join(folder, 'made'))
        traffic.abort()
        await passing
        const audio = readFileSync(join(folder, 'made/audio.jsonl'), 'utf8').trim().split('\n')
        expect(audio).to.have.length(manifest.audioFiles)
        expect(manifest.missingAudio).to.deep.equal([])
        expect(manifest.audioFiles).to.be.at.least(3)
      })

      it('backup rejects a folder that is not empty', async () => {
        const refusal = await createBackup(installed(app.config), join(folder, 'made')).catch(
          (error: Error) => error.message,
        )
        expect(refusal).to.match(/is not empty/)
      })

      it('restore rejects a used installation and a damaged backup before it writes', async () => {
        const message = (config: Config) =>
          restoreBackup(installed(config), join(folder, 'made'), silentLog).then(
            () => 'restored',
            (error: Error) => error.message,
          )
        expect(await message(app.config)).to.match(/the database is not empty/)
        const file = join(folder, 'made/tables/people.copy.gz')
        const right = readFileSync(file)
        appendFileSync(file, 'x')
        expect(await message(target)).to.match(/people\.copy\.gz is damaged: it has \d+ bytes/)
        // Reading all files takes hours for a large backup, so a used database is rejected first.
        expect(await message(app.config)).to.match(/the database is not empty/)
        writeFileSync(file, right)
        const list = join(folder, 'made/backup.json')
        const whole = readFileSync(list, 'utf8')
        writeFileSync(list, JSON.stringify({ ...manifest, migrations: manifest.migrations.slice(0, -1) }))
        const later = await createDatabaseFromTemplate()
        expect(await message({ ...target, DATABASE_URL: later.url })).to.match(/the schema of a later release/)
        await later.drop()
        writeFileSync(list, JSON.stringify({ ...manifest, migrations: [...manifest.migrations, 'Tomorrow'] }))
        expect(await message(target)).to.match(/which is newer: restore it with that version/)
        rmSync(list)
        expect(await message(target)).to.match(/holds no whole backup/)
        writeFileSync(list, whole)
        expect(await withPostgresClient(database.url, listDatabaseTables)).to.deep.equal([])
      })

      it('a restored service has all calls, texts, audio, counts, people and keys', async () => {
        const wanted = await loadEverything(app.url, app.ida.headers)
        expect(wanted.found, 'found by a word').to.equal(3)
        await restoreBackup(installed(target), join(folder, 'made'), silentLog)
        const api = await startApi(target, silentLog)
        try {
          const url = `http://127.0.0.1:${api.port}`
          const ida = new TestClient(() => url, app.ida.headers)
          // Calls were added and deleted during the backup. The backup contains at most the one that existed at its snapshot.
          const restored = (await ida.get('/v1/recordings')).json.items as {
            id: string
            externalCallId: string | null
          }[]
          const passing = restored.filter(({ externalCallId }) => externalCallId === null)
          expect(passing.length).to.be.at.most(1)
          for (const { id } of passing) expect((await ida.delete(`/v1/recordings/${id}`)).status).to.equal(204)
          expect(await loadEverything(url, app.ida.headers)).to.deep.equal(wanted)
          const nobody = new TestClient(() => url, {})
          for (const { email, password } of [OWNER_CREDENTIALS, NEW_MANAGER]) {
            expect((await nobody.post('/v1/auth/login', { email, password })).status, email).to.equal(200)
          }
          expect((await ida.upload('again', { externalCallId: 'c-1' })).status).to.equal(409)
          const { json } = await ida.upload('a new one')
          await waitUntil('it is done', async () => (await ida.get(`/v1/recordings/${json.id}`)).json.status === 'DONE')
          expect((await ida.get('/v1/recordings/facets')).json.total).to.equal(4)
        } finally {
          await api.stop()
        }
      })
    })
  }
})
