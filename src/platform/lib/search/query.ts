import { loadLemmas } from '../morphology.ts'
import { findAllNumbers } from './numbers.ts'
import { findSynonyms, type Synonyms } from './synonyms.ts'
import { joinedWords, numberTerms, queryTerms, quoteTerm } from './terms.ts'
import { isNumber, tokenize, type Token } from './tokens.ts'

/** One position of a phrase: a text must have one of the terms there, or a word with the prefix. */
export interface Place {
  terms: string[]
  prefix?: string
}

/** Places that follow each other. `synonymOf` has the words of the query that the phrase is a synonym of. */
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
/** More numbers and synonyms of a query are left out: a tsquery holds 1 MB. */
const MAX_ALTERNATIVES = 300
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
  const prefix = findPrefix(chunks)
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

/** Replaces typographic quotation marks, one for one. */
export const straightenQuotes = (text: string): string => text.replace(/[«»„“”‟]/g, '"')

/** Splits a query at its spaces, quotation marks and signs that form no compound; equal places hold equal characters. */
export function splitQuery(text: string): Chunk[] {
  return Array.from(straightenQuotes(text.toWellFormed()).matchAll(CHUNK)).flatMap(
    ({ 1: minus, 2: quoted, 3: plain, index }): Chunk[] => {
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
function findPrefix(chunks: readonly Chunk[]): string | undefined {
  const chunk = chunks.at(-1)
  if (!chunk || chunk.isQuoted || chunk.isExcluded || chunk.isOr) return undefined
  const { word } = chunk.tokens.at(-1)!
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
    if (first === undefined || last === undefined || alternatives.length >= MAX_ALTERNATIVES) return
    alternatives.push({ from: first, to: last, phrase })
  }
  for (const number of findAllNumbers(tokens)) {
    if (number.kind === 'written') continue
    add(number.from, number.to, { op: 'phrase', places: [{ terms: numberTerms(number) }] })
  }
  for (const { from, to, others } of findSynonyms(tokens, synonyms)) {
    const words = tokens.slice(from, to).map(({ word }) => word)
    for (const places of others)
      add(from, to, { op: 'phrase', places: places.map((terms) => ({ terms })), synonymOf: words.join(' ') })
  }
  const nodes = chunks.map((chunk, index) => chunkNode(chunk, index === chunks.length - 1 ? prefix : undefined))
  return combine(nodes, 0, nodes.length, alternatives)
}

/** Endings behind the digits of an ordinal or of a number in another case: 5-й, 12-го, 5-ти, 25th. */
const NUMBER_ENDINGS = /^(?:[йяемх]|го|му|ми|ти|ый|ий|ая|ое|ые|ого|ому|ой|st|nd|rd|th)$/

/** A word, or a compound: its parts as a phrase, or as one word or number. */
function chunkNode({ tokens }: Chunk, prefix: string | undefined): QueryNode {
  const places: Place[] = tokens.map(({ word }) => ({ terms: queryTerms(word) }))
  if (prefix !== undefined) places.at(-1)!.prefix = prefix
  const joined = [...joinedWords(tokens)].filter(({ length }) => length === tokens.length)
  const whole = joined.map(({ word }) => queryTerms(word))
  const [first, second] = tokens
  if (tokens.length === 2 && isNumber(first!.word) && NUMBER_ENDINGS.test(second!.word))
    whole.push(queryTerms(first!.word))
  return join('or', [
    { op: 'phrase', places },
    ...whole.map((terms): Phrase => ({ op: 'phrase', places: [{ terms }] })),
  ])
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

/** Each node is formatted once: it is compared with its neighbours before it is sent. */
const formatted = new WeakMap<QueryNode, string>()

/** The text form of a tsquery. */
export function formatTsquery(node: QueryNode): string {
  const text = formatted.get(node) ?? formatNode(node)
  formatted.set(node, text)
  return text
}

function formatNode(node: QueryNode): string {
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
