import { ConfigError, type Config } from '../../platform/config/config.ts'
import type { EngineModule } from './engine.ts'
import { prepare } from './moonshine/info.ts'

/**
 * Without the rest of the engine, which takes 0.13 s and 33 MB: the main thread only prepares. It holds ONNX Runtime all the
 * same: a worker thread that ends would unload it from under the others.
 */
async function moonshine(): Promise<EngineModule> {
  await import('onnxruntime-node')
  return { prepare, load: async (config) => (await import('./moonshine/moonshine.ts')).load(config) }
}

/** Every engine of this version, by ASR_MODEL. A further one is one more line and one more file. */
const ENGINES: Partial<Record<Config['ASR_MODEL'], () => Promise<EngineModule>>> = {
  't-one': () => import('./t-one/t-one.ts'),
  'moonshine-base-en': moonshine,
  'moonshine-tiny-en': moonshine,
}

/** @throws ConfigError for a model that this version has no engine for */
export async function engineFor(model: Config['ASR_MODEL']): Promise<EngineModule> {
  const load = ENGINES[model]
  if (!load) {
    const present = Object.keys(ENGINES).join(' or ')
    throw new ConfigError([`ASR_MODEL: ${model} is not part of this version yet; set it to ${present}`])
  }
  return load()
}
