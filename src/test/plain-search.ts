import type { LanguageModel } from '../recognizer/kenlm/model.ts'
import { BLANK, COLUMNS, LETTERS, SPACE } from '../recognizer/decoders/ctc/alphabet.ts'
import type { SearchResult } from '../recognizer/decoders/ctc/beam-search.ts'
import { logAdd } from '../recognizer/decoders/ctc/candidates.ts'
import { normalise } from '../recognizer/decoders/ctc/normalise.ts'
import { T_ONE_SETTINGS, type SearchSettings } from '../recognizer/decoders/ctc/settings.ts'

interface Beam {
  text: string[]
  next: string
  part: string
  last: number
  acoustic: number
  total: number
}

/**
 * The beam search written after its rules, with strings and sorting: slow, and easy to verify. Tests compare the fast one with
 * it.
 */
export function searchPlainly(
  model: LanguageModel | undefined,
  matrix: Float32Array,
  changes: Partial<SearchSettings>,
): SearchResult[] {
  const settings = { ...T_ONE_SETTINGS, ...changes }
  const values = new Float32Array(matrix.length)
  normalise(matrix, values)
  let beams: Beam[] = [{ text: [], next: '', part: '', last: BLANK, acoustic: 0, total: 0 }]
  for (let row = 0; row < matrix.length; row += COLUMNS) {
    const arrivals: Beam[] = []
    const best = values.subarray(row, row + COLUMNS).indexOf(Math.max(...values.subarray(row, row + COLUMNS)))
    for (let token = 0; token < COLUMNS; token++) {
      const value = values[row + token]!
      if (value < settings.tokenMinLogp && token !== best) continue
      for (const beam of beams) arrivals.push(step(beam, token, value))
    }
    const merged = merge(arrivals, ({ text, next, part, last }) => [...withWord(text, next), '', part, last].join(' '))
    for (const beam of merged) {
      beam.text = withWord(beam.text, beam.next)
      beam.next = ''
      beam.total = beam.acoustic + languageScore(model, settings, beam.text) + partScore(model, settings, beam.part)
    }
    beams = withoutTwins(prune(merged, settings), Math.max(1, (model?.order ?? 1) - 1))
  }
  const ended = beams.map((beam) => ({ ...beam, next: beam.part, part: '' }))
  const merged = merge(ended, ({ text, next }) => withWord(text, next).join(' '))
  for (const beam of merged) beam.total = beam.acoustic + languageScore(model, settings, beam.text, beam.next)
  return prune(merged, settings).map(({ text, next, acoustic, total }) => {
    return { text: withWord(text, next).join(' '), acoustic, total }
  })
}

function step(beam: Beam, token: number, value: number): Beam {
  const after = { ...beam, last: token, acoustic: beam.acoustic + value }
  if (token === BLANK || token === beam.last) return after
  if (token === SPACE) return { ...after, next: beam.part, part: '' }
  return { ...after, part: beam.part + LETTERS[token] }
}

function withWord(text: string[], word: string): string[] {
  return word === '' ? text : [...text, word]
}

/** Beams of equal key become one: in the place of the first, with the contents of the last. */
function merge(beams: Beam[], keyOf: (beam: Beam) => string): Beam[] {
  const merged = new Map<string, Beam>()
  for (const beam of beams) {
    const earlier = merged.get(keyOf(beam))
    const acoustic = earlier ? logAdd(earlier.acoustic, beam.acoustic) : beam.acoustic
    merged.set(keyOf(beam), { ...beam, acoustic })
  }
  return [...merged.values()]
}

function prune(beams: Beam[], settings: SearchSettings): Beam[] {
  const limit = Math.max(...beams.map(({ total }) => total)) + settings.beamPruneLogp
  return beams
    .filter(({ total }) => total >= limit)
    .sort((a, b) => b.total - a.total)
    .slice(0, settings.beamWidth)
}

function withoutTwins(beams: Beam[], history: number): Beam[] {
  const seen = new Set<string>()
  return beams.filter(({ text, part, last }) => {
    const key = [...text.slice(-history), '', part, last].join(' ')
    return !seen.has(key) && seen.add(key)
  })
}

function partScore(model: LanguageModel | undefined, { unknownOffset }: SearchSettings, part: string): number {
  if (!model || part === '') return 0
  const known = model.words && [...model.words].some((word) => word.startsWith(part))
  if (known) return 0
  return part.length > 6 ? (unknownOffset * part.length) / 6 : unknownOffset
}

/** Score of a text from its beginning; with a last word, even an empty one, that of the whole utterance. */
function languageScore(
  model: LanguageModel | undefined,
  settings: SearchSettings,
  text: string[],
  last?: string,
): number {
  if (!model) return 0
  const contexts = model.contexts(text.length + 3)
  if (settings.scoreBoundary) model.beginSentence(contexts, 0)
  else model.beginAnywhere(contexts, 0)
  let sum = 0
  const words = last === undefined ? text : [...text, last]
  words.forEach((word, i) => {
    const id = model.wordId(word)
    let log10 = model.score(contexts, i, id, i + 1) + (id === 0 ? settings.unknownOffset : 0)
    if (i === text.length && settings.scoreBoundary) log10 += model.score(contexts, i + 1, model.sentenceEnd, i + 2)
    sum += settings.alpha * log10 * Math.LN10 + settings.beta
  })
  return sum
}
