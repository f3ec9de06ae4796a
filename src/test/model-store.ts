import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLogger, type Logger } from '../platform/lib/log.ts'
import { createSeededRandom } from './asr-fixtures.ts'
import { DEFAULT_RETRY_POLICY } from '../recognizer/models/retry-policy.ts'
import { downloadMissingFiles, type ModelFile } from '../recognizer/models/store.ts'
import { createTruncatedResponder, hashSha256, TestHub, type HubResponder } from './model-hub.ts'

const seededRandom = createSeededRandom(7)
/** The content of model.onnx on the test hub; the content of kenlm.bin is its inverse. */
export const MODEL_CONTENT = Buffer.from(Uint8Array.from({ length: 200_000 }, () => seededRandom() * 256))
export const LANGUAGE_MODEL_CONTENT = Buffer.from(MODEL_CONTENT.map((byte) => byte ^ 255))
export const MODEL_SHA256 = hashSha256(MODEL_CONTENT)

export const FAST_RETRIES = { ...DEFAULT_RETRY_POLICY, attempts: 3, idleAttempts: 3, firstPauseMs: 1, lockMs: 5 }
const silentLog = createLogger('silent', 'test')

/** Creates a model file of 1,000 bytes without a check; `more` overrides the defaults. */
export const makeModelFile = (name: string, more: Partial<ModelFile> = {}): ModelFile => ({
  name,
  roughSize: 1000,
  check: () => Promise.resolve(),
  ...more,
})

/** A temporary models folder with its own model hub. */
export class TestModelStore {
  readonly hub: TestHub
  readonly folder = mkdtempSync(join(tmpdir(), 'models-'))

  private constructor(hub: TestHub) {
    this.hub = hub
  }

  static async start(): Promise<TestModelStore> {
    return new TestModelStore(await TestHub.start({ 'model.onnx': MODEL_CONTENT, 'kenlm.bin': LANGUAGE_MODEL_CONTENT }))
  }

  async stop(): Promise<void> {
    await this.hub.stop()
    rmSync(this.folder, { recursive: true })
  }

  pathOf(name: string): string {
    return join(this.folder, name)
  }

  fetchFiles(
    files = [makeModelFile('model.onnx')],
    { log = silentLog, patience = FAST_RETRIES, folder = this.folder, url = this.hub.url }: Partial<FetchOptions> = {},
  ): Promise<void> {
    return downloadMissingFiles({ ASR_MODEL_HUB_URL: url, modelsDir: folder }, files, log, patience)
  }

  /** Breaks the connection after byte `end` of model.onnx was stored. */
  createTruncatedResponder(end: number, etag?: string): HubResponder {
    return createTruncatedResponder(end, this.pathOf('model.onnx.part'), etag)
  }

  /** Asserts that the folder contains only model.onnx, with the published content. */
  expectModelOnly(): void {
    expect(readdirSync(this.folder)).to.deep.equal(['model.onnx'])
    expect(readFileSync(this.pathOf('model.onnx')).equals(MODEL_CONTENT)).to.equal(true)
  }
}

interface FetchOptions {
  log: Logger
  patience: typeof DEFAULT_RETRY_POLICY
  folder: string
  url: string
}

/** Returns the message of the error with which the work fails, or "no error". */
export function catchMessage(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error: Error) => error.message,
  )
}
