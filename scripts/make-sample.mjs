/**
 * Generates the sample calls, agent on the left, client on the right, 8 kHz. samples/call.wav and samples/call.amr are a short
 * call about a delivery; the shipped rules score samples/sales-call.wav. Needs an ffmpeg with libflite (Debian's)
 * and sox with AMR.
 * Usage: node scripts/make-sample.mjs
 */
import { execFileSync } from 'node:child_process'

const VOICES = { agent: 'slt', client: 'rms' }
const DELIVERY_CALL_TURNS = [
  { who: 'agent', at: 0.4, text: 'Good morning. How can I help you today?' },
  { who: 'client', at: 3.4, text: 'Hello. I am waiting for my delivery. It was supposed to arrive on Monday.' },
  { who: 'agent', at: 9.0, text: 'I am sorry about that. Your parcel will be there on Friday at noon.' },
  { who: 'client', at: 14.0, text: 'Great. Thank you very much for your help.' },
]
const SALES_CALL_TURNS = [
  { who: 'agent', at: 0.4, text: 'Good morning. My name is Anna, from Northern Windows. How can I help you?' },
  { who: 'client', at: 5.9, text: 'Hello. We need new windows for our office.' },
  { who: 'agent', at: 9.7, text: 'How many windows do you need?' },
  { who: 'client', at: 12.3, text: 'Six. But your last offer was too expensive for us.' },
  {
    who: 'agent',
    at: 16.5,
    text: 'I understand. However, the price includes the delivery and the fitting. The guarantee is ten years.',
  },
  { who: 'client', at: 23.1, text: 'That sounds good. How much would it be?' },
  { who: 'agent', at: 26.6, text: 'It costs four hundred euros for one window. Shall we meet on Friday at ten?' },
  { who: 'client', at: 31.6, text: 'Yes, Friday is fine. Thank you very much.' },
  { who: 'agent', at: 35.6, text: 'Thank you for your call. Goodbye.' },
]

/** Formats the filters of ffmpeg that place the turns of one person in time and mix them. */
function formatChannel(who, allTurns, seconds) {
  const turns = [...allTurns.entries()].filter(([, turn]) => turn.who === who)
  const placed = turns.map(([index, { at }]) => `[${index}]aresample=8000,adelay=${at * 1000}[t${index}]`)
  const mixed = `${turns.map(([index]) => `[t${index}]`).join('')}amix=${turns.length}:normalize=0`
  // Limit the sound to the band of a telephone line, and pad both channels to the length of the call.
  return `${placed.join(';')};${mixed},highpass=300,lowpass=3400,apad=whole_dur=${seconds}[${who}]`
}

function makeCall(file, turns, seconds) {
  const speech = turns.flatMap(({ who, text }) => ['-f', 'lavfi', '-i', `flite=voice=${VOICES[who]}:text='${text}'`])
  const channels = `${formatChannel('agent', turns, seconds)};${formatChannel('client', turns, seconds)}`
  const graph = `${channels};[agent][client]join=inputs=2:channel_layout=stereo`
  const output = ['-c:a', 'pcm_s16le', '-map_metadata', '-1', '-fflags', '+bitexact', file]
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...speech, '-filter_complex', graph, '-t', String(seconds), ...output])
}

makeCall('samples/call.wav', DELIVERY_CALL_TURNS, 17.5)
makeCall('samples/sales-call.wav', SALES_CALL_TURNS, 38.5)
// Debian's ffmpeg cannot write AMR, so sox does.
execFileSync('sox', ['samples/call.wav', '-c', '1', '-C', '7', '-t', 'amr-nb', 'samples/call.amr'])
