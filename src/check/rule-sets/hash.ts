import type { Rule } from '../rules/types.ts'
import { sha256 } from '../../platform/lib/crypto.ts'

/** Of what decides a rule's verdict: what a person has said of it holds while this stays, whatever it is called or weighs. */
export function hashOfRule({ name: _name, weight: _weight, critical: _critical, ...rest }: Rule): string {
  return hashOfRules(rest)
}

/** Of the rules of a version, whatever the order of their fields. */
export const hashOfRules = (rules: unknown): string => sha256(JSON.stringify(rules, sorted)).toString('hex')

/** An object with its fields in the order of their names. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
