import type { Rule } from '../rules/types.ts'
import { sha256 } from '../../platform/lib/crypto.ts'

/** Hashes a rule without name, weight and `critical`. Reviews apply to later checks while this hash and the transcript are unchanged. */
export function hashRule({ name: _name, weight: _weight, critical: _critical, ...rest }: Rule): string {
  return hashRules(rest)
}

/**
 * Hashes rules or other JSON values, independent of the order of their fields.
 * @returns SHA-256 in hexadecimal
 */
export const hashRules = (rules: unknown): string => sha256(JSON.stringify(rules, sortKeys)).toString('hex')

/** A replacer for JSON.stringify() that sorts the fields of each object by name. */
function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
