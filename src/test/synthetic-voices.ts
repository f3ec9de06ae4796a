// Synthesizes calls. Each vowel is a series of pulses, filtered by three resonances (Klatt 1980).
import type { SpeakerPhrase, TimeSpan } from '../recognizer/speakers/separate.ts'
import { SeededRandom } from './seeded-random.ts'

export const VOICE_RATE = 8000
/** Resonances of vowels in Hz. */
const VOWELS = [
  [730, 1090, 2440],
  [530, 1840, 2480],
  [390, 1990, 2550],
  [570, 840, 2410],
  [440, 1020, 2240],
  [300, 870, 2240],
] as const
const BANDWIDTHS = [70, 100, 140]
const SYLLABLE_SAMPLES = 0.17 * VOICE_RATE
const WORD_SYLLABLES = [1, 2, 2, 3]
const WORDS_OF_TURN = [2, 3, 5, 8, 12]
const PAUSES = [0.3, 0.4, 0.6, 0.9]
const NOISE = 0.002

/** A voice: its pitch in Hz, and the factor of its resonances to those of VOWELS. */
interface SyntheticVoice {
  pitch: number
  size: number
}

/** A call as samples at VOICE_RATE, with its correct times and speakers. */
export interface SyntheticCall {
  samples: Float32Array
  /** Sections with speech. */
  speech: TimeSpan[]
  words: TimeSpan[]
  /** The index of the voice of each word. */
  speakers: number[]
}

/** Creates a call in which the voices alternate. The same seed gives the same call. */
export function makeSyntheticCall(voices: SyntheticVoice[], turns: number, seed: number): SyntheticCall {
  const random = new SeededRandom(seed)
  const parts: Float32Array[] = []
  const call: SyntheticCall = { samples: new Float32Array(), speech: [], words: [], speakers: [] }
  let length = 0
  const add = (samples: Float32Array): TimeSpan => {
    parts.push(samples)
    length += samples.length
    return { start: (length - samples.length) / VOICE_RATE, end: length / VOICE_RATE }
  }
  for (let turn = 0; turn < turns; turn++) {
    const speaker = turn % voices.length
    const { end: start } = add(new Float32Array(random.pick(PAUSES) * VOICE_RATE))
    for (let count = random.pick(WORDS_OF_TURN); count > 0; count--) {
      call.words.push(add(synthesizeWord(voices[speaker]!, random)))
      call.speakers.push(speaker)
    }
    call.speech.push({ start, end: length / VOICE_RATE })
  }
  call.samples = Float32Array.from(parts.flatMap((part) => Array.from(part, (sample) => sample + NOISE * (random.number() - 0.5)))) // prettier-ignore
  return call
}

function synthesizeWord(voice: SyntheticVoice, random: SeededRandom): Float32Array {
  const syllables = random.pick(WORD_SYLLABLES)
  const word = new Float32Array(syllables * SYLLABLE_SAMPLES)
  for (let n = 0; n < syllables; n++) word.set(synthesizeVowel(voice, random), n * SYLLABLE_SAMPLES)
  return word
}

function synthesizeVowel({ pitch, size }: SyntheticVoice, random: SeededRandom): Float32Array {
  const period = VOICE_RATE / (pitch * (0.85 + 0.3 * random.number()))
  let samples: Float32Array = new Float32Array(SYLLABLE_SAMPLES)
  for (let at = 0; at < samples.length; at += period) samples[Math.floor(at)] = 1
  for (const [n, frequency] of random.pick(VOWELS).entries())
    samples = resonate(samples, frequency * size * (0.95 + 0.1 * random.number()), BANDWIDTHS[n]!)
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  return samples.map((sample, n) => ((0.3 * sample) / peak) * Math.sin((Math.PI * (n + 1)) / (samples.length + 1)))
}

function resonate(input: Float32Array, frequency: number, bandwidth: number): Float32Array {
  const radius = Math.exp((-Math.PI * bandwidth) / VOICE_RATE)
  const feedback = 2 * radius * Math.cos((2 * Math.PI * frequency) / VOICE_RATE)
  const output = new Float32Array(input.length)
  for (let n = 0; n < input.length; n++)
    output[n] = input[n]! + feedback * (output[n - 1] ?? 0) - radius ** 2 * (output[n - 2] ?? 0)
  return output
}

/** Returns the share of words with the wrong speaker, from 0 to 0.5, because the numbering of two speakers is arbitrary. */
export function computeWrongWordShare({ words, speakers }: SyntheticCall, phrases: SpeakerPhrase[]): number {
  const found = words.map(({ start, end }) => phrases.find((one) => one.start <= start && one.end >= end)?.speaker)
  const wrong = found.filter((speaker, n) => speaker !== speakers[n]).length / words.length
  return Math.min(wrong, 1 - wrong)
}
