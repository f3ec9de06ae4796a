import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { redirect, serve, status } from '../../test/model-hub.ts'
import { CONTENT, failure, file, HASH, OTHER, quick, TestStore } from '../../test/model-store.ts'

describe('the model store', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await TestStore.start()
  })
  afterEach(() => store.stop())

  it('fetches what is missing, and nothing at the next start', async () => {
    const folder = store.at('made')
    const files = [file('model.onnx'), file('kenlm.bin')]
    await store.fetch(files, { folder })
    expect(new Set(readdirSync(folder))).to.deep.equal(new Set(['kenlm.bin', 'model.onnx']))
    expect(readFileSync(join(folder, 'kenlm.bin')).equals(OTHER)).to.equal(true)
    const before = store.hub.seen.length
    await store.fetch(files, { folder })
    expect(store.hub.seen.length).to.equal(before)
  })

  it('fetches only the language model once the decoder is switched', async () => {
    await store.fetch()
    store.hub.seen.length = 0
    await store.fetch([file('model.onnx'), file('kenlm.bin')])
    expect(new Set(store.hub.seen.map(({ file }) => file))).to.deep.equal(new Set(['kenlm.bin']))
  })

  it('takes files that were put there by hand as they are, without a hub', async () => {
    writeFileSync(store.at('model.onnx'), 'by hand')
    await store.fetch(undefined, { url: 'http://127.0.0.1:1' })
    expect(readdirSync(store.folder)).to.deep.equal(['model.onnx'])
  })

  describe('minds the disk', () => {
    it('and says what is missing before it fetches anything', async () => {
      store.hub.always = redirect('/blob', { size: 9e14, sha256: HASH })
      const message = await failure(store.fetch())
      expect(message).to.match(/need 900000\.0 GB in .*, and [\d.]+ GB are free there: [\d.]+ GB are missing/)
      expect(store.hub.ranges).to.deep.equal([])
    })

    it('and reckons with the known figures where the hub does not tell the size', async () => {
      store.hub.always = status(405)
      const files = [file('model.onnx'), file('kenlm.bin', { roughSize: 8e14, advice: 'Use greedy.' })]
      const message = await failure(store.fetch(files))
      expect(message).to.include('need 800000.0 GB').and.include('start again. Use greedy.')
    })

    it('and counts what is there already', async () => {
      writeFileSync(store.at('model.onnx.part'), '')
      truncateSync(store.at('model.onnx.part'), 1e12)
      writeFileSync(store.at('model.onnx.part.json'), JSON.stringify({ sha256: HASH, size: 9e14 }))
      store.hub.always = redirect('/blob', { size: 9e14, sha256: HASH })
      expect(await failure(store.fetch())).to.include('need 899000.0 GB')
    })

    it('and says so when it is full', async () => {
      symlinkSync('/dev/full', store.at('model.onnx.part'))
      expect(await failure(store.fetch())).to.include(`No space left in ${store.folder} while fetching model.onnx`)
    })

    it('and keeps what is there for the time when there is space again', async function () {
      const small = store.at('small')
      mkdirSync(small)
      // Only root can mount a small disk; the test before covers other users.
      if (!mount(small, '120k')) this.skip()
      try {
        // A hub that sends no size; with a size, nothing would be fetched.
        store.hub.always = (response, content, request) => {
          if (request.method === 'HEAD') return status(200, { ETag: `"${HASH}"` })(response, content, request)
          serve(response, content, request, `"${HASH}"`)
        }
        const message = await failure(store.fetch(undefined, { folder: small }))
        expect(message)
          .to.include('No space left')
          .and.match(/The 0\.1 MB that are there are kept/)
        execFileSync('mount', ['-o', 'remount,size=4m', small])
        await store.fetch(undefined, { folder: small })
        expect(store.hub.ranges.at(-1)).to.match(/^bytes=[1-9]\d+-$/)
        expect(readFileSync(join(small, 'model.onnx')).equals(CONTENT)).to.equal(true)
      } finally {
        execFileSync('umount', [small])
      }
    })

    it('and says when the folder cannot be made', async () => {
      writeFileSync(store.at('file'), '')
      const made = store.fetch(undefined, { folder: store.at('file/models') })
      expect(await failure(made)).to.include('ENOTDIR')
    })
  })

  it('lets one of two fetch and the other wait, also after the first has failed', async () => {
    const [first, second] = [store.fetch(), store.fetch()]
    await Promise.all([first, second])
    expect(store.hub.ranges.length).to.equal(1)
    store.expectContent()
    rmSync(store.at('model.onnx'))
    store.hub.next.push(status(403))
    const outcomes = await Promise.all([store.fetch(), store.fetch()].map(failure))
    expect(outcomes.filter((outcome) => outcome === 'no error').length).to.equal(1)
    store.expectContent()
  })

  it('tells the log about its progress', async () => {
    const lines: { msg: string; percent?: number }[] = []
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) })
    await store.fetch(undefined, { log, patience: { ...quick, progressMs: 0 } })
    const percents = lines.flatMap(({ percent }) => (percent === undefined ? [] : [percent]))
    expect(percents.at(-1)).to.equal(100)
    expect(percents).to.deep.equal(percents.toSorted((a, b) => a - b))
    expect(lines.map(({ msg }) => msg).join('\n')).to.match(/fetching model\.onnx: \d+ % of 0\.2 MB, about \d+ s left/)
  })
})

/** Mounts a disk of that size; returns whether that was allowed. */
function mount(folder: string, size: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
