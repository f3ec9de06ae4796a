/** Where a text holds what a search asked for, by the tokens and lexemes of Postgres. */

/** A stretch of a text, in UTF-16 units; the end does not belong to it. */
export type Range = [start: number, end: number]

/** One word of a question; `after` says how many positions behind the word before it stands in an exact phrase. */
interface Word {
  lexeme: string
  isPrefix: boolean
  after: number
}

/** A word, or the words of an exact phrase. */
export type Pattern = Word[]

/** One token of ts_parse. */
export type Token = [type: number, text: string]

const PART = /'((?:[^'\\]|''|\\.)*)'(?::(\*?)[A-D]*)?|<(-|\d+)>|[&|!()]/gs

/** What a tsquery (as text) wants to be there, each word and each phrase by itself; what it excludes is left out. */
export function patternsOf(query: string): Pattern[] {
  const patterns: Pattern[] = []
  let after = 0
  let depth = 0
  /** The depth at which an exclusion began; undefined outside of one. */
  let excludedAt: number | undefined
  for (const [part, quoted, star, distance] of query.matchAll(PART)) {
    if (part === '(') depth++
    else if (part === ')') depth--
    else if (part === '!') excludedAt ??= depth
    else if (distance !== undefined) after = distance === '-' ? 1 : Number(distance)
    else if (quoted === undefined) after = 0
    else if (excludedAt === undefined) {
      const word = { lexeme: quoted.replace(/''|\\./gs, (pair) => pair[1]!), isPrefix: star === '*', after }
      if (after > 0 && patterns.length > 0) patterns.at(-1)!.push(word)
      else patterns.push([word])
    }
    // An exclusion ends with its word, or with the bracket behind it.
    if (part !== '!' && part !== '(' && depth === excludedAt) excludedAt = undefined
  }
  // A word that is asked for a hundred times is looked for once.
  return [...new Map(patterns.map((pattern) => [JSON.stringify(pattern), pattern])).values()]
}

/** A tsquery that any word of the patterns satisfies. */
export function anyOf(patterns: Pattern[]): string {
  const quote = (lexeme: string) => `'${lexeme.replace(/['\\]/g, '$&$&')}'`
  return patterns
    .flat()
    .map(({ lexeme, isPrefix }) => `${quote(lexeme)}${isPrefix ? ':*' : ''}`)
    .join(' | ')
}

/** Types of the default parser that are no words: blank, tag, protocol, entity. */
const NO_WORDS: ReadonlySet<number> = new Set([12, 13, 14, 21])
/** Types whose parts follow as tokens of their own: url, and words with hyphens. */
const COMPOUND: ReadonlySet<number> = new Set([5, 15, 16, 17])

export const isWord = ([type]: Token): boolean => !NO_WORDS.has(type)

/**
 * Where the patterns stand in a text, in its order, none within another. The tokens together are the text;
 * `lexemesOf` knows the words that any pattern holds.
 */
export function findMatches(tokens: Token[], lexemesOf: ReadonlyMap<string, string[]>, patterns: Pattern[]): Range[] {
  // As in a tsvector: words have positions, what is no word has none.
  const positions: { lexemes: string[]; start: number; end: number; isWhole: boolean }[] = []
  let start = 0
  for (const token of tokens) {
    const end = start + token[1].length
    if (isWord(token))
      positions.push({ lexemes: lexemesOf.get(token[1]) ?? [], start, end, isWhole: !COMPOUND.has(token[0]) })
    if (!COMPOUND.has(token[0])) start = end
  }
  // By lexeme, so that a long text is not compared with each of many patterns.
  const byFirst = new Map<string, Pattern[]>()
  const beginningWith = (lexeme: string): Pattern[] => {
    const known = byFirst.get(lexeme) ?? patterns.filter(([first]) => first!.isPrefix || first!.lexeme === lexeme)
    byFirst.set(lexeme, known)
    return known
  }
  const found: Range[] = []
  for (const [position, { lexemes }] of positions.entries()) {
    if (lexemes.length === 0) continue
    for (const pattern of new Set(lexemes.flatMap(beginningWith))) {
      const last = endOf(pattern, position)
      if (last !== undefined) found.push([positions[position]!.start, positions[last]!.end])
    }
  }
  return withoutOverlaps(found)

  /** The position of a pattern's last word where its first stands at `position`; undefined where it does not. */
  function endOf(pattern: Pattern, position: number): number | undefined {
    let at = position
    for (const { lexeme, isPrefix, after } of pattern) {
      at += after
      // A beginning is looked for in the parts of a word with hyphens, which follow it.
      const fits = (one: string) => (isPrefix ? positions[at]!.isWhole && one.startsWith(lexeme) : one === lexeme)
      if (!positions[at]?.lexemes.some(fits)) return undefined
    }
    return at
  }
}

function withoutOverlaps(found: Range[]): Range[] {
  const kept: Range[] = []
  for (const stretch of found.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    const last = kept.at(-1)
    if (!last || stretch[0] >= last[1]) kept.push(stretch)
    else last[1] = Math.max(last[1], stretch[1])
  }
  return kept
}
