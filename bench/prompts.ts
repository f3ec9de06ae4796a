/** Recorded speech with its text: Asterisk's telephone prompts; and how heard words are compared with spoken ones. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Decoder } from '../src/recognizer/contract.ts'
import type { EngineConfig } from '../src/recognizer/engines/engine.ts'
import { loadMoonshineEngine } from '../src/recognizer/engines/moonshine/moonshine.ts'

/** Debian's packages of the English prompts and of music on hold (CC BY-SA 3.0). */
const PROMPT_PACKAGES = ['asterisk-core-sounds-en-wav', 'asterisk-core-sounds-en']
const PROMPT_FOLDER = 'usr/share/asterisk/sounds/en_US_f_Allison'
const PROMPT_TEXT_FILE = 'usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz'
const MUSIC_FOLDER = 'usr/share/asterisk/moh'
const BENCH_FOLDER = join('.svc', 'bench')
/** Samples a second of the prompts. */
export const PROMPT_RATE = 8000
/** Samples a second of the recognizer. */
const MODEL_RATE = 16_000
const HEADER_BYTES = 44

/** A prompt: a wav file of 8 kHz, 16 bit, mono. */
export interface Prompt {
  name: string
  file: string
  words: string[]
}

/** Loads a JSON file of bench/data. */
export function loadData(file: string): unknown {
  return JSON.parse(readFileSync(`bench/data/${file}`, 'utf8'))
}

/** Fetches the prompts that have a text, once; nothing is installed. */
export function loadPrompts(): Prompt[] {
  const folder = unpackPackages(PROMPT_PACKAGES, 'prompts')
  const texts = gunzipSync(readFileSync(join(folder, PROMPT_TEXT_FILE))).toString('utf8')
  return Array.from(texts.matchAll(/^([^;:\n]+): *(.+)$/gm), ([, name, text]) => ({
    name: name!,
    file: join(folder, PROMPT_FOLDER, `${name}.wav`),
    words: normalizeWords(text!),
  })).filter(({ file }) => existsSync(file))
}

/** All prompts, those without a text too, as raw samples. */
export function readPromptSamples(): Buffer[] {
  const folder = join(unpackPackages(PROMPT_PACKAGES, 'prompts'), PROMPT_FOLDER)
  const names = readdirSync(folder).filter((name) => name.endsWith('.wav')).toSorted((a, b) => a.localeCompare(b)) // prettier-ignore
  return names.map((name) => readSamples(join(folder, name)))
}

/** Fetches recordings of music on hold, once. */
export function loadMusicFiles(): string[] {
  const folder = join(unpackPackages(['asterisk-moh-opsound-wav'], 'music'), MUSIC_FOLDER)
  return readdirSync(folder).filter((name) => name.endsWith('.wav')).map((name) => join(folder, name)) // prettier-ignore
}

/** Unpacks packages into a folder of .svc/bench unless it exists; an interrupted attempt leaves none. */
export function unpackPackages(packages: string[], name: string): string {
  const folder = join(BENCH_FOLDER, name)
  if (existsSync(folder)) return folder
  mkdirSync(BENCH_FOLDER, { recursive: true })
  const temporaryFolder = mkdtempSync(`${folder}-`)
  try {
    execFileSync('apt-get', ['-q', 'download', ...packages], {
      cwd: temporaryFolder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    for (const file of readdirSync(temporaryFolder))
      execFileSync('dpkg-deb', ['-x', join(temporaryFolder, file), temporaryFolder])
    renameSync(temporaryFolder, folder)
  } catch (error) {
    rmSync(temporaryFolder, { recursive: true })
    throw new Error(`apt-get download ${packages.join(' ')} must work here`, { cause: error })
  }
  return folder
}

/** Reads the raw samples of a WAV file. */
export const readSamples = (file: string): Buffer => readFileSync(file).subarray(HEADER_BYTES)

/** Silence as raw samples. */
export const makeSilence = (seconds: number): Buffer => Buffer.alloc(2 * Math.round(seconds * PROMPT_RATE))

/** Writes `seconds` of raw samples, repeated as often as needed, to a file of the format that its name ends with. */
export function writeRepeatedWav(raw: string, seconds: number, file: string): string {
  const input = ['-stream_loop', '-1', '-f', 's16le', '-ar', String(PROMPT_RATE), '-ac', '1', '-i', raw]
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...input, '-t', String(seconds), file])
  if (status !== 0) throw new Error(stderr.toString())
  return file
}

/** Decodes an input of ffmpeg to the recognizer's samples. */
export function decodeAudio(...input: string[]): Int16Array {
  const args = ['-v', 'error', ...input, '-ac', '1', '-ar', String(MODEL_RATE), '-f', 's16le', '-']
  return new Int16Array(new Uint8Array(execFileSync('ffmpeg', args, { maxBuffer: 2 ** 30 })).buffer)
}

/** Loads a model into this process, without the service around it; returns how it recognises samples. */
export async function loadRecognizer(model: string, decoder: Decoder) {
  process.env.ORT_DISABLE_TELEMETRY = '1'
  const engine = await loadMoonshineEngine({ ASR_MODEL: model, DECODER: decoder } as EngineConfig)
  const { signal } = new AbortController()
  return (samples: Int16Array) => engine.transcribe([[samples]], decoder, () => {}, signal)
}

const DIGIT_WORDS = 'zero one two three four five six seven eight nine'.split(' ')
/** Corrected misspellings of the texts, and spellings that sound the same. */
const SPELLINGS = (loadData('spellings.json') as [string, string][]).map(
  ([pattern, replacement]) => [new RegExp(pattern, 'g'), replacement] as const,
)

/** The words of a text as they sound: lower case, digits spoken, without punctuation and remarks in brackets. */
export function normalizeWords(text: string): string[] {
  let plain = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\([^)]*\)|\[[^\]]*\]|<[^>]*>/g, ' ')
  for (const [from, to] of SPELLINGS) plain = plain.replace(from, to)
  return plain
    .replace(/\d/g, (digit) => ` ${DIGIT_WORDS[Number(digit)]} `)
    .replace(/[^a-z' ]/g, ' ')
    .split(' ')
    .filter(Boolean)
}

/** A step of an alignment: how many words it takes of each text, and where they begin. */
export interface AlignmentStep {
  spokenCount: number
  recognizedCount: number
  spokenAt: number
  recognizedAt: number
  isSame: boolean
}

/** The shortest alignment (Levenshtein). @param maxJoined so many words may be written as one ("under score") */
export function alignWords(spoken: string[], recognized: string[], maxJoined = 1): AlignmentStep[] {
  const costs: Uint32Array[] = []
  const bestStep = (i: number, j: number): AlignmentStep & { cost: number } => {
    let best = { cost: Infinity, spokenCount: 0, recognizedCount: 0, spokenAt: i, recognizedAt: j, isSame: false }
    const considerStep = (s: number, h: number, isSame: boolean) => {
      if (s > i || h > j) return
      const cost = costs[i - s]![j - h]! + (isSame ? 0 : 1)
      if (cost < best.cost)
        best = { cost, spokenCount: s, recognizedCount: h, spokenAt: i - s, recognizedAt: j - h, isSame }
    }
    considerStep(1, 1, i > 0 && j > 0 && spoken[i - 1] === recognized[j - 1])
    considerStep(1, 0, false)
    considerStep(0, 1, false)
    for (let n = 2; n <= maxJoined; n++) {
      if (i > 0 && j >= n && recognized.slice(j - n, j).join('') === spoken[i - 1]) considerStep(1, n, true)
      if (j > 0 && i >= n && spoken.slice(i - n, i).join('') === recognized[j - 1]) considerStep(n, 1, true)
    }
    return best
  }
  for (let i = 0; i <= spoken.length; i++) {
    costs.push(new Uint32Array(recognized.length + 1))
    for (let j = 0; j <= recognized.length; j++) costs[i]![j] = i + j === 0 ? 0 : bestStep(i, j).cost
  }
  const steps: AlignmentStep[] = []
  for (let [i, j] = [spoken.length, recognized.length]; i + j > 0;) {
    const step = bestStep(i, j)
    steps.push(step)
    ;[i, j] = [step.spokenAt, step.recognizedAt]
  }
  return steps.toReversed()
}

/** The word errors of a text: substitutions, deletions and insertions. */
export const countErrors = (spoken: string[], recognized: string[]): number =>
  alignWords(spoken, recognized).filter(({ isSame }) => !isSame).length
