import type { Readable } from 'node:stream'
import { RecognitionError } from './contract.ts'
import { waitForProcessExit, killProcessOnAbort, spawnMediaProgram, type MediaProcessExit } from './media.ts'
import { ChannelMixer } from './channel-mixer.ts'
import { parseMatroskaPcmBlocks } from './pcm-blocks.ts'
import { noAudioError, unsupportedAudioError, type AudioProbeResult } from './probe.ts'
import { alignPcmToTimestamps, generateSilentPcm } from './timeline.ts'
import type { DecodableWavPart } from './wav.ts'

export const MAX_AUDIO_SECONDS = 3 * 60 * 60
/** Lossy audio can exceed the limit by this time, because decoding can add samples before and after the audio. */
const CODEC_PADDING_SECONDS = 0.5
/** We reject a file if ffmpeg returns no output for this time. */
const STALL_TIMEOUT_MS = 60_000
/** We treat channels as identical if correlation explains all but this share of the energy (-35 dB, above codec noise). */
const MAX_UNEXPLAINED_ENERGY = 10 ** -3.5

function tooLongError(): RecognitionError {
  return new RecognitionError('AUDIO_TOO_LONG', 'The recording is longer than 3 hours. Split it and send the parts.')
}

/**
 * Returns true if a decoded length exceeds the limit of 3 hours.
 * @param seconds the length, which is rounded to hundredths for the comparison
 */
export function isAudioTooLong(seconds: number, { lossless }: Pick<AudioProbeResult, 'lossless'>): boolean {
  return Math.round(seconds * 100) / 100 > MAX_AUDIO_SECONDS + (lossless ? 0 : CODEC_PADDING_SECONDS)
}

/**
 * Decodes a file to interleaved 16-bit samples and fills gaps between timestamps with silence. More than two channels are mixed
 * into one. Damaged parts of a file are left out.
 * @throws RecognitionError UNSUPPORTED_AUDIO if nothing can be decoded or decoding takes too long
 * @throws RecognitionError AUDIO_TOO_LONG above 3 hours, INTERNAL if the system kills ffmpeg; or the reason of `signal`
 */
export async function* decodeAudio(
  file: string,
  probe: AudioProbeResult,
  sampleRate: number,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  const width = countOutputChannels(probe.channels)
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
  probe: AudioProbeResult,
  { channels, options: input }: DecodableWavPart,
  sampleRate: number,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  const width = countOutputChannels(probe.channels)
  const mixer = channels > 2 && width === 1 ? new ChannelMixer(channels) : undefined
  const options = buildDecoderOptions(probe, mixer ? channels : width, sampleRate)
  const child = spawnMediaProgram('ffmpeg', file, options, { input, two: probe.leavesOutSilence })
  const release = killProcessOnAbort(child, signal)
  const end = waitForProcessExit(child)
  end.catch(() => undefined) // The code below awaits this promise.
  const packets = probe.leavesOutSilence ? parseLastPacketEnd(child.stdio[3] as Readable) : undefined
  packets?.catch(() => undefined) // If this promise rejects while decoding fails, `end` reports the failure.
  let frames = 0
  try {
    const blocks = parseMatroskaPcmBlocks(readWithStallTimeout(child.stdout!))
    for await (const decoded of alignPcmToTimestamps(blocks, mixer ? channels : width, sampleRate, probe.isTimed)) {
      const samples = mixer ? mixer.mix(decoded) : decoded
      frames += samples.length / width
      yield samples
    }
    const exit = await end
    signal.throwIfAborted()
    checkExit(exit, frames)
    const silence = Math.round(((await packets) ?? 0) * sampleRate) - frames
    yield* generateSilentPcm(silence, width)
  } finally {
    child.kill('SIGKILL')
    release()
  }
}

function buildDecoderOptions(
  { track, leavesOutSilence }: AudioProbeResult,
  channels: number,
  sampleRate: number,
): string[] {
  const map = [...(track === undefined ? [] : ['-map', track]), '-vn', '-sn', '-dn']
  // ffmpeg's -ac option mixes unexpected channel layouts wrongly.
  const identityMapping = Array.from({ length: channels }, (_, c) => `c${c}=c${c}`).join('|')
  const width = channels > 2 ? ['-af', `pan=${channels}c|${identityMapping}`] : ['-ac', String(channels)]
  // In some containers, ffmpeg removes gaps of more than ten seconds unless this limit is larger.
  const times = ['-dts_delta_threshold', '1000000']
  const pcm = [...width, '-ar', String(sampleRate), '-c:a', 'pcm_s16le']
  const packets = leavesOutSilence ? [...map, '-c:a', 'copy', '-f', 'framecrc', 'pipe:3'] : []
  return [...times, ...map, ...pcm, '-f', 'matroska', 'pipe:1', ...packets]
}

/** Returns the number of channels after decoding: 2 for a file with two channels, otherwise 1, because more are mixed. */
export const countOutputChannels = (channels: number) => (channels === 2 ? 2 : 1)

/** Returns the samples of channel 0 or 1 from interleaved stereo samples. */
export function extractChannel(samples: Int16Array, channel: number): Int16Array {
  const one = new Int16Array(samples.length / 2)
  for (let i = 0; i < one.length; i++) one[i] = samples[2 * i + channel]!
  return one
}

/** Parses ffmpeg's list of packets (format framecrc) and returns the latest end of a packet in seconds. */
async function parseLastPacketEnd(list: Readable): Promise<number> {
  let [secondsPerTick, end, rest] = [0, 0, '']
  for await (const chunk of list.setEncoding('latin1')) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      // The list starts with "#tb 0: 1/8000". Each packet line has stream, dts, pts, duration, size and checksum.
      const base = /^#tb 0: (\d+)\/(\d+)/.exec(line)
      if (base) secondsPerTick = Number(base[1]) / Number(base[2])
      const [, , pts, duration] = line.split(',', 4).map(Number)
      if (pts! + duration! > end) end = pts! + duration!
    }
  }
  return end * secondsPerTick
}

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

function checkExit({ signal }: MediaProcessExit, frames: number): void {
  if (signal === 'SIGXCPU') throw unsupportedAudioError('The file takes too long to decode.')
  if (signal) throw new RecognitionError('INTERNAL', 'The decoder was stopped by the system. Try again.')
  if (frames === 0) throw noAudioError()
}

interface AudioMeasurement {
  durationSeconds: number
  /** Numbers of the channels to recognize: both if they differ, otherwise only the louder one. */
  channels: number[]
}

/**
 * Decodes the whole file to measure its length and to detect identical channels.
 * @throws the errors of `decodeAudio()`
 */
export async function measureAudio(
  file: string,
  probe: AudioProbeResult,
  signal: AbortSignal,
): Promise<AudioMeasurement> {
  const sampleRate = 8000
  const width = countOutputChannels(probe.channels)
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
  // One minus the squared correlation. A silent channel has no correlation, so all energy of the other one is unexplained.
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
