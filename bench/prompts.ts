/** Recorded speech with its text: Asterisk's telephone prompts; and how heard words are compared with spoken ones. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Decoder } from '../src/recognizer/contract.ts'
import type { EngineConfig } from '../src/recognizer/engines/engine.ts'
import { load } from '../src/recognizer/engines/moonshine/moonshine.ts'

/** Debian's packages of the English prompts and of music on hold (CC BY-SA 3.0). */
const PROMPT_PACKAGES = ['asterisk-core-sounds-en-wav', 'asterisk-core-sounds-en']
const PROMPT_FILES = 'usr/share/asterisk/sounds/en_US_f_Allison'
const PROMPT_TEXTS = 'usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz'
const MUSIC_FILES = 'usr/share/asterisk/moh'
const FOLDER = join('.svc', 'bench')
/** Samples a second of the prompts. */
export const PROMPT_RATE = 8000
/** Samples a second of the recognizer. */
const RATE = 16_000
const HEADER_BYTES = 44

/** A prompt: a wav file of 8 kHz, 16 bit, mono. */
export interface Prompt {
  name: string
  file: string
  said: string[]
}

export function readData(file: string): unknown {
  return JSON.parse(readFileSync(`bench/data/${file}`, 'utf8'))
}

/** Fetches the prompts that have a text, once; nothing is installed. */
export function fetchPrompts(): Prompt[] {
  const folder = unpack(PROMPT_PACKAGES, 'prompts')
  const texts = gunzipSync(readFileSync(join(folder, PROMPT_TEXTS))).toString('utf8')
  return Array.from(texts.matchAll(/^([^;:\n]+): *(.+)$/gm), ([, name, text]) => ({
    name: name!,
    file: join(folder, PROMPT_FILES, `${name}.wav`),
    said: toWords(text!),
  })).filter(({ file }) => existsSync(file))
}

/** All prompts, those without a text too, as raw samples. */
export function readPromptSamples(): Buffer[] {
  const folder = join(unpack(PROMPT_PACKAGES, 'prompts'), PROMPT_FILES)
  const names = readdirSync(folder).filter((name) => name.endsWith('.wav')).toSorted((a, b) => a.localeCompare(b)) // prettier-ignore
  return names.map((name) => readSamples(join(folder, name)))
}

export function fetchMusic(): string[] {
  const folder = join(unpack(['asterisk-moh-opsound-wav'], 'music'), MUSIC_FILES)
  return readdirSync(folder).filter((name) => name.endsWith('.wav')).map((name) => join(folder, name)) // prettier-ignore
}

/** Unpacks packages into a folder of .svc/bench unless it exists; an interrupted attempt leaves none. */
function unpack(packages: string[], name: string): string {
  const folder = join(FOLDER, name)
  if (existsSync(folder)) return folder
  mkdirSync(FOLDER, { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    execFileSync('apt-get', ['-q', 'download', ...packages], { cwd: unfinished, stdio: ['ignore', 'ignore', 'pipe'] })
    for (const file of readdirSync(unfinished)) execFileSync('dpkg-deb', ['-x', join(unfinished, file), unfinished])
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    throw new Error(`apt-get download ${packages.join(' ')} must work here`, { cause: error })
  }
  return folder
}

export const readSamples = (file: string): Buffer => readFileSync(file).subarray(HEADER_BYTES)

export const silence = (seconds: number): Buffer => Buffer.alloc(2 * Math.round(seconds * PROMPT_RATE))

/** Writes `seconds` of raw samples, repeated as often as needed, to a file of the format that its name ends with. */
export function writeRepeated(raw: string, seconds: number, file: string): string {
  const input = ['-stream_loop', '-1', '-f', 's16le', '-ar', String(PROMPT_RATE), '-ac', '1', '-i', raw]
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...input, '-t', String(seconds), file])
  if (status !== 0) throw new Error(stderr.toString())
  return file
}

/** Decodes an input of ffmpeg to the recognizer's samples. */
export function decode(...input: string[]): Int16Array {
  const args = ['-v', 'error', ...input, '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-']
  return new Int16Array(new Uint8Array(execFileSync('ffmpeg', args, { maxBuffer: 2 ** 30 })).buffer)
}

/** Loads a model into this process, without the service around it; returns how it recognises samples. */
export async function loadModel(model: string, decoder: Decoder) {
  process.env.ORT_DISABLE_TELEMETRY = '1'
  const engine = await load({ ASR_MODEL: model, DECODER: decoder } as EngineConfig)
  const { signal } = new AbortController()
  return (samples: Int16Array) => engine.transcribe([[samples]], decoder, () => {}, signal)
}

const DIGITS = 'zero one two three four five six seven eight nine'.split(' ')
/** Corrected misspellings of the texts, and spellings that sound the same. */
const SPELLINGS = (readData('spellings.json') as [string, string][]).map(
  ([pattern, replacement]) => [new RegExp(pattern, 'g'), replacement] as const,
)

/** The words of a text as they sound: lower case, digits spoken, without punctuation and remarks in brackets. */
export function toWords(text: string): string[] {
  let plain = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\([^)]*\)|\[[^\]]*\]|<[^>]*>/g, ' ')
  for (const [from, to] of SPELLINGS) plain = plain.replace(from, to)
  return plain
    .replace(/\d/g, (digit) => ` ${DIGITS[Number(digit)]} `)
    .replace(/[^a-z' ]/g, ' ')
    .split(' ')
    .filter(Boolean)
}

/** A step of an alignment: how many words it takes of each text, and where they begin. */
export interface Step {
  said: number
  heard: number
  saidAt: number
  heardAt: number
  isSame: boolean
}

/** The shortest alignment (Levenshtein). @param mostJoined so many words may be written as one ("under score") */
export function align(said: string[], heard: string[], mostJoined = 1): Step[] {
  const costs: Uint32Array[] = []
  const bestStep = (i: number, j: number): Step & { cost: number } => {
    let best = { cost: Infinity, said: 0, heard: 0, saidAt: i, heardAt: j, isSame: false }
    const consider = (s: number, h: number, isSame: boolean) => {
      if (s > i || h > j) return
      const cost = costs[i - s]![j - h]! + (isSame ? 0 : 1)
      if (cost < best.cost) best = { cost, said: s, heard: h, saidAt: i - s, heardAt: j - h, isSame }
    }
    consider(1, 1, i > 0 && j > 0 && said[i - 1] === heard[j - 1])
    consider(1, 0, false)
    consider(0, 1, false)
    for (let n = 2; n <= mostJoined; n++) {
      if (i > 0 && j >= n && heard.slice(j - n, j).join('') === said[i - 1]) consider(1, n, true)
      if (j > 0 && i >= n && said.slice(i - n, i).join('') === heard[j - 1]) consider(n, 1, true)
    }
    return best
  }
  for (let i = 0; i <= said.length; i++) {
    costs.push(new Uint32Array(heard.length + 1))
    for (let j = 0; j <= heard.length; j++) costs[i]![j] = i + j === 0 ? 0 : bestStep(i, j).cost
  }
  const steps: Step[] = []
  for (let [i, j] = [said.length, heard.length]; i + j > 0;) {
    const step = bestStep(i, j)
    steps.push(step)
    ;[i, j] = [step.saidAt, step.heardAt]
  }
  return steps.toReversed()
}

export const countErrors = (said: string[], heard: string[]): number =>
  align(said, heard).filter(({ isSame }) => !isSame).length
