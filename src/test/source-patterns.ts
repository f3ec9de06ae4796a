import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface SourcePattern {
  file: string
  pattern: RegExp
}

/** Non-linear patterns with the reason why an attacker cannot exploit them. */
export const ALLOWED_SLOW_PATTERNS = new Map([
  ['platform/lib/environment-variables.ts /\\/*$/', 'the configuration'],
  ['check/model/client.ts /\\/+$/', 'the configuration'],
  ['recognizer/models/hub.ts /\\/+$/', 'the configuration'],
  ['crm/comments/text.ts /\\/+$/', 'the configuration'],
  ['check/model/client.ts /(\\d+(?:\\.\\d+)?)(ms|s|m|h)/g', 'at most 40 characters'],
  ['panel/analytics/weekly.ts /\\s*%$/', 'a number of ours'],
  ['panel/frame/format.ts /\\s*г\\.$/', 'a day of ours'],
  ["calls/list/search-query.ts /'(?:[^']|'')+'$/", 'what Postgres makes of at most 500 characters'],
  ['calls/list/search-query.ts /\\s+or\\s+/i', 'at most 500 characters'],
])

/** Matches a regular expression literal after a token that can precede an expression. */
const REGEXP_LITERAL =
  /(?<=[=(,:!&|?;{}[\s]|=>|return)\/(?![*/\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=[.,;)\]\s}])/g

/** Finds the regular expression literals in the product's sources, without tests. */
export function collectSourcePatterns(): SourcePattern[] {
  const files = readdirSync('src', { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('test/'))
  return files.flatMap((file) =>
    Array.from(readFileSync(join('src', file), 'utf8').matchAll(REGEXP_LITERAL)).flatMap(([, source, flags]) => {
      const pattern = compilePattern(source!, flags!)
      return pattern ? [{ file, pattern }] : []
    }),
  )
}

/** Returns undefined for a division that looks like a regular expression. */
function compilePattern(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

/** Maps each character class to a sample character. */
const CLASS_SAMPLES: [RegExp, string][] = [
  [/\\s/, ' '],
  [/\\[dN]|0-9|\\p\{N/, '1'],
  [/\\w|a-z/, 'a'],
  [/A-Z/, 'A'],
  [/\\p\{L|а-я/, 'я'],
  [/\\n|\\r/, '\n'],
  [/[^\\]\.|\[\^/, 'x'],
]
/** No pattern matches this character at the end, so a non-linear pattern backtracks over the whole input. */
const NON_MATCHING_END = '\u0001'
const MAX_LETTERS = 8

/**
 * Generates inputs that make a non-linear pattern slow: repeated characters of the pattern with an end that does not match.
 * @param length number of characters
 */
export function* generateSlowRegExpInputs({ source }: RegExp, length: number): Generator<string> {
  const literals = source.replace(/\\[a-zA-Z](?:\{[^}]*\})?/g, '').match(/[^\\()[\]{}|^$*+?.]/gu) ?? []
  const classes = CLASS_SAMPLES.filter(([named]) => named.test(source)).map(([, letter]) => letter)
  const letters = [...new Set([...classes, ...literals])].slice(0, MAX_LETTERS)
  const start = source.replace(/\\[a-zA-Z]|[\\^$]/g, '').match(/^[\w"'`/<=%-]{1,20}/)?.[0] ?? ''
  for (const one of letters) {
    yield one.repeat(length) + NON_MATCHING_END
    if (start) yield start + one.repeat(length) + NON_MATCHING_END
    for (const other of letters) {
      if (other === one) continue
      yield one + other.repeat(length) + NON_MATCHING_END
      yield (one + other).repeat(length / 2) + NON_MATCHING_END
    }
  }
}
