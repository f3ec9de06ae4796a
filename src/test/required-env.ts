import { expect } from 'chai'
import { ConfigError, parseConfig, type Command } from '../platform/config/config.ts'

export const SAMPLE_SECRET = 'x'.repeat(32)

/** A value for each variable that the API requires. */
export const REQUIRED_API_ENV = {
  DATABASE_URL: 'postgres://svc:pw@db/calls',
  REDIS_URL: 'redis://:pw@store',
  ASR_API_KEY: 'key',
  SESSION_SECRET: SAMPLE_SECRET,
}

/** Parses an environment and returns the violations of the configuration, one text per variable. */
export function collectConfigViolations(env: Record<string, string>, command: Command = 'api'): string[] {
  try {
    parseConfig(command, env)
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError)
    return (error as ConfigError).violations
  }
  return []
}

/** Returns the violations of an environment to which all required variables are added. */
export const collectConfigViolationsWithRequiredEnv = (env: Record<string, string>) =>
  collectConfigViolations({ ...REQUIRED_API_ENV, ...env })
