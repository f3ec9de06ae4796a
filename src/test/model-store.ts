import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLog, type Logger } from '../platform/lib/log.ts'
import { repeatableRandom } from './asr-fixtures.ts'
import { PATIENCE } from '../recognizer/models/patience.ts'
import { fetchMissing, type ModelFile } from '../recognizer/models/store.ts'
import { cutAfter, sha256, TestHub, type Behaviour } from './model-hub.ts'

const random = repeatableRandom(7)
/** The content of model.onnx at the hub of the tests; kenlm.bin contains OTHER. */
export const CONTENT = Buffer.from(Uint8Array.from({ length: 200_000 }, () => random() * 256))
export const OTHER = Buffer.from(CONTENT.map((byte) => byte ^ 255))
export const HASH = sha256(CONTENT)

export const quick = { ...PATIENCE, attempts: 3, idleAttempts: 3, firstPauseMs: 1, lockMs: 5 }
const silent = createLog('silent', 'test')

export const file = (name: string, more: Partial<ModelFile> = {}): ModelFile => ({
  name,
  roughSize: 1000,
  check: () => Promise.resolve(),
  ...more,
})

/** A models folder with a hub of its own. */
export class TestStore {
  readonly hub: TestHub
  readonly folder = mkdtempSync(join(tmpdir(), 'models-'))

  private constructor(hub: TestHub) {
    this.hub = hub
  }

  static async start(): Promise<TestStore> {
    return new TestStore(await TestHub.start({ 'model.onnx': CONTENT, 'kenlm.bin': OTHER }))
  }

  async stop(): Promise<void> {
    await this.hub.stop()
    rmSync(this.folder, { recursive: true })
  }

  at(name: string): string {
    return join(this.folder, name)
  }

  fetch(
    files = [file('model.onnx')],
    { log = silent, patience = quick, folder = this.folder, url = this.hub.url }: Partial<Ways> = {},
  ): Promise<void> {
    return fetchMissing({ ASR_MODEL_HUB_URL: url, modelsDir: folder }, files, log, patience)
  }

  /** Sends model.onnx up to that byte, then cuts the connection. */
  cut(end: number, etag?: string): Behaviour {
    return cutAfter(end, this.at('model.onnx.part'), etag)
  }

  /** model.onnx is the only file, and right. */
  expectContent(): void {
    expect(readdirSync(this.folder)).to.deep.equal(['model.onnx'])
    expect(readFileSync(this.at('model.onnx')).equals(CONTENT)).to.equal(true)
  }
}

interface Ways {
  log: Logger
  patience: typeof PATIENCE
  folder: string
  url: string
}

/** The message of an expected error. */
export function failure(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error: Error) => error.message,
  )
}
