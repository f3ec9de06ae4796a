/** Makes calls of several voices on one channel, of Asterisk's prompts and of espeak-ng's speech. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TimeSpan } from '../src/recognizer/speakers/time-span.ts'
import { SeededRandom } from '../src/test/seeded-random.ts'
import { readWavSamples, unpackPackages } from './prompts.ts'

/** The sample rate of all calls in Hz, as on a telephone line. */
export const CALL_RATE = 8000
const SOUNDS_FOLDER = 'usr/share/asterisk/sounds'
/** A prompt of at most this length is part of a turn. */
const MAX_PROMPT_SECONDS = 9
const LETTERS_PER_SECOND = 14

/** A voice. `speak` returns samples from -1 to 1 that last about as long as the text takes. */
export interface Voice {
  name: string
  sex: 'f' | 'm'
  speak: (text: string, random: SeededRandom) => Float32Array
}

/** A call: the track of each speaker, and their mix as the line transmits it. */
export interface TrackedCall {
  name: string
  tracks: Float32Array[]
  mix: Float32Array
}

const DEBIAN_VOICES = [
  ['en', 'en_US_f_Allison', 'f'],
  ['es', 'es_MX_f_Allison', 'f'],
  ['fr', 'fr_CA_f_June', 'f'],
  ['it', 'it_IT_m_Carlo', 'm'],
  ['ru', 'ru_RU_f_IvrvoiceRU', 'f'],
] as const

/** Loads five recorded voices. The first call downloads their packages. */
export function loadPromptVoices(): Voice[] {
  return DEBIAN_VOICES.map(([language, name, sex]) => {
    const folder = unpackPackages([`asterisk-core-sounds-${language}-wav`], `voice-${language}`)
    return makePromptVoice(name, sex, join(folder, SOUNDS_FOLDER, name))
  })
}

/** Creates a voice that says random prompts of a folder instead of the text. */
export function makePromptVoice(name: string, sex: 'f' | 'm', folder: string): Voice {
  const files = readdirSync(folder).filter((file) => file.endsWith('.wav')).toSorted() // prettier-ignore
  const prompts = files
    .map((file) => trimSilence(toFloat(readWavSamples(join(folder, file)))))
    .filter(({ length }) => length > CALL_RATE / 3 && length < MAX_PROMPT_SECONDS * CALL_RATE)
  return {
    name,
    sex,
    speak(text, random) {
      const parts: Float32Array[] = []
      let missing = (text.length / LETTERS_PER_SECOND) * CALL_RATE
      do {
        const candidates = Array.from({ length: 4 }, () => random.pick(prompts))
        const prompt = candidates.find(({ length }) => length < 1.5 * missing) ?? candidates[0]!
        if (parts.length > 0) parts.push(new Float32Array(CALL_RATE * random.pick([0.1, 0.2, 0.35, 0.6])))
        parts.push(prompt)
        missing -= prompt.length
      } while (missing > 0)
      return concat(parts)
    },
  }
}

/** Ten synthetic voices: name, sex, espeak-ng's voice, its words a minute. */
export const ESPEAK_VOICES = [
  ['espeak-us', 'm', 'en-us', 165],
  ['espeak-us-f2', 'f', 'en-us+f2', 160],
  ['espeak-us-m3', 'm', 'en-us+m3', 175],
  ['espeak-gb-f4', 'f', 'en-gb+f4', 170],
  ['espeak-gb-m7', 'm', 'en-gb+m7', 160],
  ['espeak-rp-f3', 'f', 'en-gb-x-rp+f3', 165],
  ['espeak-scot-m5', 'm', 'en-gb-scotland+m5', 170],
  ['espeak-us-f5', 'f', 'en-us+f5', 155],
  ['espeak-029-m1', 'm', 'en-029+m1', 165],
  ['espeak-gb-f1', 'f', 'en-gb+f1', 175],
] as const

/** Loads the synthetic voices. @param language the voice of espeak-ng that replaces their accents */
export function loadEspeakVoices(language?: string): Voice[] {
  return ESPEAK_VOICES.map(([name, sex, accent, speed]) => {
    const voice = language ? accent.replace(/^[^+]+/, language) : accent
    return {
      name,
      sex,
      speak: (text) => trimSilence(resampleSpeech(['-v', voice, '-s', String(speed), text])),
    }
  })
}

function resampleSpeech(args: string[]): Float32Array {
  const wav = execFileSync('espeak-ng', ['--stdout', ...args], { maxBuffer: 2 ** 28 })
  return runFfmpeg(['-f', 'wav', '-i', 'pipe:0'], [], wav)
}

/** Converts `data` with ffmpeg to samples of one channel. @param rate of the result in Hz */
export function runFfmpeg(input: string[], options: string[], data: Uint8Array, rate = CALL_RATE): Float32Array {
  const output = ['-ac', '1', '-ar', String(rate), '-f', 's16le', 'pipe:1']
  const args = ['-v', 'error', '-bitexact', ...input, ...options, ...output]
  return toFloat(execFileSync('ffmpeg', args, { input: data, maxBuffer: 2 ** 30 }))
}

export function toFloat(bytes: Buffer): Float32Array {
  const samples = new Float32Array(bytes.length >> 1)
  for (let n = 0; n < samples.length; n++) samples[n] = bytes.readInt16LE(2 * n) / 32_768
  return samples
}

export function toInt16(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(2 * samples.length)
  samples.forEach((sample, n) => bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), 2 * n)) // prettier-ignore
  return bytes
}

function concat(parts: Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function trimSilence(samples: Float32Array): Float32Array {
  const isLoud = (sample: number) => Math.abs(sample) > 0.01
  const first = samples.findIndex(isLoud)
  return first < 0 ? samples : samples.slice(first, samples.findLastIndex(isLoud) + 1)
}

/** The codec, the noise and the overlap of a made call. */
export interface TelephoneLine {
  name: string
  /** The encoder and the format of ffmpeg. */
  codec?: [encoder: string, format: string]
  noiseDb?: number
  /** The share of turns that begin before the previous one ends. */
  overlap?: number
  /** Whether each side has a frequency response of its own. */
  sides?: boolean
}

export const TELEPHONE_LINES: TelephoneLine[] = [
  { name: 'clean' },
  { name: 'mulaw', codec: ['pcm_mulaw', 'wav'], sides: true },
  { name: 'gsm', codec: ['libgsm', 'gsm'] },
  { name: 'noise', noiseDb: 15 },
  { name: 'overlap', overlap: 0.4, sides: true },
  { name: 'gsm-noise-overlap', codec: ['libgsm', 'gsm'], noiseDb: 20, overlap: 0.2 },
]

/** Makes a call in which the voices speak the turns. @returns also the times of the turns */
export function makeCall(
  name: string,
  voices: Voice[],
  turns: (readonly [speaker: number, text: string])[],
  line: TelephoneLine,
  seed: number,
): TrackedCall & { turns: TimeSpan[] } {
  const random = new SeededRandom(seed)
  const gains = voices.map(() => 0.08 * random.pick([0.7, 1, 1.4]))
  const tilts = voices.map(() => (line.sides ? random.pick([-0.4, -0.2, 0.2, 0.4]) : 0))
  const pieces: { speaker: number; at: number; samples: Float32Array }[] = []
  let at = CALL_RATE / 2
  for (const [speaker, text] of turns) {
    const samples = setLevel(tilt(voices[speaker]!.speak(text, random), tilts[speaker]!), gains[speaker]!)
    if (line.overlap && random.chance(line.overlap)) at = Math.max(0, at - CALL_RATE * random.pick([1, 1.4, 1.8]))
    pieces.push({ speaker, at, samples })
    at += samples.length + CALL_RATE * random.pick([0.1, 0.2, 0.3, 0.5, 0.8, 1.2])
  }
  const length = Math.max(...pieces.map((piece) => piece.at + piece.samples.length)) + CALL_RATE / 2
  const tracks = voices.map(() => new Float32Array(Math.ceil(length)))
  for (const piece of pieces) addAt(tracks[piece.speaker]!, piece.samples, Math.round(piece.at))
  const times = pieces.map((piece) => ({
    start: piece.at / CALL_RATE,
    end: (piece.at + piece.samples.length) / CALL_RATE,
  }))
  return { name, tracks, mix: sendOver(line, mixTracks(tracks), random), turns: times }
}

export function mixTracks(tracks: Float32Array[]): Float32Array {
  const mix = new Float32Array(Math.max(...tracks.map(({ length }) => length)))
  for (const track of tracks) addAt(mix, track, 0)
  return mix
}

function addAt(to: Float32Array, samples: Float32Array, at: number): void {
  for (let n = 0; n < samples.length; n++) to[at + n]! += samples[n]!
}

function tilt(samples: Float32Array, amount: number): Float32Array {
  return samples.map((sample, n) => sample + amount * (samples[n - 1] ?? 0))
}

function setLevel(samples: Float32Array, level: number): Float32Array {
  const rms = measureRms(samples)
  return samples.map((sample) => Math.max(-0.95, Math.min(0.95, (sample * level) / rms)))
}

export function measureRms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 1e-9) / samples.length)
}

function sendOver({ codec, noiseDb }: TelephoneLine, mix: Float32Array, random: SeededRandom): Float32Array {
  const noisy = noiseDb === undefined ? mix : addNoise(mix, noiseDb, random)
  if (!codec) return noisy
  const [encoder, format] = codec
  const raw = ['-f', 's16le', '-ar', String(CALL_RATE), '-ac', '1', '-i', 'pipe:0']
  const encoded = execFileSync('ffmpeg', ['-v', 'error', ...raw, '-c:a', encoder, '-f', format, 'pipe:1'], { input: toInt16(noisy), maxBuffer: 2 ** 30 }) // prettier-ignore
  return runFfmpeg(['-f', format, '-i', 'pipe:0'], [], encoded)
}

/** Adds the noise of a room (brown and white), this many decibels below the speech. */
function addNoise(mix: Float32Array, decibels: number, random: SeededRandom): Float32Array {
  const noise = new Float32Array(mix.length)
  let brown = 0
  for (let n = 0; n < noise.length; n++) {
    const white = random.number() * 2 - 1
    brown = 0.95 * brown + 0.3 * white
    noise[n] = brown + 0.3 * white
  }
  const speech = mix.filter((sample) => Math.abs(sample) > 0.005)
  const gain = (measureRms(speech) * 10 ** (-decibels / 20)) / measureRms(noise)
  return mix.map((sample, n) => sample + gain * noise[n]!)
}

/** Adds the tone of a key every nine seconds, as in a menu. */
export function addDialTones(call: TrackedCall): TrackedCall {
  const mix = call.mix.slice()
  for (let at = 2 * CALL_RATE; at + CALL_RATE < mix.length; at += 9 * CALL_RATE)
    for (let n = 0; n < 0.15 * CALL_RATE; n++) {
      const seconds = n / CALL_RATE
      mix[at + n]! += 0.1 * (Math.sin(2 * Math.PI * 770 * seconds) + Math.sin(2 * Math.PI * 1336 * seconds))
    }
  return { ...call, name: `${call.name}, tones`, mix }
}

/** Decodes an input of ffmpeg to samples at CALL_RATE. */
export function readFloatSamples(...input: string[]): Float32Array {
  return runFfmpeg(input, [], new Uint8Array())
}

/** Loads the turns of the English dialogues that have at least `least` turns. */
export function loadEnglishDialogueTurns(least: number): (readonly [number, string])[][] {
  const folder = 'bench/check-dialogues'
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => {
      const { language, turns } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { language: string; turns: [string, string][] } // prettier-ignore
      if (language !== 'en' || turns.length < least) return []
      return [turns.map(([who, text]) => [who === 'agent' ? 0 : 1, text] as const)]
    })
}
