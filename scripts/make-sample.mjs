/**
 * Generates samples/call.wav and samples/call.amr: a short telephone call about a delivery, agent on the left, client on the
 * right, 8 kHz. Needs an ffmpeg with libflite (Debian's) and sox with AMR.
 * Usage: node scripts/make-sample.mjs
 */
import { execFileSync } from 'node:child_process'

const VOICES = { agent: 'slt', client: 'rms' }
const CALL_TURNS = [
  { who: 'agent', at: 0.4, text: 'Good morning. How can I help you today?' },
  { who: 'client', at: 3.4, text: 'Hello. I am waiting for my delivery. It was supposed to arrive on Monday.' },
  { who: 'agent', at: 9.0, text: 'I am sorry about that. Your parcel will be there on Friday at noon.' },
  { who: 'client', at: 14.0, text: 'Great. Thank you very much for your help.' },
]
const SECONDS = 17.5

const speech = CALL_TURNS.flatMap(({ who, text }) => ['-f', 'lavfi', '-i', `flite=voice=${VOICES[who]}:text='${text}'`])

/** Formats the filters of ffmpeg that place the turns of one person in time and mix them. */
function formatChannel(who) {
  const turns = [...CALL_TURNS.entries()].filter(([, turn]) => turn.who === who)
  const placed = turns.map(([index, { at }]) => `[${index}]aresample=8000,adelay=${at * 1000}[t${index}]`)
  const mixed = `${turns.map(([index]) => `[t${index}]`).join('')}amix=${turns.length}:normalize=0`
  // Limit the sound to the band of a telephone line, and pad both channels to the length of the call.
  return `${placed.join(';')};${mixed},highpass=300,lowpass=3400,apad=whole_dur=${SECONDS}[${who}]`
}

const graph = `${formatChannel('agent')};${formatChannel('client')};[agent][client]join=inputs=2:channel_layout=stereo`
const output = ['-c:a', 'pcm_s16le', '-map_metadata', '-1', '-fflags', '+bitexact', 'samples/call.wav']
execFileSync('ffmpeg', ['-v', 'error', '-y', ...speech, '-filter_complex', graph, '-t', String(SECONDS), ...output])
// Debian's ffmpeg cannot write AMR, so sox does.
execFileSync('sox', ['samples/call.wav', '-c', '1', '-C', '7', '-t', 'amr-nb', 'samples/call.amr'])
