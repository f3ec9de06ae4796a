import { ConfigError, type Config } from '../../platform/config/config.ts'
import type { EngineModule } from './engine.ts'

const moonshine = async () => (await import('./moonshine/engine.ts')).moonshine

const ENGINES: Partial<Record<Config['ASR_MODEL'], () => Promise<EngineModule>>> = {
  't-one': async () => (await import('./t-one/engine.ts')).tOne,
  'moonshine-base-en': moonshine,
  'moonshine-tiny-en': moonshine,
}

/** @throws ConfigError if this version has no engine for the model */
export async function engineFor(model: Config['ASR_MODEL']): Promise<EngineModule> {
  const load = ENGINES[model]
  if (load) return load()
  const present = Object.keys(ENGINES).join(' or ')
  throw new ConfigError([`ASR_MODEL: ${model} is not part of this version yet; set it to ${present}`])
}
