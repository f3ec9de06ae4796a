/** Audio that the tiny model of the fixtures understands: the loudness of 30 ms is a letter, silence is none. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALPHABET } from '../recognizer/decoders/ctc/alphabet.ts'
import { FIXTURES_FOLDER } from './asr-fixtures.ts'

export const TINY_MODEL = `${FIXTURES_FOLDER}/t-one/model.onnx`
export const LANGUAGE_MODEL = `${FIXTURES_FOLDER}/lm/ru5.trie-a22-q8b8.bin`

/** Samples of 30 ms. */
export const FRAME_SAMPLES = 240
const FRAMES_PER_LETTER = 3

/** Silence as samples. */
export function makeSilence(frames: number): Int16Array {
  return new Int16Array(frames * FRAME_SAMPLES)
}

/** A square wave with a loudness between two letters: `share` of the way from one to the other. */
export function makeMixedLetter(letter: string, other: string, share: number): Int16Array {
  const level = letterLevelOf(letter) + (letterLevelOf(other) - letterLevelOf(letter)) * share
  const loudness = Math.round(level * 32_767)
  return Int16Array.from({ length: FRAMES_PER_LETTER * FRAME_SAMPLES }, (_, i) => (i % 8 < 4 ? loudness : -loudness))
}

/** A text as audio: 90 ms per letter, with a frame of silence between two equal ones. */
export function synthesizeText(text: string): Int16Array {
  const letters = text.split('')
  const parts = letters.flatMap((letter, i) => [
    ...(letter === letters[i - 1] ? [makeSilence(1)] : []),
    makeMixedLetter(letter, letter, 0),
  ])
  return concatSamples(...parts)
}

/** Samples one after another. */
export function concatSamples(...parts: Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** A WAV file of one or two channels at 8 kHz; the shorter one is padded with silence. */
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

/** A folder with the tiny model of the tests. */
export class ModelsFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'models-'))

  constructor(language: boolean) {
    copyFileSync(TINY_MODEL, join(this.path, 'model.onnx'))
    if (language) copyFileSync(LANGUAGE_MODEL, join(this.path, 'kenlm.bin'))
  }

  remove(): void {
    rmSync(this.path, { recursive: true })
  }
}

const letterLevelOf = (letter: string) => ((letter === ' ' ? ALPHABET.length : ALPHABET.indexOf(letter)) + 1) / 36
