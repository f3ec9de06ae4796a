import { Pace } from './pace.ts'

/** One thing that is wrong with a rule set. */
export interface Violation {
  /** Where, as in `rules[2].any.ru[0]`; empty for the whole set. */
  path: string
  /** The key of the rule it lies in, if it has one. */
  ruleKey?: string
  /** Which rule of rule sets it breaks, for programs. */
  rule: string
  /** The same as a sentence in English and Russian. */
  message: { en: string; ru: string }
}

/** So many unknown fields of one object are told of. */
const MOST_UNKNOWN = 50

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Gathers what is wrong, below one path. */
export class Violations {
  readonly list: Violation[]
  private readonly pace: Pace
  private readonly ruleKey: string | undefined

  constructor(list: Violation[] = [], pace = new Pace(), ruleKey?: string) {
    this.list = list
    this.pace = pace
    this.ruleKey = ruleKey
  }

  /** Yields to the event loop if the check has held it for some milliseconds. */
  async rest(): Promise<void> {
    if (this.pace.due()) await this.pace.rest()
  }

  /** The same list, for what lies in one rule. */
  of(ruleKey: string | undefined): Violations {
    return new Violations(this.list, this.pace, ruleKey)
  }

  add(path: string, rule: string, en: string, ru: string): void {
    this.list.push({
      path,
      ...(this.ruleKey === undefined ? {} : { ruleKey: this.ruleKey }),
      rule,
      message: { en, ru },
    })
  }

  /** Names the fields that nothing knows. */
  unknownKeys(value: Record<string, unknown>, path: string, known: readonly string[]): void {
    const unknown = Object.keys(value).filter((key) => !known.includes(key))
    for (const key of unknown.slice(0, MOST_UNKNOWN))
      this.add(at(path, key), 'unknownKey', `There is no field ${quote(key)} here.`, `Поля ${quote(key)} здесь нет.`)
  }

  /** A number within bounds, or nothing. */
  number(value: unknown, path: string, min: number, max: number): void {
    if (value === undefined) return
    if (typeof value !== 'number' || !Number.isFinite(value) || value < min || value > max)
      this.add(path, 'range', `It must be a number from ${min} to ${max}.`, `Нужно число от ${min} до ${max}.`)
  }

  /** One of some words, or nothing. */
  oneOf(value: unknown, path: string, allowed: readonly unknown[]): void {
    if (value === undefined || allowed.includes(value)) return
    const names = allowed.map(String).join(', ')
    this.add(path, 'oneOf', `It must be one of: ${names}.`, `Можно только: ${names}.`)
  }
}

export const at = (path: string, key: string | number): string =>
  typeof key === 'number' ? `${path}[${key}]` : path ? `${path}.${key}` : key

/** A word of a user's in a message, not longer than one can read. */
export const quote = (text: string): string => `«${text.length > 60 ? `${text.slice(0, 60)}…` : text}»`
