import { spawn, type ChildProcess } from 'node:child_process'
import { findExecutablePath } from '../platform/lib/find-program.ts'
import { RecognitionError } from './contract.ts'

/** Containers that we accept. Others, such as playlists, can make ffmpeg open further files. */
const ALLOWED_FORMATS = 'wav,w64,aiff,au,caf,mp3,ogg,flac,mov,matroska,aac,amr,gsm,asf,voc,wv'

const ALLOWED_CODECS = [
  'pcm_s8,pcm_u8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be',
  'pcm_alaw,pcm_mulaw,gsm,gsm_ms,libgsm,libgsm_ms,g722,g726,g726le,g729,g723_1,ilbc,truespeech',
  'adpcm_ima_wav,adpcm_ima_qt,adpcm_ms,adpcm_g722,adpcm_g726,adpcm_yamaha,adpcm_sbpro_2,adpcm_sbpro_3,adpcm_sbpro_4',
  'amrnb,amrwb,libopencore_amrnb,libopencore_amrwb,mp3,mp3float,mp3on4,mp3on4float,mp2,mp2float,mp1,mp1float',
  'aac,aac_latm,alac,flac,wavpack,vorbis,libvorbis,opus,libopus,speex,libspeex,ac3,eac3,wmav1,wmav2,wmavoice,wmapro',
].join()

/** ffprobe opens the decoders of all tracks, including cover pictures. ffmpeg opens only the decoder of the audio track. */
const COVER_CODECS = 'mjpeg,png'

const PROGRAM_OPTIONS = {
  ffprobe: ['-codec_whitelist', ALLOWED_CODECS, '-codec_whitelist:v', COVER_CODECS],
  ffmpeg: ['-nostdin', '-threads', '1', '-codec_whitelist', ALLOWED_CODECS],
}

/** Restricts ffmpeg to local files in these containers. ffmpeg detects the container by content. */
const INPUT_GUARD = ['-protocol_whitelist', 'file', '-format_whitelist', ALLOWED_FORMATS]

const MEBIBYTE = 1024 * 1024
/** Limits the address space of one process. 300 MB are usual, mostly program code. */
const MAX_MEMORY_BYTES = 1024 * MEBIBYTE
const MAX_ALLOCATION_BYTES = 64 * MEBIBYTE
/** Limits the processor time of one process. Three hours in the slowest codec take a fifth of it. */
const MAX_CPU_SECONDS = 300

/** Path of a program of util-linux. Without it, only the limits of time, output and single allocations apply. */
const PRLIMIT_PATH = findExecutablePath('prlimit')

/**
 * Checks that ffmpeg and ffprobe are installed.
 * @throws RecognitionError that names the missing programs
 */
export function requireMediaPrograms(): void {
  const missing = ['ffmpeg', 'ffprobe'].filter((program) => !findExecutablePath(program))
  if (missing.length > 0) throw new RecognitionError('INTERNAL', `${missing.join(' and ')} must be installed (ffmpeg)`)
}

/**
 * Starts ffprobe or ffmpeg on an untrusted file with limits for memory, processor time, codecs and containers.
 * @param args options after the input
 * @param input options before the input
 * @param two true to open pipe:3 for a second output
 * @returns the process, whose output is in `stdout`
 */
export function spawnMediaProgram(
  program: 'ffprobe' | 'ffmpeg',
  file: string,
  args: string[],
  { input = [], two = false }: { input?: string[]; two?: boolean } = {},
): ChildProcess {
  const guard = [
    '-hide_banner',
    '-v',
    'error',
    '-max_alloc',
    String(MAX_ALLOCATION_BYTES),
    ...PROGRAM_OPTIONS[program],
    ...INPUT_GUARD,
  ]
  const options = [...guard, ...input, '-i', `file:${file}`]
  const limits = [`--as=${MAX_MEMORY_BYTES}`, `--cpu=${MAX_CPU_SECONDS}`, '--core=0', program]
  const [command, first] = PRLIMIT_PATH ? ([PRLIMIT_PATH, limits] as const) : ([program, []] as const)
  return spawn(command, [...first, ...options, ...args], {
    stdio: ['ignore', 'pipe', 'ignore', two ? 'pipe' : 'ignore'],
    // Programs that read untrusted files do not receive our secrets.
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
}

/** How a media process ended. Either `code` or `signal` is null. */
export interface MediaProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
}

/**
 * Waits until a process has ended and its output is closed.
 * @throws Error if the process could not be started
 */
export function waitForProcessExit(child: ChildProcess): Promise<MediaProcessExit> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new Error('a media program could not be started', { cause })))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}

/**
 * Kills a process when the signal is aborted, or now if the signal is aborted already.
 * @returns a function that removes the listener
 */
export function killProcessOnAbort(child: ChildProcess, signal: AbortSignal): () => void {
  const kill = () => child.kill('SIGKILL')
  if (signal.aborted) kill()
  signal.addEventListener('abort', kill, { once: true })
  return () => signal.removeEventListener('abort', kill)
}
