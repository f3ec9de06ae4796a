import { expect } from 'chai'
import { ConfigError, readConfig, type Command } from '../platform/config/config.ts'

export const SECRET_32 = 'x'.repeat(32)

/** The variables that the API requires. */
export const REQUIRED = {
  DATABASE_URL: 'postgres://svc:pw@db/calls',
  REDIS_URL: 'redis://:pw@store',
  ASR_API_KEY: 'key',
  SESSION_SECRET: SECRET_32,
}

/** The violations of an environment, a line for each variable. */
export function violationsOf(env: Record<string, string>, command: Command = 'api'): string[] {
  try {
    readConfig(command, env)
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError)
    return (error as ConfigError).violations
  }
  return []
}

/** The same, with everything required added. */
export const violations = (env: Record<string, string>) => violationsOf({ ...REQUIRED, ...env })
