import { readFileSync } from 'node:fs'

/** Describes how to parse an environment variable. `parse` takes a non-empty string and throws an Error that states the rule. */
export interface EnvironmentVariable<T> {
  parse(raw: string): T
  default: T
  /** Short description of the valid values for docs/configuration.md. */
  values: string
}

function fail(rule: string): never {
  throw new Error(rule)
}

/** Accepts a whole number from `min` to `max`. */
export function intVariable(fallback: number, min: number, max: number): EnvironmentVariable<number> {
  return {
    default: fallback,
    values: `${min} to ${max}`,
    parse(raw) {
      const value = Number(raw)
      if (!/^[+-]?\d+$/.test(raw) || value < min || value > max) fail(`must be a whole number from ${min} to ${max}`)
      return value
    },
  }
}

/** Accepts a number of at least `min`; undefined by default. */
export function numberVariable(min: number): EnvironmentVariable<number | undefined> {
  return {
    default: undefined,
    values: `number, ${min} or more`,
    parse(raw) {
      const value = Number(raw)
      if (!Number.isFinite(value) || value < min) fail(`must be a number not below ${min}`)
      return value
    },
  }
}

/** Accepts exactly `true` or `false`. */
export function boolVariable(fallback: boolean): EnvironmentVariable<boolean> {
  return {
    default: fallback,
    values: '`true`, `false`',
    parse: (raw) => (raw === 'true' ? true : raw === 'false' ? false : fail('must be true or false')),
  }
}

/** Accepts one of the words, case-sensitive. */
export function enumVariable<const T extends string>(
  words: readonly T[],
  fallback: NoInfer<T>,
): EnvironmentVariable<T> {
  return {
    default: fallback,
    values: words.map((word) => `\`${word}\``).join(', '),
    parse: (raw) => words.find((word) => word === raw) ?? fail(`must be one of ${words.join(', ')}`),
  }
}

interface TextRules {
  min?: number
  max?: number
  pattern?: RegExp
  /** States the pattern in words for the error. */
  rule?: string
}

/** Accepts text within the rules, with a default. */
export function textVariable(rules: TextRules & { default: string }): EnvironmentVariable<string>
/** Accepts text within the rules; undefined by default. */
export function textVariable(rules?: TextRules): EnvironmentVariable<string | undefined>
export function textVariable(rules: TextRules & { default?: string } = {}): EnvironmentVariable<string | undefined> {
  const { min = 0, max = Infinity } = rules
  const length = max === Infinity ? (min > 0 ? `, ${min} characters or more` : '') : `, ${min} to ${max} characters`
  return {
    default: rules.default,
    values: (rules.rule ?? 'text') + length,
    parse(raw) {
      if (raw.length < min) fail(`must have at least ${min} characters`)
      if (Array.from(raw).length > max) fail(`must have at most ${max} characters`)
      if (rules.pattern && !rules.pattern.test(raw)) fail(`must have ${rules.rule}`)
      return raw
    },
  }
}

/** Accepts an absolute URL with one of the schemes, with a default. Keeps the URL as written. */
export function urlVariable(schemes: string[], fallback: string): EnvironmentVariable<string>
/** Accepts an absolute URL with one of the schemes; undefined by default. Keeps the URL as written. */
export function urlVariable(schemes: string[]): EnvironmentVariable<string | undefined>
export function urlVariable(schemes: string[], fallback?: string): EnvironmentVariable<string | undefined> {
  return {
    default: fallback,
    values: `URL: ${schemes.join(', ')}`,
    parse(raw) {
      const scheme = URL.canParse(raw) ? new URL(raw).protocol.slice(0, -1) : ''
      if (!schemes.includes(scheme)) fail(`must be a URL with the scheme ${schemes.join(' or ')}`)
      return raw
    },
  }
}

const PERCENT_ENCODE_RULE =
  'must have a valid address after its password: write special characters in user and password percent-encoded (@ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25)'

/** Accepts the URL of a server. The error for unescaped characters in the password explains percent-encoding. */
export function serverUrlVariable(schemes: string[]): EnvironmentVariable<string | undefined> {
  const baseVariable = urlVariable(schemes)
  return {
    default: undefined,
    values: baseVariable.values,
    parse(raw) {
      const hasPassword = schemes.some((scheme) => raw.startsWith(`${scheme}://`)) && raw.includes('@')
      if (hasPassword && !hasValidCredentials(raw)) fail(PERCENT_ENCODE_RULE)
      return baseVariable.parse(raw)
    },
  }
}

/** Returns true if user and password are valid percent-encoding and end at the right @. */
function hasValidCredentials(raw: string): boolean {
  if (!URL.canParse(raw)) return false
  const { username, password, pathname, search, hash } = new URL(raw)
  try {
    decodeURIComponent(username + password)
  } catch {
    return false
  }
  // An unescaped / ? or # in the password makes a part of the password the host.
  return !`${pathname}${search}${hash}`.includes('@')
}

/** Lists the accepted modes: those of libpq except `allow`, and no-verify of the pg driver. */
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
/** By default, the pg driver treats these modes as verify-full and prints a warning outside our log. */
const LIBPQ_MODES = ['prefer', 'require', 'verify-ca']
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey']

/** Accepts the URL of a Postgres database and checks its TLS files. Gives sslmode the meaning of libpq. */
export function databaseUrlVariable(): EnvironmentVariable<string | undefined> {
  const baseVariable = serverUrlVariable(['postgres', 'postgresql'])
  return {
    default: undefined,
    values: baseVariable.values,
    parse(raw) {
      const { searchParams } = new URL(baseVariable.parse(raw)!)
      const mode = searchParams.get('sslmode')
      if (mode !== null && !TLS_MODES.includes(mode))
        fail(`must have an sslmode that is one of ${TLS_MODES.join(', ')}`)
      if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) {
        fail('must name the file of the CA with sslmode=verify-ca: add sslrootcert=FILE, or use sslmode=verify-full')
      }
      for (const name of TLS_FILES) checkFile(name, searchParams.get(name))
      if (mode === null || !LIBPQ_MODES.includes(mode) || searchParams.has('uselibpqcompat')) return raw
      return `${raw}&uselibpqcompat=true`
    },
  }
}

function checkFile(name: string, path: string | null): void {
  if (path === null) return
  try {
    readFileSync(path)
  } catch (error) {
    fail(`must name a file with ${name} that this user can read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Accepts text in the shape of an e-mail address; undefined by default. */
export function emailVariable(): EnvironmentVariable<string | undefined> {
  return {
    default: undefined,
    values: 'e-mail address',
    parse: (raw) => (/^[^\s@]+@[^\s@]+$/.test(raw) ? raw : fail('must be an e-mail address')),
  }
}

/** Accepts a relative folder inside the storage. Rejects empty parts, ".", "..", backslashes and question marks. */
export function pathPrefixVariable(fallback: string): EnvironmentVariable<string> {
  return {
    default: fallback,
    values: 'relative folder',
    parse(raw) {
      const parts = raw.replace(/\/$/, '').split('/')
      if (parts.some((part) => part === '' || part === '.' || part === '..')) {
        fail('must be a relative folder without ".."')
      }
      // oxlint-disable-next-line no-control-regex
      if (/[\u0000-\u001f\\?]/.test(raw)) fail('must be a folder without \\ and ?')
      return raw
    },
  }
}

/** Ends a non-empty prefix with exactly one slash; returns '' unchanged. */
export const withTrailingSlash = (prefix: string): string => prefix && prefix.replace(/\/*$/, '/')

/** Accepts the IANA name of a time zone. Rejects offsets such as +03:00, because Postgres inverts their sign. */
export function timeZoneVariable(fallback: string): EnvironmentVariable<string> {
  return {
    default: fallback,
    values: 'name of a time zone',
    parse(raw) {
      const rule = 'must be the name of a time zone, such as Europe/Moscow'
      if (!/^[A-Za-z]/.test(raw)) fail(rule)
      try {
        Intl.DateTimeFormat('en', { timeZone: raw })
      } catch {
        fail(rule)
      }
      return raw
    },
  }
}

/** Accepts two rising whole numbers from 1 to 100: the scores at which the middle and the good band begin. */
export function scoreBandsVariable(
  fallback: readonly [number, number],
): EnvironmentVariable<readonly [number, number]> {
  return {
    default: fallback,
    values: 'two rising numbers from 1 to 100, joined by a comma',
    parse(raw) {
      const [, middle, good] = (/^(\d{1,3})\s*,\s*(\d{1,3})$/.exec(raw) ?? []).map(Number)
      if (!middle || !good || middle >= good || good > 100)
        fail('must be two rising whole numbers from 1 to 100, joined by a comma, such as 50,70')
      return [middle, good]
    },
  }
}

/** Accepts ISO 3166 codes of two letters, joined by commas. Keeps their order and drops duplicates. */
export function countriesVariable(fallback: readonly string[]): EnvironmentVariable<readonly string[]> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return {
    default: fallback,
    values: 'country codes, joined by commas',
    parse(raw) {
      const codes = raw.split(',').map((code) => code.trim())
      const rule = 'must be codes of countries, joined by commas, such as BY,RU'
      if (codes.some((code) => !/^[A-Z]{2}$/.test(code) || names.of(code) === undefined)) fail(rule)
      return [...new Set(codes)]
    },
  }
}

/** Accepts a JSON object and returns it parsed. */
export function jsonObjectVariable(fallback: Record<string, unknown>): EnvironmentVariable<Record<string, unknown>> {
  return {
    default: fallback,
    values: 'JSON object',
    parse(raw) {
      let value: unknown
      try {
        value = JSON.parse(raw)
      } catch {
        // Not JSON at all: the same rule applies.
      }
      if (typeof value !== 'object' || value === null || Array.isArray(value)) fail('must be a JSON object')
      return value as Record<string, unknown>
    },
  }
}

/** Accepts a container memory limit such as 3g, in the format of the container engine. */
export function memoryVariable(fallback: string): EnvironmentVariable<string> {
  return {
    default: fallback,
    values: 'number with the unit b, k, m or g',
    parse: (raw) => (/^\d+[bkmg]?$/i.test(raw) ? raw : fail('must be a number with the unit b, k, m or g, such as 3g')),
  }
}
