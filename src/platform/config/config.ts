import { CONFIG_CROSS_RULES } from './rules.ts'
import { CONFIG_VARIABLES, type CliCommand, type ConfigVariableInfo, type ConfigVariableValues } from './variables.ts'
import type { EnvironmentVariable } from '../lib/environment-variables.ts'
import { readFileSync } from 'node:fs'

export { CONFIG_VARIABLES as VARIABLES, type CliCommand as Command }

/**
 * Ports, addresses, folders and time limits. compose.yml relies on the defaults; only tests and local commands such as `start`
 * override them in code.
 */
interface ServiceEndpoints {
  host: string
  apiPort: number
  asrPort: number
  panelPort: number
  metricsPort: number
  asrUrl: string
  apiUrl: string
  audioDir: string
  modelsDir: string
  /** Seconds until a JSON body or a form of the panel must have arrived. Uploads have other limits. */
  bodySeconds: number
  /** Seconds that a stop gives running jobs. Leaves time to release aborted jobs within the 60 s of a container stop. */
  jobGraceSeconds: number
}

const STACK_ENDPOINTS: ServiceEndpoints = {
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

/** Contains the value of each environment variable under its name, and the endpoints of the service. */
export type Config = ConfigVariableValues & ServiceEndpoints & DerivedConfig

interface DerivedConfig {
  /** True if the operator set BOOTSTRAP_ADMIN_PASSWORD. A password that `start` generated does not count. */
  ownerPasswordGiven: boolean
}

/** Reports all violations of a configuration at once. The message names variables and rules, never a value. */
export class ConfigError extends Error {
  constructor(readonly violations: string[]) {
    super(
      `The configuration has ${violations.length === 1 ? 'an error' : `${violations.length} errors`}:\n  ${violations.join('\n  ')}`,
    )
  }
}

/**
 * Reads and validates the whole environment for one command.
 * @param overrides values from code, which replace the environment without validation
 * @throws ConfigError naming every violation
 */
export function parseConfig(command: CliCommand, env: NodeJS.ProcessEnv, overrides: Partial<Config> = {}): Config {
  const violations: string[] = []
  const values: Record<string, unknown> = {}
  const invalid = new Set<string>()
  const variables = Object.entries(CONFIG_VARIABLES) as [string, EnvironmentVariable<unknown> & ConfigVariableInfo][]
  const secretNames = variables.filter(([, use]) => use.secret).map(([name]) => name)
  const secretFileValues = readSecretFiles(env, secretNames, (name, rule) => {
    violations.push(`${name}: ${rule}`)
    invalid.add(name)
  })
  for (const [name, variable] of variables) {
    const raw = (secretFileValues[name] ?? env[name])?.trim()
    try {
      values[name] = raw ? variable.parse(raw) : variable.default
    } catch (error) {
      violations.push(`${name}: ${(error as Error).message}`)
      invalid.add(name)
    }
    const isMissing = !raw && !invalid.has(name) && !(name in overrides)
    if (isMissing && variable.neededBy?.includes(command)) violations.push(`${name}: is required`)
  }
  // Lower the default, so that it never breaks the rule with ASR_MAX_CONCURRENCY.
  if (!env.TRANSCRIPTION_CONCURRENCY?.trim())
    values.TRANSCRIPTION_CONCURRENCY = Math.min(2, Number(overrides.ASR_MAX_CONCURRENCY ?? values.ASR_MAX_CONCURRENCY))
  const derived: DerivedConfig = { ownerPasswordGiven: Boolean(values.BOOTSTRAP_ADMIN_PASSWORD) }
  const config = { ...STACK_ENDPOINTS, ...derived, ...values, ...overrides } as Config
  // Skip the rules for other commands, because they receive only the variables that they read.
  const rules = command === 'api' || command === 'start' ? CONFIG_CROSS_RULES : []
  for (const { name, with: others, holds, rule } of rules) {
    // Skip rules with an invalid variable, because its value is missing.
    if (![name, ...others].some((read) => invalid.has(read)) && !holds(config)) violations.push(`${name}: ${rule}`)
  }
  if (violations.length > 0) throw new ConfigError(violations)
  return config
}

/**
 * Reads secrets from the files that NAME_FILE variables name. The file takes precedence over NAME.
 * @param report receives the rule, never a value
 */
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
