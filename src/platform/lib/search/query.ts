import { loadMorphology } from '../morphology.ts'
import { scanSearchNumbers } from './numbers.ts'
import { findSynonymSpans, type CompiledSynonyms } from './synonyms.ts'
import { scanCompoundWords, getNumberTerms, getQueryTerms, quoteLexeme } from './terms.ts'
import { isDigitWord, tokenizeText, type TextToken } from './tokens.ts'

/** Describes one word of a phrase: the text must have one of the terms there, or a word with the prefix. */
export interface PhrasePosition {
  terms: string[]
  prefix?: string
}

/** Matches consecutive words of a text. `synonymOf` contains the query words of which the phrase is a synonym. */
export interface SearchPhrase {
  op: 'phrase'
  places: PhrasePosition[]
  synonymOf?: string
}

/** Represents a search query as a tree of phrases, conjunctions, alternatives and exclusions. */
type SearchQueryNode =
  | SearchPhrase
  | { op: 'and' | 'or'; nodes: SearchQueryNode[] }
  | { op: 'not'; nodes: [SearchQueryNode] }

/** Contains a parsed search query. */
interface SearchQuery {
  root: SearchQueryNode
  /** Last word of the query if it also matches as a prefix. */
  prefix: string | undefined
}

/** Represents a quoted phrase, or a word or compound outside quotation marks. */
interface SearchQueryChunk {
  tokens: TextToken[]
  isQuoted: boolean
  isExcluded: boolean
  isOr: boolean
}

const CHUNK_PATTERN = /(-?)(?:"([^"]*)"?|([^\s"]+))/g
/** Drops further numbers and synonyms of adjacent words, because a tsquery is limited to 1 MB. */
const MAX_ALTERNATIVES = 300
/** Shorter prefixes match too many words. */
const MIN_PREFIX_LENGTH = 3

/**
 * Parses a query in web search syntax: words, "exact phrases", -exclusions and `or`.
 * Unquoted words match all their forms, and the last word also as a prefix. Unquoted numbers match in any spelling.
 * @returns undefined if the query has no word
 */
export async function parseSearchQuery(
  text: string,
  synonyms: CompiledSynonyms = new Map(),
): Promise<SearchQuery | undefined> {
  await loadMorphology()
  const chunks = splitSearchQuery(text)
  const prefix = findPrefix(chunks)
  const groups: SearchQueryChunk[][] = [[]]
  for (const chunk of chunks) {
    if (chunk.isOr) groups.push([])
    else if (chunk.tokens.length > 0) groups.at(-1)!.push(chunk)
  }
  const last = groups.at(-1)
  const nodes = groups
    .filter((group) => group.length > 0)
    .map((group) => joinNodes('and', buildGroupNodes(group, { synonyms, prefix: group === last ? prefix : undefined })))
  return nodes.length > 0 ? { root: joinNodes('or', nodes), prefix } : undefined
}

/** Replaces typographic double quotation marks with straight ones. Keeps the length. */
export const normalizeQuotationMarks = (text: string): string => text.replace(/[«»„“”‟]/g, '"')

/** Splits a query at spaces, quotation marks and signs that form no compound. Token positions refer to the query text. */
export function splitSearchQuery(text: string): SearchQueryChunk[] {
  return Array.from(normalizeQuotationMarks(text.toWellFormed()).matchAll(CHUNK_PATTERN)).flatMap(
    ({ 1: minus, 2: quoted, 3: plain, index }): SearchQueryChunk[] => {
      const offset = index + minus!.length + (quoted === undefined ? 0 : 1)
      const tokens = Array.from(tokenizeText(quoted ?? plain!), (token) => ({
        ...token,
        start: token.start + offset,
        end: token.end + offset,
      }))
      const isExcluded = minus === '-'
      if (quoted !== undefined) return [{ tokens, isQuoted: true, isExcluded, isOr: false }]
      const isOr = !isExcluded && /^or$/i.test(plain!)
      return splitCompounds(tokens).map((part) => ({ tokens: part, isQuoted: false, isExcluded, isOr }))
    },
  )
}

/** Splits tokens into groups that signs such as a hyphen join. */
function splitCompounds(tokens: TextToken[]): TextToken[][] {
  const compounds: TextToken[][] = []
  for (const token of tokens) {
    if (token.joint !== undefined && compounds.length > 0) compounds.at(-1)!.push(token)
    else compounds.push([{ ...token, pause: 'none' }])
  }
  return compounds
}

/** Returns the last word if it has at least three characters and is neither quoted, excluded nor `or`. */
function findPrefix(chunks: readonly SearchQueryChunk[]): string | undefined {
  const chunk = chunks.at(-1)
  if (!chunk || chunk.isQuoted || chunk.isExcluded || chunk.isOr) return undefined
  const { word } = chunk.tokens.at(-1)!
  return word.length >= MIN_PREFIX_LENGTH ? word : undefined
}

interface QueryContext {
  synonyms: CompiledSynonyms
  prefix: string | undefined
}

/** Builds the nodes of the chunks between two `or`; a text must match all of these nodes. */
function buildGroupNodes(chunks: SearchQueryChunk[], { synonyms, prefix }: QueryContext): SearchQueryNode[] {
  const nodes: SearchQueryNode[] = []
  let at = 0
  while (at < chunks.length) {
    const chunk = chunks[at]!
    let end = at + 1
    if (chunk.isQuoted) {
      const phrase: SearchPhrase = { op: 'phrase', places: chunk.tokens.map(({ word }) => ({ terms: [word] })) }
      nodes.push(chunk.isExcluded ? negateNode(phrase) : phrase)
    } else if (chunk.isExcluded) {
      nodes.push(negateNode(joinNodes('and', buildPlainNodes([chunk], { synonyms: new Map(), prefix: undefined }))))
    } else {
      while (chunks[end] && !chunks[end]!.isQuoted && !chunks[end]!.isExcluded) end++
      nodes.push(
        ...buildPlainNodes(chunks.slice(at, end), { synonyms, prefix: end === chunks.length ? prefix : undefined }),
      )
    }
    at = end
  }
  return nodes
}

/** Describes a phrase that can replace the chunks from `from` to before `to`. */
interface Alternative {
  from: number
  to: number
  phrase: SearchPhrase
}

/** Builds the nodes of adjacent unquoted chunks, with their numbers and synonyms as alternatives. */
function buildPlainNodes(chunks: SearchQueryChunk[], { synonyms, prefix }: QueryContext): SearchQueryNode[] {
  const tokens = chunks.flatMap((chunk) => chunk.tokens)
  /** Maps token positions at chunk boundaries to chunk indices. */
  const boundaries = new Map<number, number>([[0, 0]])
  let count = 0
  for (const [index, chunk] of chunks.entries()) boundaries.set((count += chunk.tokens.length), index + 1)
  const alternatives: Alternative[] = []
  const add = (from: number, to: number, phrase: SearchPhrase) => {
    const [first, last] = [boundaries.get(from), boundaries.get(to)]
    if (first === undefined || last === undefined || alternatives.length >= MAX_ALTERNATIVES) return
    alternatives.push({ from: first, to: last, phrase })
  }
  for (const number of scanSearchNumbers(tokens)) {
    if (number.kind === 'written') continue
    add(number.from, number.to, { op: 'phrase', places: [{ terms: getNumberTerms(number) }] })
  }
  for (const { from, to, others } of findSynonymSpans(tokens, synonyms)) {
    const words = tokens.slice(from, to).map(({ word }) => word)
    for (const places of others)
      add(from, to, { op: 'phrase', places: places.map((terms) => ({ terms })), synonymOf: words.join(' ') })
  }
  const nodes = chunks.map((chunk, index) => buildChunkNode(chunk, index === chunks.length - 1 ? prefix : undefined))
  return combineAlternatives(nodes, 0, nodes.length, alternatives)
}

/** Endings after the digits of an ordinal or an inflected number: 5-й, 12-го, 5-ти, 25th. */
const NUMBER_ENDINGS = /^(?:[йяемх]|го|му|ми|ти|ый|ий|ая|ое|ые|ого|ому|ой|st|nd|rd|th)$/

/** Builds the node of a word or compound. A compound matches as a phrase of its parts, or as one word or number. */
function buildChunkNode({ tokens }: SearchQueryChunk, prefix: string | undefined): SearchQueryNode {
  const places: PhrasePosition[] = tokens.map(({ word }) => ({ terms: getQueryTerms(word) }))
  if (prefix !== undefined) places.at(-1)!.prefix = prefix
  const joined = [...scanCompoundWords(tokens)].filter(({ length }) => length === tokens.length)
  const joinedTerms = joined.map(({ word }) => getQueryTerms(word))
  const [first, second] = tokens
  if (tokens.length === 2 && isDigitWord(first!.word) && NUMBER_ENDINGS.test(second!.word))
    joinedTerms.push(getQueryTerms(first!.word))
  return joinNodes('or', [
    { op: 'phrase', places },
    ...joinedTerms.map((terms): SearchPhrase => ({ op: 'phrase', places: [{ terms }] })),
  ])
}

/**
 * Combines nodes with their alternatives from `from` to before `to`. The longest alternative at a position decides where the next
 * node begins.
 */
function combineAlternatives(
  nodes: SearchQueryNode[],
  from: number,
  to: number,
  alternatives: Alternative[],
): SearchQueryNode[] {
  const combined: SearchQueryNode[] = []
  let at = from
  while (at < to) {
    const starting = alternatives.filter((one) => one.from === at && one.to <= to)
    const end = Math.max(at + 1, ...starting.map((one) => one.to))
    const [same, shorter] = [
      starting.filter((one) => one.to === end),
      alternatives.filter((one) => one.to - one.from < end - at),
    ]
    const words = end - at === 1 ? nodes[at]! : joinNodes('and', combineAlternatives(nodes, at, end, shorter))
    combined.push(joinNodes('or', [words, ...same.map(({ phrase }) => phrase)]))
    at = end
  }
  return combined
}

const negateNode = (node: SearchQueryNode): SearchQueryNode => ({ op: 'not', nodes: [node] })

function joinNodes(op: 'and' | 'or', nodes: SearchQueryNode[]): SearchQueryNode {
  const unique = [...new Map(nodes.map((node) => [formatTsquery(node), node])).values()]
  return unique.length === 1 ? unique[0]! : { op, nodes: unique }
}

/** Caches the text of nodes, because joinNodes() compares nodes by their text. */
const formattedNodes = new WeakMap<SearchQueryNode, string>()

/** Formats a query node as the text of a Postgres tsquery. */
export function formatTsquery(node: SearchQueryNode): string {
  const text = formattedNodes.get(node) ?? formatNode(node)
  formattedNodes.set(node, text)
  return text
}

function formatNode(node: SearchQueryNode): string {
  if (node.op === 'phrase') return node.places.map(formatPosition).join(' <-> ')
  if (node.op === 'not') return `!( ${formatTsquery(node.nodes[0])} )`
  return `( ${node.nodes.map(formatTsquery).join(node.op === 'and' ? ' & ' : ' | ')} )`
}

function formatPosition({ terms, prefix }: PhrasePosition): string {
  if (prefix === undefined) return formatAnyOf(terms.map(quoteLexeme))
  // Omit terms that have the prefix. Otherwise Postgres counts their rows twice and chooses a slower plan.
  const others = terms.filter((term) => !term.startsWith(prefix))
  return formatAnyOf([...others.map(quoteLexeme), `${quoteLexeme(prefix)}:*`])
}

const formatAnyOf = (words: string[]): string => (words.length === 1 ? words[0]! : `( ${words.join(' | ')} )`)

/** Returns true if an index can find the matching texts; false if an alternative only excludes words. */
export function isIndexableQuery(node: SearchQueryNode): boolean {
  if (node.op === 'phrase') return true
  if (node.op === 'not') return false
  return node.op === 'and' ? node.nodes.some(isIndexableQuery) : node.nodes.every(isIndexableQuery)
}

/** Collects the phrases that a query searches for, without excluded ones. */
export function collectSearchPhrases(node: SearchQueryNode): SearchPhrase[] {
  if (node.op === 'phrase') return [node]
  return node.op === 'not' ? [] : node.nodes.flatMap(collectSearchPhrases)
}
