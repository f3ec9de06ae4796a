import type { Rule } from '../rules/types.ts'
import { sha256 } from '../../platform/lib/crypto.ts'

/** The hash of the fields that decide a rule's verdict. People's reviews apply while it stays the same. */
export function hashRule({ name: _name, weight: _weight, critical: _critical, ...rest }: Rule): string {
  return hashRules(rest)
}

/** The hash of a version's rules, whatever the order of their fields. */
export const hashRules = (rules: unknown): string => sha256(JSON.stringify(rules, sortKeys)).toString('hex')

/** An object with its fields sorted by name. */
function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
