import { readFile } from 'node:fs/promises'
import type { EngineConfig, EngineInfo } from '../engine.ts'

/** The address of a file in the package with the models. */
export const resolvePackageFile = (path: string): URL =>
  new URL(path, import.meta.resolve('@usefulsensors/moonshine-js'))

/** The name and version of the model. */
export async function loadEngineInfo({ ASR_MODEL }: EngineConfig): Promise<EngineInfo> {
  const { version } = JSON.parse(await readFile(resolvePackageFile('../package.json'), 'utf8')) as { version: string }
  return { model: ASR_MODEL, version, precision: 'int8', language: 'en', timing: 'estimated' }
}
