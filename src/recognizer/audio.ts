import type { Readable } from 'node:stream'
import { RecognitionError } from './contract.ts'
import { waitForExit, killOnAbort, spawnMediaProgram, type ProcessExit } from './media.ts'
import { ChannelMixer } from './channel-mixer.ts'
import { parsePcmBlocks } from './pcm-blocks.ts'
import { noAudioError, unsupportedAudioError, type ProbeResult } from './probe.ts'
import { alignToTimestamps, generateSilence } from './timeline.ts'
import type { WavPart } from './wav.ts'

export const MAX_AUDIO_SECONDS = 3 * 60 * 60
/** Codecs that work in frames can add this to a call's length. */
const CODEC_PADDING_SECONDS = 0.5
/** A decoder without output for this time is stuck. */
const STALL_TIMEOUT_MS = 60_000
/** Identical channels explain all but this part of each other's energy (-35 dB, above the noise of codecs). */
const MAX_UNEXPLAINED_ENERGY = 10 ** -3.5

function tooLongError(): RecognitionError {
  return new RecognitionError('AUDIO_TOO_LONG', 'The recording is longer than 3 hours. Split it and send the parts.')
}

/** Whether a decoded length, in hundredths of a second, is over the limit. */
export function isAudioTooLong(seconds: number, { lossless }: Pick<ProbeResult, 'lossless'>): boolean {
  return Math.round(seconds * 100) / 100 > MAX_AUDIO_SECONDS + (lossless ? 0 : CODEC_PADDING_SECONDS)
}

/**
 * Decodes a file to interleaved 16-bit samples, at their time in the file. More than two channels are mixed into one. A
 * damaged file returns its audio before the damage.
 * @throws RecognitionError UNSUPPORTED_AUDIO if nothing can be decoded, AUDIO_TOO_LONG past the limit
 */
export async function* decodeAudio(
  file: string,
  probe: ProbeResult,
  sampleRate: number,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  const width = outputChannelCount(probe.channels)
  const parts = probe.parts.length > 0 ? probe.parts : [{ ...probe, options: [] }]
  let frames = 0
  for (const part of parts) {
    for await (const samples of decodePart(file, probe, part, sampleRate, signal)) {
      signal.throwIfAborted()
      frames += samples.length / width
      if (isAudioTooLong(frames / sampleRate, probe)) throw tooLongError()
      if (samples.length > 0) yield samples
    }
  }
}

async function* decodePart(
  file: string,
  probe: ProbeResult,
  { channels, options: input }: WavPart,
  sampleRate: number,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  const width = outputChannelCount(probe.channels)
  const mixer = channels > 2 && width === 1 ? new ChannelMixer(channels) : undefined
  const options = buildDecoderOptions(probe, mixer ? channels : width, sampleRate)
  const child = spawnMediaProgram('ffmpeg', file, options, { input, two: probe.leavesOutSilence })
  const release = killOnAbort(child, signal)
  const end = waitForExit(child)
  end.catch(() => undefined) // awaited below
  const packets = probe.leavesOutSilence ? parseLastPacketEnd(child.stdio[3] as Readable) : undefined
  packets?.catch(() => undefined) // fails with the program
  let frames = 0
  try {
    const blocks = parsePcmBlocks(readWithStallTimeout(child.stdout!))
    for await (const decoded of alignToTimestamps(blocks, mixer ? channels : width, sampleRate, probe.isTimed)) {
      const samples = mixer ? mixer.mix(decoded) : decoded
      frames += samples.length / width
      yield samples
    }
    const exit = await end
    signal.throwIfAborted()
    checkExit(exit, frames)
    const silence = Math.round(((await packets) ?? 0) * sampleRate) - frames
    yield* generateSilence(silence, width)
  } finally {
    child.kill('SIGKILL')
    release()
  }
}

function buildDecoderOptions({ track, leavesOutSilence }: ProbeResult, channels: number, sampleRate: number): string[] {
  const map = [...(track === undefined ? [] : ['-map', track]), '-vn', '-sn', '-dn']
  // -ac would mix unexpected layouts wrongly.
  const identityMapping = Array.from({ length: channels }, (_, c) => `c${c}=c${c}`).join('|')
  const width = channels > 2 ? ['-af', `pan=${channels}c|${identityMapping}`] : ['-ac', String(channels)]
  // ffmpeg closes gaps of ten seconds in some containers unless it gets a larger limit.
  const times = ['-dts_delta_threshold', '1000000']
  const pcm = [...width, '-ar', String(sampleRate), '-c:a', 'pcm_s16le']
  const packets = leavesOutSilence ? [...map, '-c:a', 'copy', '-f', 'framecrc', 'pipe:3'] : []
  return [...times, ...map, ...pcm, '-f', 'matroska', 'pipe:1', ...packets]
}

/** Two channels stay two; any other number is mixed to one. */
export const outputChannelCount = (channels: number) => (channels === 2 ? 2 : 1)

/** One channel of interleaved samples of two. */
export function extractChannel(samples: Int16Array, channel: number): Int16Array {
  const one = new Int16Array(samples.length / 2)
  for (let i = 0; i < one.length; i++) one[i] = samples[2 * i + channel]!
  return one
}

/** Returns the end of the last packet in ffmpeg's list, in seconds. */
async function parseLastPacketEnd(list: Readable): Promise<number> {
  let [secondsPerTick, end, rest] = [0, 0, '']
  for await (const chunk of list.setEncoding('latin1')) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      // "#tb 0: 1/8000", then for each packet: stream, dts, pts, duration, size, checksum.
      const base = /^#tb 0: (\d+)\/(\d+)/.exec(line)
      if (base) secondsPerTick = Number(base[1]) / Number(base[2])
      const [, , pts, duration] = line.split(',', 4).map(Number)
      if (pts! + duration! > end) end = pts! + duration!
    }
  }
  return end * secondsPerTick
}

/** Rejects if the next chunk takes too long. */
async function* readWithStallTimeout(stream: Readable): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  try {
    while (true) {
      let timer: NodeJS.Timeout | undefined
      const stall = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(unsupportedAudioError('The file could not be decoded in a sensible time.')),
          STALL_TIMEOUT_MS,
        )
      })
      const { value, done } = await Promise.race([chunks.next(), stall]).finally(() => clearTimeout(timer))
      if (done) return
      yield value
    }
  } finally {
    stream.destroy()
  }
}

function checkExit({ signal }: ProcessExit, frames: number): void {
  if (signal === 'SIGXCPU') throw unsupportedAudioError('The file takes too long to decode.')
  if (signal) throw new RecognitionError('INTERNAL', 'The decoder was stopped by the system. Try again.')
  if (frames === 0) throw noAudioError()
}

interface AudioMeasurement {
  durationSeconds: number
  /** The channels to recognize: both if they differ, else the louder one. */
  channels: number[]
}

/** Decodes the whole file to learn its length and whether its channels differ. */
export async function measureAudio(file: string, probe: ProbeResult, signal: AbortSignal): Promise<AudioMeasurement> {
  const sampleRate = 8000
  const width = outputChannelCount(probe.channels)
  let frames = 0
  const sums = { l: 0, r: 0, ll: 0, rr: 0, lr: 0 }
  for await (const samples of decodeAudio(file, probe, sampleRate, signal)) {
    frames += samples.length / width
    if (width === 2) addToSums(sums, samples)
  }
  const durationSeconds = frames / sampleRate
  if (width === 1) return { durationSeconds, channels: [0] }
  const left = sums.ll - sums.l ** 2 / frames
  const right = sums.rr - sums.r ** 2 / frames
  const covariance = sums.lr - (sums.l * sums.r) / frames
  // One minus the squared correlation; a silent channel explains nothing.
  const unexplained = left * right === 0 ? Math.sign(left + right) : 1 - covariance ** 2 / (left * right)
  return { durationSeconds, channels: unexplained > MAX_UNEXPLAINED_ENERGY ? [0, 1] : [left >= right ? 0 : 1] }
}

function addToSums(sums: { l: number; r: number; ll: number; rr: number; lr: number }, samples: Int16Array): void {
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
