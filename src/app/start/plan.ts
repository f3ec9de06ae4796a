import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseConfig, type Config } from '../../platform/config/config.ts'
import type { InstallationSecrets } from './secret-store.ts'

/** The configuration, folders and files of one run of `npm start`. */
export interface StartPlan {
  project: string
  /** The folder .svc, which contains all permanent data. */
  folder: string
  bundle: string
  config: Config
  hasExternalDatabase: boolean
  hasExternalRedis: boolean
  logFile(name: string): string
}

/**
 * Creates the configuration for one machine without HTTPS. The environment cannot change addresses, folders and API_RUN_MODE.
 * @param overrides take precedence over all other values
 */
export function createStartPlan(env: NodeJS.ProcessEnv, overrides: Partial<Config>): StartPlan {
  const bundle = fileURLToPath(new URL('svc.js', import.meta.url))
  const project = dirname(dirname(bundle))
  const { asrPort = 8000, apiPort = 3001 } = overrides
  const config = parseConfig('start', env, {
    ...omitConfigured(env, { ASR_MODEL: 'moonshine-base-en', COOKIE_SECURE: false, TRUSTED_PROXY_HOPS: 0 }),
    // `npm start` has only one API process, so it must also run the queues.
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
    hasExternalDatabase: config.DATABASE_URL !== undefined,
    hasExternalRedis: config.REDIS_URL !== undefined,
    logFile: (name) => join(folder, 'logs', `${name}.log`),
  }
}

function omitConfigured(env: NodeJS.ProcessEnv, values: Partial<Config>): Partial<Config> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !env[name]?.trim()))
}

/** Creates the data folders. If the current user is root, Postgres runs as another user, who needs access to .svc. */
export function createInstallationFolders({ folder, config }: StartPlan): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  mkdirSync(folder, { recursive: true, mode })
  chmodSync(folder, mode)
  for (const subfolder of [config.audioDir, config.modelsDir, join(folder, 'logs'), join(folder, 'run')]) {
    mkdirSync(subfolder, { recursive: true, mode: 0o700 })
  }
}

/** Returns a plan whose configuration includes the stored secrets. Values of the environment take precedence. */
export function addSecretsToStartPlan(plan: StartPlan, secrets: InstallationSecrets): StartPlan {
  const { ASR_API_KEY = secrets.asrApiKey, SESSION_SECRET = secrets.sessionSecret } = plan.config
  return { ...plan, config: { ...plan.config, ASR_API_KEY, SESSION_SECRET } }
}
