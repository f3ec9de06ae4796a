import type { EngineModule } from '../engine.ts'
import { loadEngineInfo } from './package.ts'

export const moonshineEngine: EngineModule = {
  async prepare(config) {
    // A worker thread that ends would unload ONNX Runtime for the others, unless the main thread has loaded it too.
    await import('onnxruntime-node')
    return loadEngineInfo(config)
  },
  // Imported lazily: saves the main thread 0.13 s and 33 MB.
  load: async (config) => (await import('./moonshine.ts')).loadMoonshineEngine(config),
}
