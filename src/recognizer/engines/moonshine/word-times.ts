import llamaTokenizer from 'llama-tokenizer-js'
import type { RecognizedWord } from '../../contract.ts'
import type { DecoderHypothesis } from '../../decoders/search.ts'
import { isSpokenToken } from './token-variants.ts'

/** Duration of an encoder frame. The encoder has three convolutions with strides 64, 3 and 2 at 16 kHz. */
const FRAME_SECONDS = (64 * 3 * 2) / 16_000

/**
 * Builds words from a hypothesis, with times in seconds from the start of the model's input. The confidence is the mean certainty
 * of the tokens with letters or digits.
 */
export function buildWordsFromAttention({
  tokens,
  logProbabilities,
  certainties,
  attention,
}: DecoderHypothesis): RecognizedWord[] {
  const first = alignTokensToFrames(attention)
  const text = llamaTokenizer.decode(tokens, false, false).trim()
  const words = text === '' ? [] : text.split(/\s+/)
  const wordTokens = words.map((): number[] => [])
  tokens.forEach((_, index) => wordTokens[findWordIndex(tokens, index)]?.push(index))
  return words.map((word, index) => {
    const own = wordTokens[index]!
    const next = (own.at(-1) ?? 0) + 1
    const heard = own.filter((token) => isSpokenToken(tokens[token]!))
    return {
      text: word,
      start: (first[own[0] ?? 0] ?? 0) * FRAME_SECONDS,
      end: (first[next] ?? attention.at(-1)?.length ?? 0) * FRAME_SECONDS,
      confidence: computeMean((heard.length > 0 ? heard : own).map((token) => certainties[token]!)),
      tokens: own.map((token) => Math.exp(logProbabilities[token]!)),
    }
  })
}

const computeMean = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length)

function findWordIndex(tokens: number[], index: number): number {
  const text = llamaTokenizer.decode(tokens.slice(0, index + 1), false, false)
  return Math.max(0, text.trim().split(/\s+/).length - 1)
}

/** Returns the first frame of each token. Uses dynamic time warping of tokens to frames by their attention, like Whisper. */
export function alignTokensToFrames(attention: Float32Array[]): number[] {
  const frames = attention[0]?.length ?? 0
  const begins = new Uint8Array(attention.length * frames)
  // `before[frame]` is the best score of the previous tokens over the frames before `frame`.
  let before = new Float64Array(frames + 1)
  attention.forEach((heard, token) => {
    const row = new Float64Array(frames + 1).fill(-Infinity)
    let sum = -Infinity
    for (let frame = 0; frame < frames; frame++) {
      if (before[frame]! >= sum) {
        begins[token * frames + frame] = 1
        sum = before[frame]!
      }
      sum += heard[frame]!
      row[frame + 1] = sum
    }
    before = row
  })
  const first: number[] = []
  let frame = frames - 1
  for (let token = attention.length - 1; token >= 0; token--) {
    while (frame > 0 && !begins[token * frames + frame]) frame--
    first[token] = Math.max(0, frame--)
  }
  return first
}
