import { readFile } from 'node:fs/promises'
import type { EngineModule, EngineConfig, EngineInfo } from '../engine.ts'

export const moonshine: EngineModule = {
  async prepare(config) {
    // A worker thread that ends would unload ONNX Runtime from under the others, unless the main thread holds it too.
    await import('onnxruntime-node')
    return infoOf(config)
  },
  // Imported late: the main thread saves 0.13 s and 33 MB.
  load: async (config) => (await import('./moonshine.ts')).load(config),
}

/** The address of a file in the package that holds the weights. */
export const packageFile = (path: string): URL => new URL(path, import.meta.resolve('@usefulsensors/moonshine-js'))

export async function infoOf({ ASR_MODEL }: EngineConfig): Promise<EngineInfo> {
  const { version } = JSON.parse(await readFile(packageFile('../package.json'), 'utf8')) as { version: string }
  return { model: ASR_MODEL, version, precision: 'int8', language: 'en', timing: 'estimated' }
}
