import { readFile } from 'node:fs/promises'
import type { EngineConfig, EngineInfo } from '../engine.ts'

/** A file of the package that the models come in, by its path from the package's own code. */
export const packageFile = (path: string): URL => new URL(path, import.meta.resolve('@usefulsensors/moonshine-js'))

/** Nothing to fetch: the weights came with the package. */
export async function prepare({ ASR_MODEL }: EngineConfig): Promise<EngineInfo> {
  const { version } = JSON.parse(await readFile(packageFile('../package.json'), 'utf8')) as { version: string }
  return { model: ASR_MODEL, version, precision: 'int8', language: 'en', timing: 'estimated' }
}
