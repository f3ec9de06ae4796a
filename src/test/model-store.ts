import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLogger, type Logger } from '../platform/lib/log.ts'
import { DEFAULT_DOWNLOAD_RETRY_POLICY } from '../recognizer/models/retry-policy.ts'
import { downloadMissingModelFiles, type ModelFile } from '../recognizer/models/store.ts'
import { createTruncatedHubResponder, hashSha256, TestModelHub, type ModelHubResponder } from './model-hub.ts'
import { SeededRandom } from './seeded-random.ts'

const random = new SeededRandom(7)
/** The content of model.onnx on the test hub; the content of kenlm.bin is its inverse. */
export const TEST_MODEL_CONTENT = Buffer.from(Uint8Array.from({ length: 200_000 }, () => random.integer(256)))
export const TEST_LANGUAGE_MODEL_CONTENT = Buffer.from(TEST_MODEL_CONTENT.map((byte) => byte ^ 255))
export const TEST_MODEL_SHA256 = hashSha256(TEST_MODEL_CONTENT)

export const FAST_RETRY_POLICY = {
  ...DEFAULT_DOWNLOAD_RETRY_POLICY,
  attempts: 3,
  idleAttempts: 3,
  firstPauseMs: 1,
  lockMs: 5,
}
const silentLog = createLogger('silent', 'test')

/** Describes a model file of about 1,000 bytes whose check always passes; `more` overrides the defaults. */
export const makeModelFile = (name: string, more: Partial<ModelFile> = {}): ModelFile => ({
  name,
  roughSize: 1000,
  check: () => Promise.resolve(),
  ...more,
})

/** A temporary models folder with its own model hub. */
export class TestModelStore {
  readonly hub: TestModelHub
  readonly folder = mkdtempSync(join(tmpdir(), 'models-'))

  private constructor(hub: TestModelHub) {
    this.hub = hub
  }

  static async start(): Promise<TestModelStore> {
    return new TestModelStore(
      await TestModelHub.start({ 'model.onnx': TEST_MODEL_CONTENT, 'kenlm.bin': TEST_LANGUAGE_MODEL_CONTENT }),
    )
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
    {
      log = silentLog,
      patience = FAST_RETRY_POLICY,
      folder = this.folder,
      url = this.hub.url,
    }: Partial<FetchOptions> = {},
  ): Promise<void> {
    return downloadMissingModelFiles({ ASR_MODEL_HUB_URL: url, modelsDir: folder }, files, log, patience)
  }

  /** Creates a responder that breaks the connection after the first `end` bytes of model.onnx were stored. */
  createTruncatedResponder(end: number, etag?: string): ModelHubResponder {
    return createTruncatedHubResponder(end, this.pathOf('model.onnx.part'), etag)
  }

  /** Asserts that the folder contains only model.onnx, with the published content. */
  expectModelOnly(): void {
    expect(readdirSync(this.folder)).to.deep.equal(['model.onnx'])
    expect(readFileSync(this.pathOf('model.onnx')).equals(TEST_MODEL_CONTENT)).to.equal(true)
  }
}

interface FetchOptions {
  log: Logger
  patience: typeof DEFAULT_DOWNLOAD_RETRY_POLICY
  folder: string
  url: string
}

/** Returns the message of the error with which the work fails, or "no error". */
export function catchErrorMessage(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error: Error) => error.message,
  )
}
