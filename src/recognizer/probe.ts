import { hasMpegFrames, isRawGsm } from './format-detection.ts'
import { RecognitionError } from './contract.ts'
import { waitForProcessExit, killProcessOnAbort, spawnMediaProgram } from './media.ts'
import { hasSeveralOggSampleRates } from './ogg.ts'
import { readWavHeader, UnreadableWavError, type DecodableWavPart } from './wav.ts'

const PROBE_TIMEOUT_MS = 30_000
const MAX_PROBE_OUTPUT_BYTES = 256 * 1024
/** Accepted sample rates in Hz. Resampling from a rate like 1 Hz would need gigabytes of memory. */
const SAMPLE_RATE_LIMITS = { min: 4000, max: 768_000 }
const MAX_CHANNELS = 8
/** For these containers, ffmpeg only estimates the length. */
const ESTIMATED_LENGTH_FORMATS = ['aac', 'amr', 'gsm']
/**
 * These containers have no timestamps. If files with different sample rates are joined, ffmpeg computes times with the first rate.
 */
const UNTIMED_FORMATS = ['aac', 'flac', 'mp3']
/** A format with a lower score (of 100) can be a chance match in another kind of file. */
const MIN_PROBE_SCORE = 25
const LOSSLESS_CODEC = /^(pcm_|flac$|alac$|wavpack$)/

/** Properties of an audio file, found before decoding. */
export interface AudioProbeResult {
  /** The audio track in ffmpeg's notation, such as 0:1. If undefined, ffmpeg chooses the track. */
  track: string | undefined
  channels: number
  sampleRate: number
  durationSeconds: number | undefined
  /** True if the codec can omit silence, also at the end of the file (AMR). */
  leavesOutSilence: boolean
  /** False if decoding can add samples before and after the audio. */
  lossless: boolean
  /** True if the timestamps are reliable, so that gaps between them are silence. */
  isTimed: boolean
  /** Parts that ffmpeg reads in turn with their own options. Empty if ffmpeg reads the file at once without options. */
  parts: DecodableWavPart[]
}

/** Creates the error for a file that can never be recognized. */
export const unsupportedAudioError = (message: string) => new RecognitionError('UNSUPPORTED_AUDIO', message)
/** Creates the error for a file without audio that we can decode. */
export const noAudioError = () =>
  unsupportedAudioError(
    'The file holds no audio that can be decoded. Send the call as wav, mp3, ogg, flac, m4a, amr or webm.',
  )

/**
 * Finds the audio track and the properties of a file.
 * @throws RecognitionError UNSUPPORTED_AUDIO if the file has no supported audio, or the reason of an aborted `signal`
 */
export async function probeAudioFile(file: string, signal: AbortSignal): Promise<AudioProbeResult> {
  const { header, parts } = await readWavHeader(file).catch(rejectWav)
  for (const one of header ? [header, ...parts] : parts) checkLimits(one)
  if (header) return { track: '0:a:0', ...header, leavesOutSilence: false, lossless: true, isTimed: false, parts }
  const output = await runProbe(file, parts[0]?.options ?? [], signal)
  const { format, streams } = output ?? (await probeWithFfmpeg(file, signal))
  const stream = chooseTrack(streams ?? [])
  if (!format || !stream) throw noAudioError()
  const name = format.format_name.split(',')[0]!
  if (!(await isFormatCertain(file, name, format.probe_score))) throw noAudioError()
  const sampleRate = Number(stream.sample_rate)
  const channels = stream.channels ?? 0
  checkLimits({ sampleRate, channels })
  const seconds = Number(stream.duration ?? format.duration)
  return {
    track: output && `0:${stream.index}`,
    channels,
    sampleRate,
    durationSeconds: seconds > 0 && !ESTIMATED_LENGTH_FORMATS.includes(name) ? seconds : undefined,
    leavesOutSilence: stream.codec_name?.startsWith('amr') === true,
    lossless: LOSSLESS_CODEC.test(stream.codec_name ?? ''),
    isTimed: !UNTIMED_FORMATS.includes(name) && !(name === 'ogg' && (await hasSeveralOggSampleRates(file, signal))),
    parts,
  }
}

function checkLimits({ sampleRate, channels }: { sampleRate: number; channels: number }): void {
  if (!(sampleRate >= SAMPLE_RATE_LIMITS.min && sampleRate <= SAMPLE_RATE_LIMITS.max)) {
    throw unsupportedAudioError(
      `The sample rate must be from ${SAMPLE_RATE_LIMITS.min} to ${SAMPLE_RATE_LIMITS.max} Hz; the file says ${sampleRate || 'nothing'}.`,
    )
  }
  if (!(channels >= 1 && channels <= MAX_CHANNELS)) {
    throw unsupportedAudioError(`The file must have 1 to ${MAX_CHANNELS} channels; it says ${channels}.`)
  }
}

function rejectWav(error: unknown): never {
  if (!(error instanceof UnreadableWavError)) throw error
  throw unsupportedAudioError(`The file is ${error.message}. Convert it to one ordinary WAV file, then send it again.`)
}

/** Returns the first default audio track, otherwise the first audio track, as players do. */
function chooseTrack(streams: ProbedStream[]): ProbedStream | undefined {
  const tracks = streams.filter(({ codec_type, codec_name }) => codec_type === 'audio' && codec_name !== undefined)
  return tracks.find(({ disposition }) => disposition?.default === 1) ?? tracks[0]
}

async function isFormatCertain(file: string, format: string, score: number): Promise<boolean> {
  if (format === 'gsm') return isRawGsm(file)
  return score >= MIN_PROBE_SCORE || (format === 'mp3' && hasMpegFrames(file))
}

interface ProbedStream {
  index: number
  codec_type: string
  codec_name?: string
  sample_rate?: string
  channels?: number
  duration?: string
  disposition?: { default: number }
}

interface ProbeOutput {
  format?: { format_name: string; probe_score: number; duration?: string }
  streams?: ProbedStream[]
}

const PROBE_ENTRIES =
  'format=format_name,probe_score,duration:stream=index,codec_type,codec_name,sample_rate,channels,duration:stream_disposition=default'

/** Runs ffprobe. Returns undefined if ffprobe fails, for example because it cannot open one of the tracks. */
async function runProbe(file: string, input: string[], signal: AbortSignal): Promise<ProbeOutput | undefined> {
  const output = await runProgram('ffprobe', file, ['-of', 'json', '-show_entries', PROBE_ENTRIES], signal, input)
  return output === undefined ? undefined : (JSON.parse(output) as ProbeOutput)
}

/**
 * Probes a file with ffmpeg, which opens only one audio track: the default one or the one with the most channels.
 * @throws RecognitionError UNSUPPORTED_AUDIO if there is none
 */
async function probeWithFfmpeg(file: string, signal: AbortSignal): Promise<ProbeOutput> {
  const options = ['-vn', '-sn', '-dn', '-c:a', 'copy', '-t', '1', '-f', 'framecrc', 'pipe:1']
  const output = await runProgram('ffmpeg', file, options, signal)
  const fact = (name: string) => new RegExp(`^#${name} 0: (.+)$`, 'm').exec(output ?? '')?.[1]
  const codec = fact('codec_id')
  if (!codec) throw noAudioError()
  const channels = parseChannelCount(fact('channel_layout_name'))
  const stream = { index: 0, codec_type: 'audio', codec_name: codec, sample_rate: fact('sample_rate') ?? '', channels }
  return { format: { format_name: 'film', probe_score: 100 }, streams: [stream] }
}

function parseChannelCount(layout = 'mono'): number {
  const [, full, low] = /^(\d)\.(\d)/.exec(layout) ?? []
  return full ? Number(full) + Number(low) : layout === 'stereo' ? 2 : 1
}

/** Runs a program for at most PROBE_TIMEOUT_MS. Returns its output, or undefined if it fails. */
async function runProgram(
  program: 'ffprobe' | 'ffmpeg',
  file: string,
  args: string[],
  signal: AbortSignal,
  input: string[] = [],
): Promise<string | undefined> {
  const child = spawnMediaProgram(program, file, args, { input })
  const release = killProcessOnAbort(child, signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), PROBE_TIMEOUT_MS)
  const end = waitForProcessExit(child)
  let output = ''
  try {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.length > MAX_PROBE_OUTPUT_BYTES) child.kill('SIGKILL')
    })
    const { code } = await end
    signal.throwIfAborted()
    return code === 0 ? output : undefined
  } finally {
    clearTimeout(timer)
    release()
  }
}
