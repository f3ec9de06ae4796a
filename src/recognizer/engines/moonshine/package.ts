import { readFile } from 'node:fs/promises'
import type { EngineConfig, EngineInfo } from '../engine.ts'

/**
 * Returns the file URL of a file in the package that contains the models.
 * @param path relative to the package's entry point
 */
export const resolveMoonshinePackageFile = (path: string): URL =>
  new URL(path, import.meta.resolve('@usefulsensors/moonshine-js'))

/** Returns the description of the engine. The model has no version of its own, so it gets the package's. */
export async function readMoonshineEngineInfo({ ASR_MODEL }: EngineConfig): Promise<EngineInfo> {
  const { version } = JSON.parse(await readFile(resolveMoonshinePackageFile('../package.json'), 'utf8')) as {
    version: string
  }
  return { model: ASR_MODEL, version, precision: 'int8', language: 'en', timing: 'estimated' }
}
