// Creates audio for the tiny model of the fixtures. Its loudness encodes a letter in each frame of 30 ms; silence is no letter.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUSSIAN_ALPHABET } from '../recognizer/decoders/ctc/alphabet.ts'
import { RECOGNIZER_FIXTURES_FOLDER } from './asr-fixtures.ts'

export const TINY_MODEL_PATH = `${RECOGNIZER_FIXTURES_FOLDER}/t-one/model.onnx`
export const TINY_LANGUAGE_MODEL_PATH = `${RECOGNIZER_FIXTURES_FOLDER}/lm/ru5.trie-a22-q8b8.bin`

/** A frame of 30 ms has this many samples at 8 kHz. */
export const LETTER_FRAME_SAMPLES = 240
const FRAMES_PER_LETTER = 3

/** Creates frames of silence. */
export function makeSilentSamples(frames: number): Int16Array {
  return new Int16Array(frames * LETTER_FRAME_SAMPLES)
}

/**
 * Creates a letter as a square wave. Its loudness is between the levels of two letters: `share` 0 gives the first, 1 the second.
 */
export function makeMixedLetterSamples(letter: string, other: string, share: number): Int16Array {
  const level = letterLevelOf(letter) + (letterLevelOf(other) - letterLevelOf(letter)) * share
  const loudness = Math.round(level * 32_767)
  return Int16Array.from({ length: FRAMES_PER_LETTER * LETTER_FRAME_SAMPLES }, (_, i) =>
    i % 8 < 4 ? loudness : -loudness,
  )
}

/** Encodes a text as samples with 90 ms per letter, and a frame of silence between equal letters. */
export function synthesizeLetterSamples(text: string): Int16Array {
  const letters = text.split('')
  const parts = letters.flatMap((letter, i) => [
    ...(letter === letters[i - 1] ? [makeSilentSamples(1)] : []),
    makeMixedLetterSamples(letter, letter, 0),
  ])
  return concatSamples(...parts)
}

/** Joins samples in their order. */
export function concatSamples(...parts: Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Encodes one or two channels as a WAV file at 8 kHz. The shorter channel is padded with silence. */
export function encodeWav(...channels: Int16Array[]): Buffer {
  const length = Math.max(...channels.map((channel) => channel.length))
  const data = Int16Array.from({ length: length * channels.length }, (_, i) => {
    const channel = channels[i % channels.length]!
    return channel[Math.floor(i / channels.length)] ?? 0
  })
  const width = 2 * channels.length
  const header = Buffer.alloc(44)
  header.write('RIFF')
  header.writeUInt32LE(36 + data.byteLength, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels.length, 22)
  header.writeUInt32LE(8000, 24)
  header.writeUInt32LE(8000 * width, 28)
  header.writeUInt16LE(width, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(data.byteLength, 40)
  return Buffer.concat([header, Buffer.from(data.buffer)])
}

/**
 * A temporary models folder with the tiny acoustic model.
 * @param language true to add the tiny language model
 */
export class TestModelsFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'models-'))

  constructor(language: boolean) {
    copyFileSync(TINY_MODEL_PATH, join(this.path, 'model.onnx'))
    if (language) copyFileSync(TINY_LANGUAGE_MODEL_PATH, join(this.path, 'kenlm.bin'))
  }

  remove(): void {
    rmSync(this.path, { recursive: true })
  }
}

const letterLevelOf = (letter: string) =>
  ((letter === ' ' ? RUSSIAN_ALPHABET.length : RUSSIAN_ALPHABET.indexOf(letter)) + 1) / 36
