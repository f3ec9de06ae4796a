import { CROSS_RULES } from './rules.ts'
import { VARIABLES, type Command, type Use, type Values } from './variables.ts'
import type { Variable } from '../lib/variables.ts'
import { readFileSync } from 'node:fs'

export { VARIABLES, type Command }

/** Ports, addresses and folders: fixed in the stack, other values only from code (`start` and the tests). */
interface Endpoints {
  /** Address the servers listen on. */
  host: string
  apiPort: number
  asrPort: number
  panelPort: number
  /** Where a process serves its metrics. */
  metricsPort: number
  asrUrl: string
  apiUrl: string
  audioDir: string
  modelsDir: string
  /** Within what time a body must arrive that is no upload: JSON, and the forms of the panel. */
  bodySeconds: number
  /** For how long a stop lets running jobs finish; those that are aborted then are released, too, within the 60 s of a stop. */
  jobGraceSeconds: number
}

const STACK_ENDPOINTS: Endpoints = {
  host: '0.0.0.0',
  apiPort: 3001,
  asrPort: 8000,
  panelPort: 3000,
  metricsPort: 9464,
  asrUrl: 'http://svc-asr:8000',
  apiUrl: 'http://svc-api:3001',
  audioDir: '/data/audio',
  modelsDir: '/models',
  bodySeconds: 30,
  jobGraceSeconds: 45,
}

/** The whole configuration: one value a variable, under the variable's own name, and the endpoints. */
export type Config = Values & Endpoints & Given

/** The environment besides its values. */
interface Given {
  /** Whether the password of the first owner stands there; one that `start` has made does not. */
  ownerPasswordGiven: boolean
}

/** All violations of a configuration together; the message names variables and rules, never a value. */
export class ConfigError extends Error {
  constructor(readonly violations: string[]) {
    super(
      `The configuration has ${violations.length === 1 ? 'an error' : `${violations.length} errors`}:\n  ${violations.join('\n  ')}`,
    )
  }
}

/**
 * Reads and checks the whole environment for one command.
 * @param overrides values given in code: they win over the environment and are not checked
 * @throws ConfigError naming every violation at once
 */
export function readConfig(command: Command, env: NodeJS.ProcessEnv, overrides: Partial<Config> = {}): Config {
  const violations: string[] = []
  const values: Record<string, unknown> = {}
  const invalid = new Set<string>()
  const all = Object.entries(VARIABLES) as [string, Variable<unknown> & Use][]
  const secrets = all.filter(([, use]) => use.secret).map(([name]) => name)
  const files = readSecretFiles(env, secrets, (name, rule) => {
    violations.push(`${name}: ${rule}`)
    invalid.add(name)
  })
  for (const [name, variable] of all) {
    const raw = (files[name] ?? env[name])?.trim()
    try {
      values[name] = raw ? variable.parse(raw) : variable.default
    } catch (error) {
      violations.push(`${name}: ${(error as Error).message}`)
      invalid.add(name)
    }
    const isMissing = !raw && !invalid.has(name) && !(name in overrides)
    if (isMissing && variable.neededBy?.includes(command)) violations.push(`${name}: is required`)
  }
  // A default never breaks a rule between variables.
  if (!env.TRANSCRIPTION_CONCURRENCY?.trim())
    values.TRANSCRIPTION_CONCURRENCY = Math.min(2, Number(overrides.ASR_MAX_CONCURRENCY ?? values.ASR_MAX_CONCURRENCY))
  const given: Given = { ownerPasswordGiven: Boolean(values.BOOTSTRAP_ADMIN_PASSWORD) }
  const config = { ...STACK_ENDPOINTS, ...given, ...values, ...overrides } as Config
  // The other commands are given only the variables that they read.
  const rules = command === 'api' || command === 'start' ? CROSS_RULES : []
  for (const { name, with: others, holds, rule } of rules) {
    // A variable that is invalid itself has no value to judge others by.
    if (![name, ...others].some((read) => invalid.has(read)) && !holds(config)) violations.push(`${name}: ${rule}`)
  }
  if (violations.length > 0) throw new ConfigError(violations)
  return config
}

/** Reads secrets from the files that NAME_FILE names, in place of NAME. @param report gets problems, never values */
function readSecretFiles(
  env: NodeJS.ProcessEnv,
  names: readonly string[],
  report: (name: string, rule: string) => void,
): NodeJS.ProcessEnv {
  const read: NodeJS.ProcessEnv = {}
  for (const name of names) {
    const path = env[`${name}_FILE`]?.trim()
    if (!path) continue
    try {
      read[name] = readFileSync(path, 'utf8')
    } catch (error) {
      report(name, `the file that ${name}_FILE names cannot be read (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  return read
}
