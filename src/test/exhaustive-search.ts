import type { NgramLanguageModel } from '../recognizer/kenlm/model.ts'
import {
  CTC_BLANK_TOKEN,
  CTC_TOKEN_COUNT,
  RUSSIAN_ALPHABET,
  CTC_SPACE_TOKEN,
} from '../recognizer/decoders/ctc/alphabet.ts'
import type { ScoredDecodedText } from '../recognizer/decoders/ctc/beam-search.ts'
import { addLogProbabilities } from '../recognizer/decoders/ctc/candidates.ts'
import { normaliseLogProbabilities } from '../recognizer/decoders/ctc/normalise.ts'
import { T_ONE_BEAM_SEARCH_SETTINGS, type BeamSearchSettings } from '../recognizer/decoders/ctc/settings.ts'

interface Beam {
  text: string[]
  next: string
  part: string
  last: number
  acoustic: number
  total: number
}

/** Runs the beam search with plain strings and full sorting. It is slow but easy to verify, so tests compare CtcBeamSearch with it. */
export function runReferenceBeamSearch(
  model: NgramLanguageModel | undefined,
  matrix: Float32Array,
  changes: Partial<BeamSearchSettings>,
): ScoredDecodedText[] {
  const settings = { ...T_ONE_BEAM_SEARCH_SETTINGS, ...changes }
  const values = new Float32Array(matrix.length)
  normaliseLogProbabilities(matrix, values)
  let beams: Beam[] = [{ text: [], next: '', part: '', last: CTC_BLANK_TOKEN, acoustic: 0, total: 0 }]
  for (let row = 0; row < matrix.length; row += CTC_TOKEN_COUNT) {
    const extendedBeams: Beam[] = []
    const best = values
      .subarray(row, row + CTC_TOKEN_COUNT)
      .indexOf(Math.max(...values.subarray(row, row + CTC_TOKEN_COUNT)))
    for (let token = 0; token < CTC_TOKEN_COUNT; token++) {
      const value = values[row + token]!
      if (value < settings.tokenMinLogp && token !== best) continue
      for (const beam of beams) extendedBeams.push(extendBeam(beam, token, value))
    }
    const merged = mergeBeams(extendedBeams, ({ text, next, part, last }) =>
      [...appendWord(text, next), '', part, last].join(' '),
    )
    for (const beam of merged) {
      beam.text = appendWord(beam.text, beam.next)
      beam.next = ''
      beam.total = beam.acoustic + scoreText(model, settings, beam.text) + scorePartialWord(model, settings, beam.part)
    }
    beams = removeDuplicates(pruneBeams(merged, settings), Math.max(1, (model?.order ?? 1) - 1))
  }
  const ended = beams.map((beam) => ({ ...beam, next: beam.part, part: '' }))
  const merged = mergeBeams(ended, ({ text, next }) => appendWord(text, next).join(' '))
  for (const beam of merged) beam.total = beam.acoustic + scoreText(model, settings, beam.text, beam.next)
  return pruneBeams(merged, settings).map(({ text, next, acoustic, total }) => {
    return { text: appendWord(text, next).join(' '), acoustic, total }
  })
}

function extendBeam(beam: Beam, token: number, value: number): Beam {
  const after = { ...beam, last: token, acoustic: beam.acoustic + value }
  if (token === CTC_BLANK_TOKEN || token === beam.last) return after
  if (token === CTC_SPACE_TOKEN) return { ...after, next: beam.part, part: '' }
  return { ...after, part: beam.part + RUSSIAN_ALPHABET[token] }
}

function appendWord(text: string[], word: string): string[] {
  return word === '' ? text : [...text, word]
}

/** Merges beams with the same key. The merged beam has the position of the first and the content of the last. */
function mergeBeams(beams: Beam[], keyOf: (beam: Beam) => string): Beam[] {
  const merged = new Map<string, Beam>()
  for (const beam of beams) {
    const earlier = merged.get(keyOf(beam))
    const acoustic = earlier ? addLogProbabilities(earlier.acoustic, beam.acoustic) : beam.acoustic
    merged.set(keyOf(beam), { ...beam, acoustic })
  }
  return [...merged.values()]
}

function pruneBeams(beams: Beam[], settings: BeamSearchSettings): Beam[] {
  const limit = Math.max(...beams.map(({ total }) => total)) + settings.beamPruneLogp
  return beams
    .filter(({ total }) => total >= limit)
    .sort((a, b) => b.total - a.total)
    .slice(0, settings.beamWidth)
}

function removeDuplicates(beams: Beam[], history: number): Beam[] {
  const seen = new Set<string>()
  return beams.filter(({ text, part, last }) => {
    const key = [...text.slice(-history), '', part, last].join(' ')
    return !seen.has(key) && seen.add(key)
  })
}

function scorePartialWord(
  model: NgramLanguageModel | undefined,
  { unknownOffset }: BeamSearchSettings,
  part: string,
): number {
  if (!model || part === '') return 0
  const known = model.words && [...model.words].some((word) => word.startsWith(part))
  if (known) return 0
  return part.length > 6 ? (unknownOffset * part.length) / 6 : unknownOffset
}

/** Scores a text from its beginning. With `last`, even an empty one, it scores the whole utterance. */
function scoreText(
  model: NgramLanguageModel | undefined,
  settings: BeamSearchSettings,
  text: string[],
  last?: string,
): number {
  if (!model) return 0
  const contexts = model.createContexts(text.length + 3)
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
