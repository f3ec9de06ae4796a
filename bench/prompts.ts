/** Loads recorded speech with its text, the telephone prompts of Asterisk, and compares recognized words with spoken words. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { DecoderName } from '../src/recognizer/contract.ts'
import type { EngineConfig } from '../src/recognizer/engines/engine.ts'
import { loadMoonshineEngine } from '../src/recognizer/engines/moonshine/moonshine.ts'

/** Debian packages with the English prompts and their texts (CC BY-SA 3.0). */
const PROMPT_PACKAGES = ['asterisk-core-sounds-en-wav', 'asterisk-core-sounds-en']
const PROMPT_FOLDER = 'usr/share/asterisk/sounds/en_US_f_Allison'
const PROMPT_TEXT_FILE = 'usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz'
const MUSIC_FOLDER = 'usr/share/asterisk/moh'
const BENCH_FOLDER = join('.svc', 'bench')
/** The sample rate of the prompts. */
export const PROMPT_SAMPLE_RATE_HZ = 8000
/** The sample rate of the recognizer. */
const MODEL_RATE = 16_000
const HEADER_BYTES = 44

/** A recorded sentence in a WAV file (8 kHz, 16 bit, mono), with its spoken words. */
export interface SpeechPrompt {
  name: string
  file: string
  words: string[]
}

/** Loads a JSON file of the folder bench/data. */
export function loadBenchData(file: string): unknown {
  return JSON.parse(readFileSync(`bench/data/${file}`, 'utf8'))
}

/** Loads the prompts that have a text. The first call downloads their packages without installing them. */
export function loadSpeechPrompts(): SpeechPrompt[] {
  const folder = unpackPackages(PROMPT_PACKAGES, 'prompts')
  const texts = gunzipSync(readFileSync(join(folder, PROMPT_TEXT_FILE))).toString('utf8')
  return Array.from(texts.matchAll(/^([^;:\n]+): *(.+)$/gm), ([, name, text]) => ({
    name: name!,
    file: join(folder, PROMPT_FOLDER, `${name}.wav`),
    words: normalizeSpokenWords(text!),
  })).filter(({ file }) => existsSync(file))
}

/** Reads the raw samples of all prompts, including prompts without a text. */
export function readPromptSamples(): Buffer[] {
  const folder = join(unpackPackages(PROMPT_PACKAGES, 'prompts'), PROMPT_FOLDER)
  const names = readdirSync(folder).filter((name) => name.endsWith('.wav')).toSorted((a, b) => a.localeCompare(b)) // prettier-ignore
  return names.map((name) => readWavSamples(join(folder, name)))
}

/**
 * Lists recordings of music on hold. The first call downloads their package.
 * @returns paths of WAV files
 */
export function listMusicFiles(): string[] {
  const folder = join(unpackPackages(['asterisk-moh-opsound-wav'], 'music'), MUSIC_FOLDER)
  return readdirSync(folder).filter((name) => name.endsWith('.wav')).map((name) => join(folder, name)) // prettier-ignore
}

/** Unpacks packages into a folder of .svc/bench unless the folder exists. A failed attempt leaves no folder. */
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

/** Reads the raw 16-bit samples of a WAV file, without its header. */
export const readWavSamples = (file: string): Buffer => readFileSync(file).subarray(HEADER_BYTES)

/** Creates silence as raw 16-bit samples at PROMPT_SAMPLE_RATE_HZ. */
export const makeSilentPcm = (seconds: number): Buffer => Buffer.alloc(2 * Math.round(seconds * PROMPT_SAMPLE_RATE_HZ))

/**
 * Repeats raw samples up to a length in seconds and encodes them. The extension of `file` selects the format.
 * @returns `file`
 */
export function writeRepeatedAudio(raw: string, seconds: number, file: string): string {
  const input = ['-stream_loop', '-1', '-f', 's16le', '-ar', String(PROMPT_SAMPLE_RATE_HZ), '-ac', '1', '-i', raw]
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...input, '-t', String(seconds), file])
  if (status !== 0) throw new Error(stderr.toString())
  return file
}

/**
 * Decodes audio to one channel at the sample rate of the recognizer.
 * @param input input arguments of ffmpeg
 */
export function decodeAudioWithFfmpeg(...input: string[]): Int16Array {
  const args = ['-v', 'error', ...input, '-ac', '1', '-ar', String(MODEL_RATE), '-f', 's16le', '-']
  return new Int16Array(new Uint8Array(execFileSync('ffmpeg', args, { maxBuffer: 2 ** 30 })).buffer)
}

/**
 * Loads a Moonshine model into this process, without the recognizer's server.
 * @returns a function that transcribes samples
 */
export async function loadInProcessRecognizer(model: string, decoder: DecoderName) {
  process.env.ORT_DISABLE_TELEMETRY = '1'
  const engine = await loadMoonshineEngine({ ASR_MODEL: model, DECODER: decoder } as EngineConfig)
  const { signal } = new AbortController()
  return (samples: Int16Array) => engine.transcribe([[samples]], decoder, () => {}, signal)
}

const DIGIT_WORDS = 'zero one two three four five six seven eight nine'.split(' ')
/** Pairs of patterns and replacements, for misspellings in the texts and for spellings that sound the same. */
const SPELLINGS = (loadBenchData('spellings.json') as [string, string][]).map(
  ([pattern, replacement]) => [new RegExp(pattern, 'g'), replacement] as const,
)

/** Splits a text into words as they sound: in lower case, with digits as words, without punctuation and text in brackets. */
export function normalizeSpokenWords(text: string): string[] {
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

/** A step of an alignment: the numbers of words that it covers in both texts, and the indexes at which they begin. */
export interface WordAlignmentStep {
  spokenCount: number
  recognizedCount: number
  spokenAt: number
  recognizedAt: number
  isSame: boolean
}

/**
 * Aligns recognized with spoken words by the fewest errors (Levenshtein).
 * @param maxJoined number of words that can be written as one, such as "under score"
 */
export function alignWords(spoken: string[], recognized: string[], maxJoined = 1): WordAlignmentStep[] {
  const costs: Uint32Array[] = []
  const bestStep = (i: number, j: number): WordAlignmentStep & { cost: number } => {
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
  const steps: WordAlignmentStep[] = []
  for (let [i, j] = [spoken.length, recognized.length]; i + j > 0;) {
    const step = bestStep(i, j)
    steps.push(step)
    ;[i, j] = [step.spokenAt, step.recognizedAt]
  }
  return steps.toReversed()
}

/** Counts substituted, deleted and inserted words. */
export const countWordErrors = (spoken: string[], recognized: string[]): number =>
  alignWords(spoken, recognized).filter(({ isSame }) => !isSame).length
