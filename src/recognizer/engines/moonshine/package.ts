import { readFile } from 'node:fs/promises'
import type { EngineConfig, EngineInfo } from '../engine.ts'

export const resolvePackageFile = (path: string): URL =>
  new URL(path, import.meta.resolve('@usefulsensors/moonshine-js'))

export async function loadEngineInfo({ ASR_MODEL }: EngineConfig): Promise<EngineInfo> {
  const { version } = JSON.parse(await readFile(resolvePackageFile('../package.json'), 'utf8')) as { version: string }
  return { model: ASR_MODEL, version, precision: 'int8', language: 'en', timing: 'estimated' }
}
