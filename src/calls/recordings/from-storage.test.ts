import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { TestS3Server } from '../../test/s3-server.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

const PATH = '/v1/recordings/from-storage'
const MB = 1024 * 1024

describe('POST /v1/recordings/from-storage', () => {
  const s3 = new TestS3Server()
  const recognizer = new ScriptedRecognizer()
  before(async () => {
    recognizer.answer = (recognition) => recognition.finish()
    await Promise.all([s3.start(), recognizer.start()])
  })
  after(() => Promise.all([s3.stop(), recognizer.stop()]))

  for (const kind of ['local', 's3'] as const) {
    describe(`STORAGE_KIND=${kind}`, () => {
      let app: TestApp
      before(async () => {
        app = await startTestApp({ STORAGE_KIND: kind, MAX_UPLOAD_MB: 30, asrUrl: recognizer.url, ...s3.config })
      })
      after(() => app.stop())
      afterEach(() => void (s3.fault = () => undefined))

      const submit = (storageKey: unknown, fields: object = {}) => app.ida.post(PATH, { storageKey, ...fields })
      const rows = async () => (await app.db.query('SELECT FROM recordings')).rowCount

      async function putFile(key: string, content: string | Buffer): Promise<void> {
        if (kind === 's3') return s3.writeObject(key, content)
        await mkdir(dirname(join(app.config.audioDir, key)), { recursive: true })
        await writeFile(join(app.config.audioDir, key), content)
      }
      const isDone = (id: string) =>
        waitUntil('it is done', async () => {
          const { json } = await app.ida.get(`/v1/recordings/${id}`)
          return json.status === 'DONE' && json
        })

      it('the API registers a stored object, and deleting the recording deletes the object', async () => {
        await putFile('archive/2026/звонок 1.mp3', 'archived sound')
        const answer = await submit('archive/2026/звонок 1.mp3', { externalCallId: 's-1', priority: 2 })
        expect(answer.status, answer.text).to.equal(201)
        const { id } = answer.json
        expect(answer.headers.get('location')).to.equal(`/v1/recordings/${id}`)
        expect(answer.json).to.include({
          source: 'storage',
          status: 'QUEUED',
          externalCallId: 's-1',
          fileName: 'звонок 1.mp3',
          sizeBytes: 14,
        })
        await recognizer.waitForRecognition('archived sound')
        expect((await isDone(id)).transcript.text).to.equal('hello')
        expect((await app.ida.get(`/v1/recordings/${id}/audio`, { Range: 'bytes=9-' })).text).to.equal('sound')
        expect((await app.ida.delete(`/v1/recordings/${id}`)).status).to.equal(204)
        expect((await submit('archive/2026/звонок 1.mp3')).status).to.equal(404)
      })

      it('a large upload is stored whole, sent in ranges and deleted with its recording', async () => {
        const content = Buffer.from('0123456789'.repeat((21 * MB) / 10))
        const { json } = await app.ida.upload(content)
        expect(json.sizeBytes).to.equal(content.length)
        await isDone(json.id)
        expect(recognizer.pending.some(({ audio }) => audio.equals(content))).to.equal(true)
        const path = `/v1/recordings/${json.id}/audio`
        const part = await app.ida.get(path, { Range: `bytes=${9 * MB}-${9 * MB + 9}` })
        expect(part.status).to.equal(206)
        expect(part.text).to.equal(content.subarray(9 * MB, 9 * MB + 10).toString())
        expect(part.headers.get('content-range')).to.equal(`bytes ${9 * MB}-${9 * MB + 9}/${content.length}`)
        const etag = part.headers.get('etag')!
        expect((await app.ida.get(path, { 'If-None-Match': etag })).status).to.equal(304)
        expect((await app.ida.get(path, { Range: `bytes=${content.length}-` })).status).to.equal(416)
        await app.ida.delete(`/v1/recordings/${json.id}`)
        expect((await app.ida.get(path)).status).to.equal(404)
        // The scheduled run can remove the file before the request does.
        await waitUntil(
          'its file is removed',
          async () => (await app.db.query('SELECT FROM file_removals')).rowCount === 0,
        )
        if (kind === 's3') expect(await s3.listKeys()).to.deep.equal(['uploads/.svc-database']) // Only the mark of the database remains.
      })

      it('the API responds 404 to a key that names no file of the storage', async () => {
        await putFile('folder/call.wav', 'x')
        const before = await rows()
        const keys = ['nothing.wav', '', '.', '..', '/', 'folder', 'folder/', '/folder/call.wav', './folder/call.wav']
        keys.push('folder/../folder/call.wav', 'folder//call.wav', '../audio/folder/call.wav', '../../../etc/passwd')
        keys.push('/etc/passwd', 'folder\\call.wav', 'folder/call.wav\0', 'folder/call.wav\n', '\0', '\ud800.wav')
        keys.push('s3://folder/call.wav', 'file:///etc/passwd', '%2e%2e/x', 'x'.repeat(2000), `${'a/'.repeat(600)}b`)
        for (const key of keys) {
          const answer = await submit(key)
          expect(answer.status, JSON.stringify(key).slice(0, 60)).to.equal(404)
          expect(answer.json.message).to.equal('The storage has no such file')
        }
        expect(await rows()).to.equal(before)
      })

      it('the API responds 404 to keys of its own mark and playable copies', async () => {
        await putFile('uploads/playable/one/copy.wav', 'x')
        const before = await rows()
        for (const key of ['uploads/.svc-database', 'uploads/playable/one/copy.wav']) {
          expect((await submit(key)).status, key).to.equal(404)
        }
        expect(await rows()).to.equal(before)
      })

      it('the API names invalid fields and a missing storage key', async () => {
        expect((await app.ida.post(PATH, {})).json.message).to.deep.equal(['storageKey is required'])
        expect((await submit(7)).json.message).to.deep.equal(['storageKey must be a string'])
        const { json } = await submit('folder/call.wav', { colour: 'red', direction: 'UP' })
        expect(json.message.map((violation: string) => violation.split(' ')[0]).sort()).to.deep.equal([
          'colour',
          'direction',
        ])
        const link = await submit('folder/call.wav', { callbackUrl: 'http://localhost/' })
        expect(link.json.message).to.deep.equal(['callbackUrl must not point to a local name'])
        await putFile('folder/empty.wav', '')
        expect((await submit('folder/empty.wav')).json.message).to.deep.equal([
          'storageKey must not point to an empty file',
        ])
        await putFile('folder/large.wav', Buffer.alloc(30 * MB + 1))
        expect((await submit('folder/large.wav')).status).to.equal(413)
      })

      it('the API rejects a repeated key or call id with 409 and Location', async () => {
        await putFile('twice.wav', 'twice')
        await putFile('other.wav', 'other')
        const first = await submit('twice.wav', { externalCallId: 's-twice' })
        const location = `/v1/recordings/${first.json.id}`
        for (const again of [await submit('twice.wav'), await submit('other.wav', { externalCallId: 's-twice' })]) {
          expect(again.status).to.equal(409)
          expect(again.json.message).to.equal('A recording with this call id or storage key is already registered')
          expect(again.headers.get('location')).to.equal(location)
        }
        expect((await app.ida.get(`${location}/audio`)).text).to.equal('twice')
        await putFile('race.wav', 'race')
        const answers = await Promise.all(Array.from({ length: 30 }, () => submit('race.wav')))
        expect(answers.filter(({ status }) => status === 201)).to.have.length(1)
        expect(answers.filter(({ status }) => status === 409)).to.have.length(29)
      })

      it('the API does not register a file with a planned removal', async () => {
        await putFile('leaving.wav', 'x')
        await app.db.query(`INSERT INTO file_removals VALUES ('leaving.wav', now() + interval '1 day')`)
        expect((await submit('leaving.wav')).status).to.equal(404)
        await app.db.query('DELETE FROM file_removals')
        expect((await submit('leaving.wav')).status).to.equal(201)
      })

      if (kind === 'local') {
        it('the API follows no symbolic link in the storage', async () => {
          const outside = join(app.config.audioDir, '..', 'outside')
          await mkdir(outside)
          await writeFile(join(outside, 'secret.wav'), 'secret')
          await symlink(outside, join(app.config.audioDir, 'linked'))
          await symlink(join(outside, 'secret.wav'), join(app.config.audioDir, 'linked.wav'))
          await symlink('linked.wav', join(app.config.audioDir, 'loop.wav')).catch(() => undefined)
          for (const key of ['linked/secret.wav', 'linked.wav', 'loop.wav']) {
            expect((await submit(key)).status, key).to.equal(404)
          }
          await rm(join(app.config.audioDir, 'linked'))
        })
      } else {
        it('while S3 is down, the API responds 503 and recordings lose no attempt', async () => {
          await putFile('waiting.wav', 'waiting')
          recognizer.status = 'loading'
          const { stateRequests: before } = recognizer
          await waitUntil('nothing is taken any more', () => recognizer.stateRequests >= before + 2)
          const { id } = (await submit('waiting.wav', { priority: 10 })).json
          let faults = 0
          s3.fault = () => (faults++, 503)
          const answers = await Promise.all([
            submit('waiting-too.wav'),
            app.ida.upload('x'),
            app.ida.get(`/v1/recordings/${id}/audio`),
          ])
          for (const answer of answers) {
            expect(answer.status, answer.text).to.equal(503)
            expect(answer.json.message).to.equal('The audio storage is not responding. Try again')
          }
          const failedCount = faults
          recognizer.status = 'ready'
          await waitUntil('it was tried', () => faults >= failedCount + 6)
          s3.fault = () => undefined
          expect((await isDone(id)).attempts).to.equal(1)
        })

        it('an aborted upload to S3 leaves neither an object nor parts', async () => {
          const keys = await s3.listKeys()
          const caller = new AbortController()
          const body = new ReadableStream({
            async start(controller) {
              controller.enqueue(
                Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'),
              )
              for (let sent = 0; sent < 12; sent++) controller.enqueue(Buffer.alloc(MB))
              await waitUntil('parts are on their way', async () => (await s3.listMultipartUploads()).length > 0)
              caller.abort()
            },
          })
          const headers = { ...app.ida.headers, 'Content-Type': 'multipart/form-data; boundary=x' }
          const request = { method: 'POST', body, duplex: 'half', headers, signal: caller.signal } as RequestInit
          await fetch(`${app.url}/v1/recordings`, request).catch(() => undefined)
          await waitUntil('the parts are gone', async () => (await s3.listMultipartUploads()).length === 0)
          expect(await s3.listKeys()).to.deep.equal(keys)
        })
      }
    })
  }
})
