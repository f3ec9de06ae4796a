import type { Core } from '../../platform/core.ts'
import { rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Config } from '../../platform/config/config.ts'
import { openAppCore, type CoreHandle } from '../../app/core.ts'
import { createLogger } from '../../platform/lib/log.ts'
import { TestWatchedFolder } from '../../test/watched-folder.ts'
import { TestS3Server } from '../../test/s3-server.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { runStep } from '../../platform/queue/steps.ts'
import { ingestionStep } from './step.ts'

describe('ingestion', () => {
  const s3 = new TestS3Server()
  before(() => s3.start())
  after(() => s3.stop())

  const kinds: [string, Partial<Config>, string][] = [
    ['a local inbox', { INGESTION_SOURCE: 'local-inbox' }, 'inbox/'],
    ['a prefix of S3', { INGESTION_SOURCE: 's3', STORAGE_KIND: 's3', S3_INGEST_PREFIX: 'in/coming' }, 'in/coming/'],
    ['a prefix of S3 beside local storage', { INGESTION_SOURCE: 's3', S3_INGEST_PREFIX: 'beside/' }, 'beside/'],
    [
      'a local inbox beside S3 storage',
      { INGESTION_SOURCE: 'local-inbox', STORAGE_KIND: 's3', INGESTION_LOCAL_PREFIX: 'calls/new' },
      'calls/new/',
    ],
  ]
  for (const [what, settings, folder] of kinds) {
    describe(`ingestion from ${what}`, () => {
      let app: TestApp
      let opened: CoreHandle
      let core: Core
      let inbox: TestWatchedFolder
      let warnings: Record<string, unknown>[]
      const inS3 = settings.INGESTION_SOURCE === 's3'
      const scheme = inS3 === (settings.STORAGE_KIND === 's3') ? '' : inS3 ? 's3://' : 'local://'

      before(async () => {
        app = await startTestApp({ API_RUN_MODE: 'api', MAX_UPLOAD_MB: 1, ...s3.config, ...settings })
        const log = createLogger('silent', 'test')
        log.warn = (line: Record<string, unknown>) => void warnings.push(line)
        opened = await openAppCore(app.config, log)
        core = opened.core
        inbox = new TestWatchedFolder(inS3 ? s3 : app.config.audioDir, folder)
      })
      beforeEach(() => void (warnings = []))
      afterEach(async () => {
        s3.fault = () => undefined
        await app.db.query('DELETE FROM recordings')
        await drop('')
        await runIngestion()
      })
      after(async () => {
        await opened.close()
        await app.stop()
      })

      const put = (name: string, content: string | Buffer | object) => inbox.writeFile(name, content)
      const drop = (name: string) => inbox.deleteFile(name)

      /** Runs the ingestion once, as if its next run were due. */
      async function runIngestion(): Promise<void> {
        await app.db.query('UPDATE ingestion_runs SET due_at = now()')
        await runStep(core, ingestionStep)
      }
      /** Runs the ingestion after all files have settled and all pauses are over. */
      async function runIngestionLater(): Promise<void> {
        await app.db.query('UPDATE ingestion_files SET next_attempt_at = now()')
        await runIngestion()
      }
      const recordings = async () =>
        (
          await app.db.query(
            `SELECT id, source, status, storage_key, external_call_id, file_name, size_bytes::int, priority
               FROM recordings ORDER BY storage_key`,
          )
        ).rows
      const state = async () => (await app.ida.get('/v1/ingestion')).json

      it('a pause stops the registration of files until an owner resumes it', async () => {
        const pause = (paused: unknown) => app.olga.put('/v1/ingestion', { paused })
        await put('a.wav', 'some sound')
        await runIngestion()
        const paused = await pause(true)
        expect([paused.status, paused.json.paused]).to.deep.equal([200, true])
        expect(await ingestionStep.isReady!(core), 'no run begins').to.equal(false)
        await runIngestionLater()
        expect(await recordings()).to.deep.equal([])
        expect(await state()).to.include({ paused: true, found: 1, registered: 0, failed: 0, lastError: null })
        expect((await pause(false)).json.paused).to.equal(false)
        expect(await ingestionStep.isReady!(core)).to.equal(true)
        await runIngestionLater()
        expect(await recordings()).to.have.length(1)
      })

      it('ingestion registers a complete file once, with the fields of its JSON file', async () => {
        await put('a/звонок.WAV', 'some sound')
        await put('a/звонок.json', { externalCallId: `call ${what}`, priority: 4, direction: 'INBOUND' })
        await put('plain.mp3', 'other sound')
        await put('notes.txt', 'no sound')
        await put('orphan.json', 'not even JSON')
        await runIngestion()
        expect(await recordings(), 'at first sight nothing is sure').to.deep.equal([])
        await app.db.query(`UPDATE ingestion_files SET next_attempt_at = now() + interval '1 minute'`) // The file is not due yet.
        await runIngestion()
        expect(await recordings(), 'nor a moment later').to.deep.equal([])
        await runIngestionLater()
        const rows = await recordings()
        const row = (name: string, externalCallId: string | null, size: number, priority: number) => ({
          source: 'inbox',
          status: 'QUEUED',
          storage_key: scheme + folder + name,
          external_call_id: externalCallId,
          file_name: name.split('/').at(-1),
          size_bytes: size,
          priority,
        })
        expect(rows.map(({ id, ...rest }) => (expect(id).to.be.a('string'), rest))).to.deep.equal([
          row('a/звонок.WAV', `call ${what}`, 10, 4),
          row('plain.mp3', null, 11, 0),
        ])
        for (let again = 0; again < 3; again++) await runIngestionLater()
        expect(await recordings()).to.deep.equal(rows)
        const { lastRunAt, ...rest } = await state()
        expect(Date.parse(lastRunAt)).to.be.closeTo(Date.now(), 60_000)
        expect(rest).to.deep.equal({
          source: settings.INGESTION_SOURCE,
          prefix: inS3 ? app.config.S3_INGEST_PREFIX : app.config.INGESTION_LOCAL_PREFIX,
          paused: false,
          found: 2,
          registered: 2,
          failed: 0,
          lastError: null,
        })
        expect(warnings).to.deep.equal([])
        const path = `/v1/recordings/${rows[0].id}`
        expect((await app.ida.get(`${path}/audio`, { Range: 'bytes=5-' })).text).to.equal('sound')
        expect((await app.ida.delete(path)).status).to.equal(204)
        for (let again = 0; again < 3; again++) await runIngestionLater()
        expect(await recordings(), 'deleting took the file along').to.have.length(1)
      })

      it('ingestion waits until a file has stopped growing', async () => {
        for (let size = 1; size <= 4; size++) {
          await put('growing.wav', 'x'.repeat(size))
          await runIngestionLater()
          expect(await recordings()).to.deep.equal([])
        }
        await runIngestionLater()
        expect((await recordings()).map(({ size_bytes }) => size_bytes)).to.deep.equal([4])
      })

      const refusedFiles = async () => {
        const text = await (await fetch(app.metricsUrl)).text()
        return Number(/^svc_ingestion_refused_total (\d+)$/m.exec(text)![1])
      }

      it('ingestion reports an invalid JSON file once and registers it after its correction', async () => {
        const refused: [string, string | object, RegExp][] = [
          ['broken', '{"externalCallId": ', /broken\.wav: .*broken\.json: not valid JSON$/],
          ['list', '[]', /list\.json: body must be an object$/],
          ['unknown', { colour: 'red', direction: 'UP' }, /unknown\.json: .*(colour is not a known|direction).*; /],
          ['nothing', '', /nothing\.json: not valid JSON$/],
          ['proto', '{"__proto__": {"priority": 3}}', /proto\.json: __proto__ is not a known field$/],
          ['link', { callbackUrl: 'http://localhost/' }, /link\.json: callbackUrl must not point to a local name$/],
          ['huge', `{"externalCallId": "${'x'.repeat(1024 * 1024)}"}`, /huge\.json: must not exceed 1 MB$/],
        ]
        const before = await refusedFiles()
        await put('good.wav', 'x')
        await runIngestion()
        for (const [name, json, words] of refused) {
          await put(`${name}.wav`, 'x')
          await put(`${name}.json`, json)
          await runIngestion()
          await runIngestionLater()
          const { lastError } = await state()
          expect(lastError, name).to.match(words)
          const russian = (await app.olga.get('/v1/ingestion', { 'Accept-Language': 'ru' })).json.lastError
          expect(russian, name).to.match(new RegExp(`${name}\\.wav: .*${name}\\.json: .*[а-яё]`))
        }
        expect((await recordings()).map(({ file_name }) => file_name)).to.deep.equal(['good.wav'])
        expect(await state()).to.include({ found: 8, registered: 1, failed: 7 })
        for (let again = 0; again < 3; again++) await runIngestionLater()
        expect(warnings, 'each was told once').to.have.length(refused.length)
        expect((await refusedFiles()) - before, 'each was counted once').to.equal(refused.length)
        for (const [name] of refused) await put(`${name}.json`, { managerName: name })
        await runIngestionLater()
        expect(await recordings()).to.have.length(8)
        expect(await state()).to.include({ found: 8, registered: 8, failed: 0, lastError: null })
      })

      it('ingestion retries an invalid file after growing pauses', async () => {
        await put('faulty.wav', 'x')
        await put('faulty.json', 'x')
        await runIngestion()
        const pauses: number[] = []
        for (let attempt = 0; attempt < 9; attempt++) {
          await runIngestionLater()
          const { rows } = await app.db.query(
            `SELECT round(extract(epoch FROM next_attempt_at - now()))::int AS pause FROM ingestion_files`,
          )
          pauses.push(rows[0].pause)
        }
        expect(pauses.map((pause) => Math.round(pause / 10) * 10)).to.deep.equal([
          10, 20, 40, 80, 160, 320, 600, 600, 600,
        ])
      })

      it('ingestion reports known calls, empty files and files that are too large', async () => {
        await put('first.wav', 'x')
        await put('first.json', { externalCallId: `twice ${what}` })
        await runIngestion()
        await runIngestionLater()
        await put('second.wav', 'x')
        await put('second.json', { externalCallId: `twice ${what}` })
        await put('empty.wav', '')
        await put('large.wav', Buffer.alloc(1024 * 1024 + 1))
        await runIngestion()
        for (let again = 0; again < 4; again++) await runIngestionLater()
        expect(await recordings()).to.have.length(1)
        expect(await state()).to.include({ found: 4, registered: 1, failed: 3 })
        expect(warnings.map(({ fault }) => String(fault).replace(/^storageKey /, '')).sort()).to.deep.equal([
          'A recording with this call id or storage key is already registered',
          'The file is larger than 1 MB',
          'must not point to an empty file',
        ])
        for (const name of ['second.wav', 'empty.wav', 'large.wav']) await drop(name)
        await runIngestion()
        expect(await state()).to.include({ found: 1, registered: 1, failed: 0, lastError: null })
      })

      // More than one page of files for the first kind of storage. Fewer for the others, unless the test runs thoroughly.
      const many = settings === kinds[0]![1] ? 250 : chooseRepeatCount(40, 250)
      it(`five concurrent runs register each of ${many} files once`, async () => {
        await Promise.all(Array.from({ length: many }, (_, n) => put(`many/${n % 7}/${n}.wav`, `${n}`)))
        await runIngestion()
        expect(await state()).to.include({ found: many, registered: 0, failed: 0 })
        await app.db.query('UPDATE ingestion_files SET next_attempt_at = now()')
        await app.db.query('UPDATE ingestion_runs SET due_at = now()')
        await Promise.all(Array.from({ length: 5 }, () => runStep(core, ingestionStep)))
        expect(await recordings()).to.have.length(many)
        expect(warnings).to.deep.equal([])
        await runIngestion()
        expect(await state()).to.include({ found: many, registered: many, failed: 0 })
        expect((await app.db.query('SELECT FROM ingestion_files')).rowCount).to.equal(0)
      })

      it('a run continues after the lease of a dead one and stops if overtaken', async () => {
        await put('a.wav', 'x')
        await runIngestion()
        await app.db.query(
          `UPDATE ingestion_runs SET due_at = now(), run_token = gen_random_uuid(), lease_until = now() + interval '1 min'`,
        )
        await app.db.query('UPDATE ingestion_files SET next_attempt_at = now()')
        await runStep(core, ingestionStep)
        expect(await recordings(), 'somebody else is at it').to.deep.equal([])
        await app.db.query(`UPDATE ingestion_runs SET lease_until = now() - interval '1 s'`)
        const list = core.storage.list.bind(core.storage)
        core.storage.list = async function* (at: string) {
          await app.db.query('UPDATE ingestion_runs SET run_token = gen_random_uuid()')
          yield* list(at)
        }
        await runStep(core, ingestionStep)
        core.storage.list = list
        expect(await recordings(), 'it was overtaken').to.deep.equal([])
        await app.db.query(`UPDATE ingestion_runs SET lease_until = now() - interval '1 s'`)
        await runIngestion()
        expect(await recordings()).to.have.length(1)
      })

      if (inS3) {
        it('ingestion reports an unreachable storage and continues when it is back', async () => {
          await put('a.wav', 'x')
          await runIngestion()
          await runIngestionLater()
          s3.fault = () => 'break'
          await runIngestion().then(
            () => expect.fail('the schedule should hear of it'),
            () => undefined,
          )
          expect(await state()).to.include({ found: 1, registered: 1, failed: 0 })
          expect((await state()).lastError).to.match(/^The audio storage is not responding/)
          s3.fault = () => undefined
          await runIngestion()
          expect(await state()).to.include({ found: 1, registered: 1, lastError: null })
        })
      } else {
        it('ingestion ignores hidden files and symbolic links, and registers renamed files', async () => {
          const root = join(app.config.audioDir, folder)
          await put('.hidden.wav', 'x')
          await put('.hidden/a.wav', 'x')
          await writeFile(join(app.config.audioDir, 'outside.wav'), 'x')
          await symlink(join(app.config.audioDir, 'outside.wav'), join(root, 'linked.wav'))
          await symlink(root, join(root, 'circle'))
          await runIngestion()
          expect(await state()).to.include({ found: 0, failed: 0 })
          await rename(join(root, '.hidden.wav'), join(root, 'shown.wav'))
          await runIngestion()
          await runIngestionLater()
          expect(await recordings()).to.have.length(1)
        })
      }
    })
  }
})
