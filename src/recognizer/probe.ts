import { hasMpegFrames, isRawGsm } from './certainty.ts'
import { RecognitionError } from './contract.ts'
import { ending, killOnAbort, spawnMedia } from './media.ts'
import { hasSeveralRates } from './ogg.ts'
import { readWav, UnreadableWav, type WavPart } from './wav.ts'

const PROBE_MS = 30_000
const PROBE_BYTES = 256 * 1024
/** From slow voice codecs to FLAC's maximum. Resampling from other rates would exhaust the memory. */
const RATES = { min: 4000, max: 768_000 }
const MAX_CHANNELS = 8
/** Containers whose length is estimated from the bit rate of their first frames. */
const GUESSED_LENGTH = ['aac', 'amr', 'gsm']
/** Containers without timestamps: ffmpeg counts frames by the sample rate of the first of several joined files. */
const UNTIMED = ['aac', 'flac', 'mp3']
/** A format with a lower score (of 100) is a chance hit in another kind of file. */
const MIN_SCORE = 25
const LOSSLESS = /^(pcm_|flac$|alac$|wavpack$)/

export interface Probe {
  /** The track in ffmpeg's notation; undefined lets ffmpeg choose an audio track. */
  track: string | undefined
  channels: number
  sampleRate: number
  durationSeconds: number | undefined
  /** Whether the file leaves out silence (AMR), also at its end. */
  leavesOutSilence: boolean
  /** Other codecs add frames before and after the audio. */
  lossless: boolean
  /** Whether its timestamps show gaps in the audio. */
  isTimed: boolean
  /** Parts that ffmpeg reads in turn with explicit options; empty if ffmpeg detects the format of the file itself. */
  parts: WavPart[]
}

export const unsupported = (message: string) => new RecognitionError('UNSUPPORTED_AUDIO', message)
export const noAudio = () =>
  unsupported('The file holds no audio that can be decoded. Send the call as wav, mp3, ogg, flac, m4a, amr or webm.')

export async function probe(file: string, signal: AbortSignal): Promise<Probe> {
  const { header, parts } = await readWav(file).catch(refuseWav)
  for (const one of header ? [header, ...parts] : parts) checkLimits(one)
  if (header) return { track: '0:a:0', ...header, leavesOutSilence: false, lossless: true, isTimed: false, parts }
  const answer = await runProbe(file, parts[0]?.options ?? [], signal)
  const { format, streams } = answer ?? (await probeWithFfmpeg(file, signal))
  const stream = chooseTrack(streams ?? [])
  if (!format || !stream) throw noAudio()
  const name = format.format_name.split(',')[0]!
  if (!(await isCertain(file, name, format.probe_score))) throw noAudio()
  const sampleRate = Number(stream.sample_rate)
  const channels = stream.channels ?? 0
  checkLimits({ sampleRate, channels })
  const seconds = Number(stream.duration ?? format.duration)
  return {
    track: answer && `0:${stream.index}`,
    channels,
    sampleRate,
    durationSeconds: seconds > 0 && !GUESSED_LENGTH.includes(name) ? seconds : undefined,
    leavesOutSilence: stream.codec_name?.startsWith('amr') === true,
    lossless: LOSSLESS.test(stream.codec_name ?? ''),
    isTimed: !UNTIMED.includes(name) && !(name === 'ogg' && (await hasSeveralRates(file, signal))),
    parts,
  }
}

function checkLimits({ sampleRate, channels }: { sampleRate: number; channels: number }): void {
  if (!(sampleRate >= RATES.min && sampleRate <= RATES.max)) {
    throw unsupported(
      `The sample rate must be from ${RATES.min} to ${RATES.max} Hz; the file says ${sampleRate || 'nothing'}.`,
    )
  }
  if (!(channels >= 1 && channels <= MAX_CHANNELS)) {
    throw unsupported(`The file must have 1 to ${MAX_CHANNELS} channels; it says ${channels}.`)
  }
}

function refuseWav(error: unknown): never {
  if (!(error instanceof UnreadableWav)) throw error
  throw unsupported(`The file is ${error.message}. Convert it to one ordinary WAV file, then send it again.`)
}

/** Players choose the first default track, else the first one. */
function chooseTrack(streams: ProbedStream[]): ProbedStream | undefined {
  const tracks = streams.filter(({ codec_type, codec_name }) => codec_type === 'audio' && codec_name !== undefined)
  return tracks.find(({ disposition }) => disposition?.default === 1) ?? tracks[0]
}

async function isCertain(file: string, format: string, score: number): Promise<boolean> {
  if (format === 'gsm') return isRawGsm(file)
  return score >= MIN_SCORE || (format === 'mp3' && hasMpegFrames(file))
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

interface ProbeAnswer {
  format?: { format_name: string; probe_score: number; duration?: string }
  streams?: ProbedStream[]
}

const ENTRIES =
  'format=format_name,probe_score,duration:stream=index,codec_type,codec_name,sample_rate,channels,duration:stream_disposition=default'

/** Returns ffprobe's output; undefined if it fails, as it does on any track that it cannot open. */
async function runProbe(file: string, input: string[], signal: AbortSignal): Promise<ProbeAnswer | undefined> {
  const answer = await ask('ffprobe', file, ['-of', 'json', '-show_entries', ENTRIES], signal, input)
  return answer === undefined ? undefined : (JSON.parse(answer) as ProbeAnswer)
}

/** Asks ffmpeg, which opens only the default audio track, else that of the most channels. */
async function probeWithFfmpeg(file: string, signal: AbortSignal): Promise<ProbeAnswer> {
  const options = ['-vn', '-sn', '-dn', '-c:a', 'copy', '-t', '1', '-f', 'framecrc', 'pipe:1']
  const answer = await ask('ffmpeg', file, options, signal)
  const fact = (name: string) => new RegExp(`^#${name} 0: (.+)$`, 'm').exec(answer ?? '')?.[1]
  const codec = fact('codec_id')
  if (!codec) throw noAudio()
  const channels = channelsOf(fact('channel_layout_name'))
  const stream = { index: 0, codec_type: 'audio', codec_name: codec, sample_rate: fact('sample_rate') ?? '', channels }
  return { format: { format_name: 'film', probe_score: 100 }, streams: [stream] }
}

function channelsOf(layout = 'mono'): number {
  const [, full, low] = /^(\d)\.(\d)/.exec(layout) ?? []
  return full ? Number(full) + Number(low) : layout === 'stereo' ? 2 : 1
}

/** Returns the output of a program; undefined if it fails. */
async function ask(
  program: 'ffprobe' | 'ffmpeg',
  file: string,
  args: string[],
  signal: AbortSignal,
  input: string[] = [],
): Promise<string | undefined> {
  const child = spawnMedia(program, file, args, { input })
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
    return code === 0 ? answer : undefined
  } finally {
    clearTimeout(timer)
    release()
  }
}
