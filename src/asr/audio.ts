import type { Readable } from 'node:stream'
import { RecognitionError } from './contract.ts'
import { ending, killOnAbort, spawnMedia, type Ending } from './media.ts'
import { readWavHeader } from './wav.ts'

/** The longest recording (specification: 3 hours). */
export const LONGEST_SECONDS = 3 * 60 * 60
/** Codecs add a fraction of a second in front or behind; that makes no call of three hours too long. */
const TOLERANCE_SECONDS = 1
/** A decoder that gives nothing for so long is stuck: reading a local file is no reason to wait. */
const STALL_MS = 60_000
const PROBE_MS = 30_000
/** ffprobe's answer for one file has a few kilobytes. */
const PROBE_BYTES = 1024 * 1024
/** From slow voice codecs to studio sound. Outside of it a header lies, and resampling would fill the memory. */
const RATES = { min: 4000, max: 192_000 }
const MOST_CHANNELS = 8
/** Containers whose length is a guess from the bit rate of their first frames, often a bad one … */
const GUESSED_LENGTH = ['aac', 'amr', 'gsm']
/** … or a fair one, but not good enough to refuse a file. */
const ESTIMATED_LENGTH = [...GUESSED_LENGTH, 'mp3']
/** A format recognised by less than this (of 100) is a chance hit inside some other kind of file. */
const LEAST_CERTAINTY = 25
/**
 * Two channels are one sound when less than this part of the energy of one cannot be explained by the other at any
 * loudness: -35 dB, which is above what 8-bit telephone codecs and joint-stereo coding leave, and far below speech.
 */
const SAME_SOUND = 10 ** -3.5

/** What a file's header says about its first audio stream. */
export interface Probe {
  channels: number
  /** Undefined where the container does not say, or says what cannot be relied on. */
  durationSeconds: number | undefined
  /** Silence is left out of the file (AMR sends none) and has to be put back, so that times stay true. */
  leavesOutSilence: boolean
}

const unsupported = (message: string) => new RecognitionError('UNSUPPORTED_AUDIO', message)
const noAudio = () =>
  unsupported('The file holds no audio that can be decoded. Send the call as wav, mp3, ogg, flac, m4a, amr or webm.')

export function tooLong(): RecognitionError {
  return new RecognitionError('AUDIO_TOO_LONG', 'The recording is longer than 3 hours. Split it and send the parts.')
}

/** Is a length over the limit? */
export function isTooLong(seconds: number): boolean {
  return seconds > LONGEST_SECONDS + TOLERANCE_SECONDS
}

/**
 * Reads the header of a file and checks it.
 * @throws RecognitionError UNSUPPORTED_AUDIO, or AUDIO_TOO_LONG where the header can be trusted about that
 */
export async function probe(file: string, signal: AbortSignal): Promise<Probe> {
  const plain = await probePlainWav(file)
  if (plain) return plain
  const { format, streams } = JSON.parse(await runProbe(file, signal)) as ProbeAnswer
  const stream = streams?.find(({ codec_type }) => codec_type === 'audio')
  if (!format || !stream || format.probe_score < LEAST_CERTAINTY) throw noAudio()
  const rate = Number(stream.sample_rate)
  const channels = stream.channels ?? 0
  if (!(rate >= RATES.min && rate <= RATES.max)) {
    throw unsupported(
      `The sample rate must be from ${RATES.min} to ${RATES.max} Hz; the file says ${rate || 'nothing'}.`,
    )
  }
  if (!(channels >= 1 && channels <= MOST_CHANNELS)) {
    throw unsupported(`The file must have 1 to ${MOST_CHANNELS} channels; it says ${channels}.`)
  }
  const name = format.format_name.split(',')[0]!
  const seconds = Number(stream.duration ?? format.duration)
  const told = seconds > 0 && !GUESSED_LENGTH.includes(name)
  if (told && isTooLong(seconds) && !ESTIMATED_LENGTH.includes(name)) throw tooLong()
  return {
    channels,
    durationSeconds: told && !isTooLong(seconds) ? seconds : undefined,
    leavesOutSilence: name === 'amr',
  }
}

/** Of a plain WAV file within all limits its own header tells enough. */
async function probePlainWav(file: string): Promise<Probe | undefined> {
  const header = await readWavHeader(file)
  if (!header) return undefined
  const { channels, sampleRate, durationSeconds } = header
  const fits = channels <= MOST_CHANNELS && sampleRate >= RATES.min && sampleRate <= RATES.max
  if (!fits || isTooLong(durationSeconds)) return undefined
  return { channels, durationSeconds, leavesOutSilence: false }
}

interface ProbeAnswer {
  format?: { format_name: string; probe_score: number; duration?: string }
  streams?: { codec_type: string; sample_rate?: string; channels?: number; duration?: string }[]
}

const PROBE_ENTRIES = 'format=format_name,probe_score,duration:stream=codec_type,sample_rate,channels,duration'

async function runProbe(file: string, signal: AbortSignal): Promise<string> {
  const child = spawnMedia('ffprobe', file, ['-of', 'json', '-show_entries', PROBE_ENTRIES])
  const release = killOnAbort(child, signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), PROBE_MS)
  const end = ending(child)
  let answer = ''
  try {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      answer += text
      if (answer.length > PROBE_BYTES) child.kill('SIGKILL')
    })
    const { code } = await end
    signal.throwIfAborted()
    if (code !== 0) throw noAudio()
    return answer
  } finally {
    clearTimeout(timer)
    release()
  }
}

/**
 * Decodes a file to interleaved 16-bit samples, chunk by chunk, no faster than they are taken. One channel is asked
 * of a file with one, two of a file with two; more than two are mixed into one. What a damaged file gives before its
 * damage is given; nothing at all is an error.
 * @throws RecognitionError UNSUPPORTED_AUDIO when nothing can be decoded, AUDIO_TOO_LONG past the limit
 */
export async function* decode(
  file: string,
  { channels, leavesOutSilence }: Probe,
  sampleRate: number,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  const width = widthOf(channels)
  const mix = channels > 2 ? [`pan=mono|c0=${mean(channels)}`] : []
  const fill = leavesOutSilence ? ['aresample=async=1'] : []
  const filters = ['-af', ['anull', ...mix, ...fill].join(), '-ac', String(width)]
  const limit = String(LONGEST_SECONDS + 2 * TOLERANCE_SECONDS)
  const output = ['-ar', String(sampleRate), '-t', limit, '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1']
  const child = spawnMedia('ffmpeg', file, ['-map', '0:a:0', '-vn', '-sn', '-dn', ...filters, ...output])
  const release = killOnAbort(child, signal)
  const end = ending(child)
  end.catch(() => undefined) // Told below; until then the loop may be busy.
  let frames = 0
  try {
    for await (const chunk of wholeFrames(readWithoutStall(child.stdout!), width)) {
      signal.throwIfAborted()
      frames += chunk.length / width
      if (isTooLong(frames / sampleRate)) throw tooLong()
      yield chunk
    }
    const ended = await end
    signal.throwIfAborted()
    checkEnding(ended, frames)
  } finally {
    child.kill('SIGKILL')
    release()
  }
}

/** Channels of the decoded sound. */
export const widthOf = (channels: number) => (channels === 2 ? 2 : 1)

const mean = (channels: number) => Array.from({ length: channels }, (_, c) => `${1 / channels}*c${c}`).join('+')

/** A stream's chunks; a wait for the next one that takes too long is an error. Time spent elsewhere does not count. */
async function* readWithoutStall(stream: Readable): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  try {
    while (true) {
      let timer: NodeJS.Timeout | undefined
      const stall = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(unsupported('The file could not be decoded in a sensible time.')), STALL_MS)
      })
      const { value, done } = await Promise.race([chunks.next(), stall]).finally(() => clearTimeout(timer))
      if (done) return
      yield value
    }
  } finally {
    stream.destroy()
  }
}

/** The same bytes as 16-bit samples, cut at frames (one sample a channel). */
async function* wholeFrames(chunks: AsyncIterable<Buffer>, width: number): AsyncGenerator<Int16Array> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const length = bytes.length - (bytes.length % (2 * width))
    rest = bytes.subarray(length)
    // A copy: samples must lie at even addresses, a pipe's chunks may not.
    const samples = new Int16Array(length / 2)
    bytes.copy(new Uint8Array(samples.buffer), 0, 0, length)
    if (samples.length > 0) yield samples
  }
}

/** Tells a damaged file from a decoder that was stopped by the machine. */
function checkEnding({ signal }: Ending, frames: number): void {
  if (signal === 'SIGXCPU') throw unsupported('The file takes too long to decode.')
  if (signal) throw new RecognitionError('INTERNAL', 'The decoder was stopped by the system. Try again.')
  if (frames === 0) throw noAudio()
}

/** What a file really holds. */
export interface Measure {
  durationSeconds: number
  /** The channels to recognise: both where they hold different sound, else the louder one. */
  channels: number[]
}

/** Decodes the whole file once, to know its length and whether its channels differ. */
export async function measure(file: string, probe: Probe, signal: AbortSignal): Promise<Measure> {
  const sampleRate = 8000
  const width = widthOf(probe.channels)
  let frames = 0
  const sums = { l: 0, r: 0, ll: 0, rr: 0, lr: 0 }
  for await (const samples of decode(file, probe, sampleRate, signal)) {
    frames += samples.length / width
    if (width === 2) addUp(sums, samples)
  }
  const durationSeconds = frames / sampleRate
  if (width === 1) return { durationSeconds, channels: [0] }
  const left = sums.ll - sums.l ** 2 / frames
  const right = sums.rr - sums.r ** 2 / frames
  const both = sums.lr - (sums.l * sums.r) / frames
  // One minus the squared correlation: the part of either channel that the other does not explain, whatever the
  // gain or polarity between them. A silent channel explains nothing.
  const unexplained = left * right === 0 ? Math.sign(left + right) : 1 - both ** 2 / (left * right)
  return { durationSeconds, channels: unexplained > SAME_SOUND ? [0, 1] : [left >= right ? 0 : 1] }
}

function addUp(sums: { l: number; r: number; ll: number; rr: number; lr: number }, samples: Int16Array): void {
  let [l, r, ll, rr, lr] = [0, 0, 0, 0, 0]
  for (let i = 0; i < samples.length; i += 2) {
    const left = samples[i]!
    const right = samples[i + 1]!
    l += left
    r += right
    ll += left * left
    rr += right * right
    lr += left * right
  }
  sums.l += l
  sums.r += r
  sums.ll += ll
  sums.rr += rr
  sums.lr += lr
}
