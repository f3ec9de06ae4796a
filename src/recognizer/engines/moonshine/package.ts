import { readFile } from 'node:fs/promises'
import type { EngineConfig, EngineInfo } from '../engine.ts'

/**
 * Returns the file URL of a file in the package that contains the models.
 * @param path relative to the package's entry point
 */
export const resolveMoonshinePackageFile = (path: string): URL =>
  new URL(path, import.meta.resolve('@usefulsensors/moonshine-js'))

/** Reads the version of the model from package.json and returns the description of the engine. */
export async function readMoonshineEngineInfo({ ASR_MODEL }: EngineConfig): Promise<EngineInfo> {
  const { version } = JSON.parse(await readFile(resolveMoonshinePackageFile('../package.json'), 'utf8')) as {
    version: string
  }
  return { model: ASR_MODEL, version, precision: 'int8', language: 'en', timing: 'estimated' }
}
