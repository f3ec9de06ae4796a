import { loadLemmas } from '../morphology.ts'
import { findNumbers, groupNumbers, joinedNumbers } from './numbers.ts'
import { findSynonyms, type Synonyms } from './synonyms.ts'
import { eitherTerm, joinedWords, queryTerms, quoteTerm } from './terms.ts'
import { tokenize, type Token } from './tokens.ts'

/** One position of a phrase: a text must have one of the terms there, or a word with the prefix. */
export interface Place {
  terms: string[]
  prefix?: string
}

/** Adjacent positions. `synonymOf` has the words of the query that it replaces. */
export interface Phrase {
  op: 'phrase'
  places: Place[]
  synonymOf?: string
}

export type QueryNode = Phrase | { op: 'and' | 'or'; nodes: QueryNode[] } | { op: 'not'; nodes: [QueryNode] }

/** A parsed search. */
export interface SearchQuery {
  root: QueryNode
  /** The last word as a prefix, if it is one. */
  prefix: string | undefined
}

/** A part of a query without spaces, or in quotation marks. */
export interface Chunk {
  tokens: Token[]
  isQuoted: boolean
  isExcluded: boolean
  isOr: boolean
}

const CHUNK = /(-?)(?:"([^"]*)"?|([^\s"]+))/g
/** Shorter prefixes match too many words. */
const MIN_PREFIX = 3

/**
 * Parses a query in web-search syntax: words, "exact phrases", -exclusions, or. Words match every form of themselves,
 * the last one also as a prefix; numbers match however they are written.
 * @returns undefined if the query has no word
 */
export async function parseSearch(text: string, synonyms: Synonyms = new Map()): Promise<SearchQuery | undefined> {
  await loadLemmas()
  const chunks = splitQuery(text)
  const prefix = findPrefix(chunks.at(-1))
  const groups: Chunk[][] = [[]]
  for (const chunk of chunks) {
    if (chunk.isOr) groups.push([])
    else if (chunk.tokens.length > 0) groups.at(-1)!.push(chunk)
  }
  const last = groups.at(-1)
  const nodes = groups
    .filter((group) => group.length > 0)
    .map((group) => join('and', groupNodes(group, { synonyms, prefix: group === last ? prefix : undefined })))
  return nodes.length > 0 ? { root: join('or', nodes), prefix } : undefined
}

/** Splits a query at its spaces and quotation marks. */
export function splitQuery(text: string): Chunk[] {
  return Array.from(text.toWellFormed().matchAll(CHUNK), ({ 1: minus, 2: quoted, 3: plain, index }) => ({
    tokens: tokenize(quoted ?? plain!).map((token) => ({
      ...token,
      start: token.start + index,
      end: token.end + index,
    })),
    isQuoted: quoted !== undefined,
    isExcluded: minus === '-',
    isOr: minus === '' && /^or$/i.test(plain ?? ''),
  }))
}

function findPrefix(chunk: Chunk | undefined): string | undefined {
  if (!chunk || chunk.isQuoted || chunk.isExcluded || chunk.isOr) return undefined
  const { word } = chunk.tokens.at(-1) ?? { word: '' }
  return word.length >= MIN_PREFIX ? word : undefined
}

interface Context {
  synonyms: Synonyms
  /** The last word of these chunks as a prefix. */
  prefix: string | undefined
}

/** The nodes that a text must all match. */
function groupNodes(chunks: Chunk[], { synonyms, prefix }: Context): QueryNode[] {
  const nodes: QueryNode[] = []
  let at = 0
  while (at < chunks.length) {
    const chunk = chunks[at]!
    let end = at + 1
    if (chunk.isQuoted) {
      const phrase: Phrase = { op: 'phrase', places: chunk.tokens.map(({ word }) => ({ terms: [word] })) }
      nodes.push(chunk.isExcluded ? not(phrase) : phrase)
    } else if (chunk.isExcluded) {
      nodes.push(not(join('and', plainNodes([chunk], { synonyms: new Map(), prefix: undefined }))))
    } else {
      while (chunks[end] && !chunks[end]!.isQuoted && !chunks[end]!.isExcluded) end++
      nodes.push(...plainNodes(chunks.slice(at, end), { synonyms, prefix: end === chunks.length ? prefix : undefined }))
    }
    at = end
  }
  return nodes
}

/** The condition for chunks from `from` to before `to`, besides their words. */
interface Alternative {
  from: number
  to: number
  phrase: Phrase
}

/** The nodes of adjacent chunks without quotation marks. */
function plainNodes(chunks: Chunk[], { synonyms, prefix }: Context): QueryNode[] {
  const tokens = chunks.flatMap((chunk) => chunk.tokens)
  /** The chunk that begins, or ends, at each boundary between tokens. */
  const borders = new Map<number, number>([[0, 0]])
  let count = 0
  for (const [index, chunk] of chunks.entries()) borders.set((count += chunk.tokens.length), index + 1)
  const alternatives: Alternative[] = []
  const add = (from: number, to: number, phrase: Phrase) => {
    const [first, last] = [borders.get(from), borders.get(to)]
    if (first !== undefined && last !== undefined) alternatives.push({ from: first, to: last, phrase })
  }
  const numbers = findNumbers(tokens)
  for (const { digits, from, to } of [
    ...numbers,
    ...groupNumbers(tokens, numbers).flatMap((group) => [...joinedNumbers(group)]),
  ])
    add(from, to, { op: 'phrase', places: [{ terms: eitherTerm(digits) }] })
  for (const { from, to, others } of findSynonyms(tokens, synonyms)) {
    const words = tokens.slice(from, to).map(({ word }) => word)
    for (const places of others)
      add(from, to, { op: 'phrase', places: places.map((terms) => ({ terms })), synonymOf: words.join(' ') })
  }
  const nodes = chunks.map((chunk, index) => chunkNode(chunk, index === chunks.length - 1 ? prefix : undefined))
  return combine(nodes, 0, nodes.length, alternatives)
}

/** A word, or a compound: its parts as a phrase, or as one word. */
function chunkNode({ tokens }: Chunk, prefix: string | undefined): QueryNode {
  const places: Place[] = tokens.map(({ word }) => ({ terms: queryTerms(word) }))
  if (prefix !== undefined) places.at(-1)!.prefix = prefix
  const joined = joinedWords(tokens).filter(({ length }) => length === tokens.length)
  const whole = joined.map(({ word }): Phrase => ({ op: 'phrase', places: [{ terms: queryTerms(word) }] }))
  return join('or', [{ op: 'phrase', places }, ...whole])
}

/** Nodes from `from` to before `to`, including nodes with alternatives; the longest ones first. */
function combine(nodes: QueryNode[], from: number, to: number, alternatives: Alternative[]): QueryNode[] {
  const combined: QueryNode[] = []
  let at = from
  while (at < to) {
    const here = alternatives.filter((one) => one.from === at && one.to <= to)
    const end = Math.max(at + 1, ...here.map((one) => one.to))
    const [same, shorter] = [
      here.filter((one) => one.to === end),
      alternatives.filter((one) => one.to - one.from < end - at),
    ]
    const words = end - at === 1 ? nodes[at]! : join('and', combine(nodes, at, end, shorter))
    combined.push(join('or', [words, ...same.map(({ phrase }) => phrase)]))
    at = end
  }
  return combined
}

const not = (node: QueryNode): QueryNode => ({ op: 'not', nodes: [node] })

/** Joins nodes without duplicates. */
function join(op: 'and' | 'or', nodes: QueryNode[]): QueryNode {
  const unique = [...new Map(nodes.map((node) => [formatTsquery(node), node])).values()]
  return unique.length === 1 ? unique[0]! : { op, nodes: unique }
}

/** The text form of a tsquery. */
export function formatTsquery(node: QueryNode): string {
  if (node.op === 'phrase') return node.places.map(formatPlace).join(' <-> ')
  if (node.op === 'not') return `!( ${formatTsquery(node.nodes[0])} )`
  return `( ${node.nodes.map(formatTsquery).join(node.op === 'and' ? ' & ' : ' | ')} )`
}

function formatPlace({ terms, prefix }: Place): string {
  if (prefix === undefined) return anyOf(terms.map(quoteTerm))
  // Terms with the prefix are left out: Postgres would count their texts twice, and choose a slower plan.
  const others = terms.filter((term) => !term.startsWith(prefix))
  return anyOf([...others.map(quoteTerm), `${quoteTerm(prefix)}:*`])
}

const anyOf = (words: string[]): string => (words.length === 1 ? words[0]! : `( ${words.join(' | ')} )`)

/** Whether an index can find the texts of a query: not if it only excludes. */
export function isIndexable(node: QueryNode): boolean {
  if (node.op === 'phrase') return true
  if (node.op === 'not') return false
  return node.op === 'and' ? node.nodes.some(isIndexable) : node.nodes.every(isIndexable)
}

/** The phrases that a query searches for, without excluded ones. */
export function wantedPhrases(node: QueryNode): Phrase[] {
  if (node.op === 'phrase') return [node]
  return node.op === 'not' ? [] : node.nodes.flatMap(wantedPhrases)
}
