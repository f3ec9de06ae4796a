import type { EngineModule } from '../engine.ts'
import { readMoonshineEngineInfo } from './package.ts'

export const moonshineEngine: EngineModule = {
  async prepare(config) {
    // If only a worker thread loads ONNX Runtime, the end of that thread unloads it for all. The main thread prevents this.
    await import('onnxruntime-node')
    return readMoonshineEngineInfo(config)
  },
  // A lazy import saves the main thread 0.13 s and 33 MB.
  load: async (config) => (await import('./moonshine.ts')).loadMoonshineEngine(config),
}
