import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { createRedirectHubResponder, serveModelFile, createStatusHubResponder } from '../../test/model-hub.ts'
import {
  TEST_MODEL_CONTENT,
  catchErrorMessage,
  makeModelFile,
  TEST_MODEL_SHA256,
  TEST_LANGUAGE_MODEL_CONTENT,
  FAST_RETRY_POLICY,
  TestModelStore,
} from '../../test/model-store.ts'

describe('model store', () => {
  let store: TestModelStore
  beforeEach(async () => {
    store = await TestModelStore.start()
  })
  afterEach(() => store.stop())

  it('the model store downloads missing files, and nothing at the next start', async () => {
    const folder = store.pathOf('made')
    const files = [makeModelFile('model.onnx'), makeModelFile('kenlm.bin')]
    await store.fetchFiles(files, { folder })
    expect(new Set(readdirSync(folder))).to.deep.equal(new Set(['kenlm.bin', 'model.onnx']))
    expect(readFileSync(join(folder, 'kenlm.bin')).equals(TEST_LANGUAGE_MODEL_CONTENT)).to.equal(true)
    const before = store.hub.requests.length
    await store.fetchFiles(files, { folder })
    expect(store.hub.requests.length).to.equal(before)
  })

  it('the model store downloads only the file that is missing', async () => {
    await store.fetchFiles()
    store.hub.requests.length = 0
    await store.fetchFiles([makeModelFile('model.onnx'), makeModelFile('kenlm.bin')])
    expect(new Set(store.hub.requests.map(({ file }) => file))).to.deep.equal(new Set(['kenlm.bin']))
  })

  it('the model store accepts manually placed files without a hub', async () => {
    writeFileSync(store.pathOf('model.onnx'), 'by hand')
    await store.fetchFiles(undefined, { url: 'http://127.0.0.1:1' })
    expect(readdirSync(store.folder)).to.deep.equal(['model.onnx'])
  })

  describe('disk space', () => {
    it('the error states the missing disk space before any download', async () => {
      store.hub.defaultResponder = createRedirectHubResponder('/blob', { size: 9e14, sha256: TEST_MODEL_SHA256 })
      const message = await catchErrorMessage(store.fetchFiles())
      expect(message).to.match(/need 900000\.0 GB in .*, and [\d.]+ GB are free there: [\d.]+ GB are missing/)
      expect(store.hub.ranges).to.deep.equal([])
    })

    it('if the hub sends no size, the rough size must be free', async () => {
      store.hub.defaultResponder = createStatusHubResponder(405)
      const files = [
        makeModelFile('model.onnx'),
        makeModelFile('kenlm.bin', { roughSize: 8e14, advice: 'Use greedy.' }),
      ]
      const message = await catchErrorMessage(store.fetchFiles(files))
      expect(message).to.include('need 800000.0 GB').and.include('start again. Use greedy.')
    })

    it('the required disk space excludes a partial download', async () => {
      writeFileSync(store.pathOf('model.onnx.part'), '')
      truncateSync(store.pathOf('model.onnx.part'), 1e12)
      writeFileSync(store.pathOf('model.onnx.part.json'), JSON.stringify({ sha256: TEST_MODEL_SHA256, size: 9e14 }))
      store.hub.defaultResponder = createRedirectHubResponder('/blob', { size: 9e14, sha256: TEST_MODEL_SHA256 })
      expect(await catchErrorMessage(store.fetchFiles())).to.include('need 899000.0 GB')
    })

    it('the error says that the disk is full', async () => {
      symlinkSync('/dev/full', store.pathOf('model.onnx.part'))
      expect(await catchErrorMessage(store.fetchFiles())).to.include(
        `No space left in ${store.folder} while fetching model.onnx`,
      )
    })

    it('a download resumes after the full disk has space again', async function () {
      const small = store.pathOf('small')
      mkdirSync(small)
      // Only root can mount a small disk. The previous test covers other users.
      if (!mountFolder(small, '120k')) this.skip()
      try {
        // The hub sends no size, because with a size the recognizer would reject the download first.
        store.hub.defaultResponder = (response, content, request) => {
          if (request.method === 'HEAD')
            return createStatusHubResponder(200, { ETag: `"${TEST_MODEL_SHA256}"` })(response, content, request)
          serveModelFile(response, content, request, `"${TEST_MODEL_SHA256}"`)
        }
        const message = await catchErrorMessage(store.fetchFiles(undefined, { folder: small }))
        expect(message)
          .to.include('No space left')
          .and.match(/The 0\.1 MB that are there are kept/)
        execFileSync('mount', ['-o', 'remount,size=4m', small])
        await store.fetchFiles(undefined, { folder: small })
        expect(store.hub.ranges.at(-1)).to.match(/^bytes=[1-9]\d+-$/)
        expect(readFileSync(join(small, 'model.onnx')).equals(TEST_MODEL_CONTENT)).to.equal(true)
      } finally {
        execFileSync('umount', [small])
      }
    })

    it('the error says that the models folder cannot be created', async () => {
      writeFileSync(store.pathOf('file'), '')
      const fetching = store.fetchFiles(undefined, { folder: store.pathOf('file/models') })
      expect(await catchErrorMessage(fetching)).to.include('ENOTDIR')
    })
  })

  it('only one of two recognizers downloads while the other waits', async () => {
    const [first, second] = [store.fetchFiles(), store.fetchFiles()]
    await Promise.all([first, second])
    expect(store.hub.ranges.length).to.equal(1)
    store.expectModelOnly()
    rmSync(store.pathOf('model.onnx'))
    store.hub.nextResponders.push(createStatusHubResponder(403))
    const outcomes = await Promise.all([store.fetchFiles(), store.fetchFiles()].map(catchErrorMessage))
    expect(outcomes.filter((outcome) => outcome === 'no error').length).to.equal(1)
    store.expectModelOnly()
  })

  it('the log shows the progress of a download', async () => {
    const lines: { msg: string; percent?: number }[] = []
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) })
    await store.fetchFiles(undefined, { log, patience: { ...FAST_RETRY_POLICY, progressMs: 0 } })
    const percents = lines.flatMap(({ percent }) => (percent === undefined ? [] : [percent]))
    expect(percents.at(-1)).to.equal(100)
    expect(percents).to.deep.equal(percents.toSorted((a, b) => a - b))
    expect(lines.map(({ msg }) => msg).join('\n')).to.match(/fetching model\.onnx: \d+ % of 0\.2 MB, about \d+ s left/)
  })
})

/** Mounts a disk of the given size. Returns false if the system does not allow it. */
function mountFolder(folder: string, size: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
