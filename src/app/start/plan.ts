import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig, type Config } from '../../platform/config/config.ts'
import type { StoredSecrets } from './secret-store.ts'

export interface Plan {
  project: string
  /** The folder .svc with all permanent data. */
  folder: string
  bundle: string
  config: Config
  ownDatabase: boolean
  ownRedis: boolean
  logFile(name: string): string
}

/** One machine without HTTPS and downloads; the environment overrides all but addresses and folders. */
export function makePlan(env: NodeJS.ProcessEnv, overrides: Partial<Config>): Plan {
  const bundle = fileURLToPath(new URL('svc.js', import.meta.url))
  const project = dirname(dirname(bundle))
  const { asrPort = 8000, apiPort = 3001 } = overrides
  const config = readConfig('start', env, {
    ...unlessGiven(env, { ASR_MODEL: 'moonshine-base-en', COOKIE_SECURE: false, TRUSTED_PROXY_HOPS: 0 }),
    // There is one API here, and it must do everything.
    API_RUN_MODE: 'all',
    host: '127.0.0.1',
    asrUrl: `http://127.0.0.1:${asrPort}`,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    audioDir: join(project, '.svc/audio'),
    modelsDir: join(project, '.svc/models'),
    ...overrides,
  })
  const folder = dirname(config.audioDir)
  return {
    project,
    folder,
    bundle,
    config,
    ownDatabase: config.DATABASE_URL !== undefined,
    ownRedis: config.REDIS_URL !== undefined,
    logFile: (name) => join(folder, 'logs', `${name}.log`),
  }
}

function unlessGiven(env: NodeJS.ProcessEnv, values: Partial<Config>): Partial<Config> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !env[name]?.trim()))
}

/** Creates the folders. As root, Postgres runs as another user, who needs access to .svc. */
export function makeFolders({ folder, config }: Plan): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  mkdirSync(folder, { recursive: true, mode })
  chmodSync(folder, mode)
  for (const inner of [config.audioDir, config.modelsDir, join(folder, 'logs'), join(folder, 'run')]) {
    mkdirSync(inner, { recursive: true, mode: 0o700 })
  }
}

export function withSecrets(plan: Plan, kept: StoredSecrets): Plan {
  const { ASR_API_KEY = kept.asrApiKey, SESSION_SECRET = kept.sessionSecret } = plan.config
  return { ...plan, config: { ...plan.config, ASR_API_KEY, SESSION_SECRET } }
}
