import { ConfigError, type Config } from '../../platform/config/config.ts'
import type { EngineModule } from './engine.ts'

const loadMoonshine = async () => (await import('./moonshine/engine.ts')).moonshineEngine

const ENGINE_LOADERS: Partial<Record<Config['ASR_MODEL'], () => Promise<EngineModule>>> = {
  't-one': async () => (await import('./t-one/engine.ts')).tOneEngine,
  'moonshine-base-en': loadMoonshine,
  'moonshine-tiny-en': loadMoonshine,
}

/**
 * Imports the engine of a model, so that unused engines need no memory.
 * @throws ConfigError if this version has no engine for the model
 */
export async function loadEngineModule(model: Config['ASR_MODEL']): Promise<EngineModule> {
  const load = ENGINE_LOADERS[model]
  if (load) return load()
  const present = Object.keys(ENGINE_LOADERS).join(' or ')
  throw new ConfigError([`ASR_MODEL: ${model} is not part of this version yet; set it to ${present}`])
}
