import { loadMorphology } from '../morphology.ts'
import { findAllNumbers } from './numbers.ts'
import { findSynonyms, type Synonyms } from './synonyms.ts'
import { findCompoundWords, listNumberTerms, listQueryTerms, quoteTerm } from './terms.ts'
import { isNumber, tokenize, type Token } from './tokens.ts'

/** One position of a phrase: a text must have one of the terms there, or a word with the prefix. */
export interface PhrasePosition {
  terms: string[]
  prefix?: string
}

/** Places that follow each other. `synonymOf` has the words of the query that the phrase is a synonym of. */
export interface Phrase {
  op: 'phrase'
  places: PhrasePosition[]
  synonymOf?: string
}

/** A node of a parsed search. */
export type QueryNode = Phrase | { op: 'and' | 'or'; nodes: QueryNode[] } | { op: 'not'; nodes: [QueryNode] }

/** A parsed search. */
export interface SearchQuery {
  root: QueryNode
  /** The last word as a prefix, if it is one. */
  prefix: string | undefined
}

/** A part of a query without spaces, or in quotation marks. */
export interface QueryChunk {
  tokens: Token[]
  isQuoted: boolean
  isExcluded: boolean
  isOr: boolean
}

const CHUNK_PATTERN = /(-?)(?:"([^"]*)"?|([^\s"]+))/g
/** More numbers and synonyms of a query are left out: a tsquery holds 1 MB. */
const MAX_ALTERNATIVES = 300
/** Shorter prefixes match too many words. */
const MIN_PREFIX_LENGTH = 3

/**
 * Parses a query in web-search syntax: words, "exact phrases", -exclusions, or. Words match every form of themselves,
 * the last one also as a prefix; numbers match however they are written.
 * @returns undefined if the query has no word
 */
export async function parseSearchQuery(text: string, synonyms: Synonyms = new Map()): Promise<SearchQuery | undefined> {
  await loadMorphology()
  const chunks = splitQuery(text)
  const prefix = findPrefix(chunks)
  const groups: QueryChunk[][] = [[]]
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

/** Replaces typographic quotation marks, one for one. */
export const normalizeQuotes = (text: string): string => text.replace(/[«»„“”‟]/g, '"')

/** Splits a query at its spaces, quotation marks and signs that form no compound; equal places hold equal characters. */
export function splitQuery(text: string): QueryChunk[] {
  return Array.from(normalizeQuotes(text.toWellFormed()).matchAll(CHUNK_PATTERN)).flatMap(
    ({ 1: minus, 2: quoted, 3: plain, index }): QueryChunk[] => {
      const offset = index + minus!.length + (quoted === undefined ? 0 : 1)
      const tokens = Array.from(tokenize(quoted ?? plain!), (token) => ({
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

/** Splits tokens where no sign joins them. */
function splitCompounds(tokens: Token[]): Token[][] {
  const compounds: Token[][] = []
  for (const token of tokens) {
    if (token.joint !== undefined && compounds.length > 0) compounds.at(-1)!.push(token)
    else compounds.push([{ ...token, pause: 'none' }])
  }
  return compounds
}

/** The last word of a query, unless it is in quotation marks or excluded. */
function findPrefix(chunks: readonly QueryChunk[]): string | undefined {
  const chunk = chunks.at(-1)
  if (!chunk || chunk.isQuoted || chunk.isExcluded || chunk.isOr) return undefined
  const { word } = chunk.tokens.at(-1)!
  return word.length >= MIN_PREFIX_LENGTH ? word : undefined
}

interface QueryContext {
  synonyms: Synonyms
  /** The last word of these chunks as a prefix. */
  prefix: string | undefined
}

/** The nodes that a text must all match. */
function buildGroupNodes(chunks: QueryChunk[], { synonyms, prefix }: QueryContext): QueryNode[] {
  const nodes: QueryNode[] = []
  let at = 0
  while (at < chunks.length) {
    const chunk = chunks[at]!
    let end = at + 1
    if (chunk.isQuoted) {
      const phrase: Phrase = { op: 'phrase', places: chunk.tokens.map(({ word }) => ({ terms: [word] })) }
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

/** The condition for chunks from `from` to before `to`, besides their words. */
interface Alternative {
  from: number
  to: number
  phrase: Phrase
}

/** The nodes of adjacent chunks without quotation marks. */
function buildPlainNodes(chunks: QueryChunk[], { synonyms, prefix }: QueryContext): QueryNode[] {
  const tokens = chunks.flatMap((chunk) => chunk.tokens)
  /** The chunk that begins, or ends, at each boundary between tokens. */
  const boundaries = new Map<number, number>([[0, 0]])
  let count = 0
  for (const [index, chunk] of chunks.entries()) boundaries.set((count += chunk.tokens.length), index + 1)
  const alternatives: Alternative[] = []
  const add = (from: number, to: number, phrase: Phrase) => {
    const [first, last] = [boundaries.get(from), boundaries.get(to)]
    if (first === undefined || last === undefined || alternatives.length >= MAX_ALTERNATIVES) return
    alternatives.push({ from: first, to: last, phrase })
  }
  for (const number of findAllNumbers(tokens)) {
    if (number.kind === 'written') continue
    add(number.from, number.to, { op: 'phrase', places: [{ terms: listNumberTerms(number) }] })
  }
  for (const { from, to, others } of findSynonyms(tokens, synonyms)) {
    const words = tokens.slice(from, to).map(({ word }) => word)
    for (const places of others)
      add(from, to, { op: 'phrase', places: places.map((terms) => ({ terms })), synonymOf: words.join(' ') })
  }
  const nodes = chunks.map((chunk, index) => buildChunkNode(chunk, index === chunks.length - 1 ? prefix : undefined))
  return combineAlternatives(nodes, 0, nodes.length, alternatives)
}

/** Endings behind the digits of an ordinal or of a number in another case: 5-й, 12-го, 5-ти, 25th. */
const NUMBER_ENDINGS = /^(?:[йяемх]|го|му|ми|ти|ый|ий|ая|ое|ые|ого|ому|ой|st|nd|rd|th)$/

/** A word, or a compound: its parts as a phrase, or as one word or number. */
function buildChunkNode({ tokens }: QueryChunk, prefix: string | undefined): QueryNode {
  const places: PhrasePosition[] = tokens.map(({ word }) => ({ terms: listQueryTerms(word) }))
  if (prefix !== undefined) places.at(-1)!.prefix = prefix
  const joined = [...findCompoundWords(tokens)].filter(({ length }) => length === tokens.length)
  const joinedTerms = joined.map(({ word }) => listQueryTerms(word))
  const [first, second] = tokens
  if (tokens.length === 2 && isNumber(first!.word) && NUMBER_ENDINGS.test(second!.word))
    joinedTerms.push(listQueryTerms(first!.word))
  return joinNodes('or', [
    { op: 'phrase', places },
    ...joinedTerms.map((terms): Phrase => ({ op: 'phrase', places: [{ terms }] })),
  ])
}

/** Nodes from `from` to before `to`, including nodes with alternatives; the longest ones first. */
function combineAlternatives(nodes: QueryNode[], from: number, to: number, alternatives: Alternative[]): QueryNode[] {
  const combined: QueryNode[] = []
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

const negateNode = (node: QueryNode): QueryNode => ({ op: 'not', nodes: [node] })

/** Joins nodes without duplicates. */
function joinNodes(op: 'and' | 'or', nodes: QueryNode[]): QueryNode {
  const unique = [...new Map(nodes.map((node) => [formatTsquery(node), node])).values()]
  return unique.length === 1 ? unique[0]! : { op, nodes: unique }
}

/** Each node is formatted once: it is compared with its neighbours before it is sent. */
const formattedNodes = new WeakMap<QueryNode, string>()

/** The text form of a tsquery. */
export function formatTsquery(node: QueryNode): string {
  const text = formattedNodes.get(node) ?? formatNode(node)
  formattedNodes.set(node, text)
  return text
}

function formatNode(node: QueryNode): string {
  if (node.op === 'phrase') return node.places.map(formatPosition).join(' <-> ')
  if (node.op === 'not') return `!( ${formatTsquery(node.nodes[0])} )`
  return `( ${node.nodes.map(formatTsquery).join(node.op === 'and' ? ' & ' : ' | ')} )`
}

function formatPosition({ terms, prefix }: PhrasePosition): string {
  if (prefix === undefined) return formatAnyOf(terms.map(quoteTerm))
  // Terms with the prefix are left out: Postgres would count their texts twice, and choose a slower plan.
  const others = terms.filter((term) => !term.startsWith(prefix))
  return formatAnyOf([...others.map(quoteTerm), `${quoteTerm(prefix)}:*`])
}

const formatAnyOf = (words: string[]): string => (words.length === 1 ? words[0]! : `( ${words.join(' | ')} )`)

/** Whether an index can find the texts of a query: not if it only excludes. */
export function isIndexableQuery(node: QueryNode): boolean {
  if (node.op === 'phrase') return true
  if (node.op === 'not') return false
  return node.op === 'and' ? node.nodes.some(isIndexableQuery) : node.nodes.every(isIndexableQuery)
}

/** The phrases that a query searches for, without excluded ones. */
export function collectPhrases(node: QueryNode): Phrase[] {
  if (node.op === 'phrase') return [node]
  return node.op === 'not' ? [] : node.nodes.flatMap(collectPhrases)
}
