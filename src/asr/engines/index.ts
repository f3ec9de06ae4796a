import { ConfigError, type Config } from '../../config.ts'
import type { EngineModule } from './engine.ts'

/** Every engine of this version, by ASR_MODEL. A further one is one more line and one more file. */
const ENGINES: Partial<Record<Config['ASR_MODEL'], () => Promise<EngineModule>>> = {
  't-one': () => import('./t-one.ts'),
  'moonshine-base-en': () => import('./moonshine.ts'),
  'moonshine-tiny-en': () => import('./moonshine.ts'),
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
