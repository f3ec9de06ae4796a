import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { run } from '../commands/check.ts'
import { TestS3Server } from '../../test/s3-server.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { createBackup } from './backup.ts'
import {
  compareDatabaseWithStorage,
  type StorageComparisonSummary,
  type StorageComparisonOptions,
  type StorageDifference,
} from './compare.ts'
import type { InstallationConfig } from './installation.ts'

for (const kind of ['local', 's3'] as const) {
  describe(`command check with audio in ${kind === 'local' ? 'a folder' : 'S3'}`, () => {
    const s3 = new TestS3Server()
    const folder = mkdtempSync(join(tmpdir(), 'svc-check-'))
    let app: TestApp
    const keys: string[] = []
    const ids: string[] = []

    before(async () => {
      await s3.start()
      app = await startTestApp({ STORAGE_KIND: kind, API_RUN_MODE: 'api', ...s3.config })
      for (const audio of ['first', 'second', 'third', 'fourth']) {
        const { id } = (await app.ida.upload(audio)).json
        ids.push(id)
        keys.push((await app.db.query('SELECT storage_key FROM recordings WHERE id = $1', [id])).rows[0].storage_key)
      }
    })
    after(async () => {
      await app.stop()
      await s3.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    const path = (key: string) => join(app.config.audioDir, key)
    const put = async (key: string, content: string) => {
      if (kind === 's3') return s3.writeObject(key, content)
      mkdirSync(dirname(path(key)), { recursive: true })
      writeFileSync(path(key), content)
    }
    const drop = async (key: string) => (kind === 's3' ? s3.deleteObject(key) : rmSync(path(key)))
    const check = async (
      options: StorageComparisonOptions = {},
    ): Promise<{ compared: StorageComparisonSummary; found: StorageDifference[] }> => {
      const found: StorageDifference[] = []
      const compared = await compareDatabaseWithStorage(
        app.config as InstallationConfig,
        options,
        (one) => void found.push(one),
      )
      expect(compared.differences).to.equal(found.length)
      return { compared, found }
    }
    const rowsAndNotes = async () => [
      (await app.db.query('SELECT id, storage_key FROM recordings ORDER BY id')).rows,
      (await app.db.query('SELECT storage_key FROM file_removals ORDER BY 1')).rows,
    ]

    it('check finds no difference while calls are added and deleted', async () => {
      const traffic = new AbortController()
      const passing = (async () => {
        while (!traffic.signal.aborted) {
          const { id } = (await app.ida.upload('passing')).json
          await app.ida.delete(`/v1/recordings/${id}`)
        }
      })()
      for (let n = 0; n < 10; n++) expect((await check()).found).to.deep.equal([])
      traffic.abort()
      await passing
      expect((await check()).compared).to.deep.equal({ recordings: 4, files: 4, summed: 0, differences: 0 })
    })

    it('check writes checksums and detects changed content of equal length', async () => {
      const list = join(folder, 'sums.jsonl')
      expect((await check({ write: list })).compared).to.include({ summed: 4, differences: 0 })
      expect(readFileSync(list, 'utf8').trim().split('\n')).to.have.length(4)
      expect((await check({ checksums: list })).compared).to.include({ summed: 4, differences: 0 })
      await put(keys[0]!, 'tsrif')
      expect((await check()).found).to.deep.equal([])
      const { found } = await check({ checksums: list })
      expect(found.map(({ kind: is, key }) => [is, key])).to.deep.equal([['damaged', keys[0]]])
      await put(keys[0]!, 'first')
      const refusal = await check({ write: list }).catch((error: Error) => error.message)
      expect(refusal, 'a list that is there is not written over').to.include('EEXIST')
      writeFileSync(join(folder, 'other'), 'no list')
      expect(await check({ checksums: join(folder, 'other') }).catch((error: Error) => error.message)).to.match(
        /is no list of checksums: no list/,
      )
    })

    it('check reports missing, resized and unregistered files, and changes nothing', async () => {
      const stray = 'uploads/2020-01-01/stray'
      await drop(keys[1]!)
      await put(keys[2]!, 'third and more')
      await put(stray, 'of nobody')
      const before = await rowsAndNotes()
      expect((await check()).found).to.have.deep.members([
        { kind: 'no-file', key: keys[1], recordingId: ids[1] },
        { kind: 'size', key: keys[2], recordingId: ids[2], details: '14 bytes, the call has 5' },
        { kind: 'no-row', key: stray, details: '9 bytes' },
      ])
      expect(await rowsAndNotes()).to.deep.equal(before)
      await put(keys[1]!, 'second')
      await put(keys[2]!, 'third')
      expect((await app.ida.post('/v1/recordings/from-storage', { storageKey: stray })).status).to.equal(201)
      expect((await check()).found, 'what was registered belongs to a call').to.deep.equal([])
    })

    it('check reports playable copies of unknown calls separately', async () => {
      const copy = `uploads/playable/${ids[0]}/1f0e.wav`
      await put(copy, 'a copy')
      expect((await check()).found).to.deep.equal([{ kind: 'copy', key: copy, details: '6 bytes' }])
      await drop(copy)
    })

    it('check rejects a storage that belongs to another database', async () => {
      await put('uploads/.svc-database', 'another')
      expect(await check().catch((error: Error) => error.message)).to.match(/carries the mark of another database/)
      const { rows } = await app.db.query('SELECT id FROM storage_owner')
      await put('uploads/.svc-database', `${rows[0].id}\n`)
    })

    it('check and backup reject the empty folder of a volume that is not mounted', async () => {
      const elsewhere = {
        ...app.config,
        STORAGE_KIND: 'local',
        audioDir: join(folder, 'not-mounted'),
      } as InstallationConfig
      const refusal = /is empty or belongs to another database/
      const message = (work: Promise<unknown>) => work.catch((error: Error) => error.message)
      expect(await message(compareDatabaseWithStorage(elsewhere, {}, () => undefined))).to.match(refusal)
      expect(await message(createBackup(elsewhere, join(folder, `empty-${kind}`)))).to.match(refusal)
    })

    if (kind === 's3') return

    for (const [age, due, goes] of [
      ['a young', '1 hour', /^13 bytes, will be removed after 20/],
      ['an old', '-3 days', /^13 bytes, will be removed by the next run of the schedule$/],
    ] as const) {
      it(`after restoring ${age} backup, check reports files that will be removed, or keeps them`, async () => {
        const key = `uploads/2020-01-01/uploaded-after-${age}-backup`
        const notes = [key, 'uploads/2020-01-01/arriving', 'uploads/playable/copy.wav']
        await put(key, 'not forgotten')
        await put('uploads/2020-01-01/arriving.part', 'half')
        await put('uploads/playable/copy.wav', 'is made again')
        await app.db.query(
          'INSERT INTO file_removals SELECT key, now() + $2::interval FROM unnest($1::text[]) AS key',
          [notes, due],
        )
        expect((await check()).found, 'what came just now may be about to be registered').to.deep.equal([])
        const earlier = new Date(Date.now() - 120_000)
        for (const old of [key, 'uploads/playable/copy.wav']) utimesSync(path(old), earlier, earlier)
        const { found } = await check()
        expect(found.map(({ kind: is, key: of }) => [is, of])).to.deep.equal([['going', key]])
        expect(found[0]!.details).to.match(goes)
        expect((await app.ida.post('/v1/recordings/from-storage', { storageKey: key })).status).to.not.equal(201)
        expect((await check({ keep: true })).found).to.deep.equal([
          { kind: 'going', key, details: '13 bytes, is kept now' },
        ])
        expect((await check()).found).to.deep.equal([{ kind: 'no-row', key, details: '13 bytes' }])
        expect((await app.ida.post('/v1/recordings/from-storage', { storageKey: key })).status).to.equal(201)
        expect((await check()).found).to.deep.equal([])
        await app.db.query('DELETE FROM file_removals')
        rmSync(path('uploads/2020-01-01/arriving.part'))
        rmSync(path('uploads/playable/copy.wav'))
      })
    }

    it('check ignores files of deleted calls that will be removed at once', async () => {
      const key = 'uploads/2020-01-01/deleted'
      await put(key, 'deleted')
      utimesSync(path(key), new Date(Date.now() - 120_000), new Date(Date.now() - 120_000))
      await app.db.query(`INSERT INTO file_removals VALUES ($1, '-infinity')`, [key])
      expect((await check({ keep: true })).found).to.deep.equal([])
      expect((await app.db.query('SELECT FROM file_removals')).rowCount).to.equal(1)
    })

    it('check prints its usage, and exits with 2 for invalid arguments', async () => {
      const called = async (...args: string[]) => {
        const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
        const code = await run(args, { stdin, stdout, stderr })
        return [code, String(stdout.read() ?? ''), String(stderr.read() ?? '')] as const
      }
      const [code, help] = await called('--help')
      expect([code, help.split('\n')[0]]).to.deep.equal([0, 'Usage: check [options]'])
      for (const args of [['folder'], ['--repair']]) expect((await called(...args))[0], args.join()).to.equal(2)
    })
  })
}
