/**
 * Words that a model invents where nobody speaks: half an hour of music on hold, tones, noise, breathing and fax. Music on
 * hold is then also taken as a whole call, which must say of itself that nobody speaks.
 *
 *   npm run bench:invented -- [MODEL] [DECODER]
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Decoder } from '../src/recognizer/contract.ts'
import type { EngineConfig } from '../src/recognizer/engines/engine.ts'
import { load } from '../src/recognizer/engines/moonshine/moonshine.ts'
import { textOf } from '../src/recognizer/phrases.ts'
import { transcribe } from '../src/recognizer/transcribe.ts'
import { fetchMusic } from './prompts.ts'

const RATE = 16_000
/** As many as half an hour of such sound may bring. */
const MOST_WORDS = 2
const MUSIC_SECONDS = 180
const OTHER_SECONDS = 90

const tone = (...hertz: number[]) => hertz.map((one) => `sin(2*PI*${one}*t)`).join('+')
const between = (on: number, period: number) => `lt(mod(t,${period}),${on})`

/** Sources of ffmpeg by name, each of OTHER_SECONDS. */
const SOUNDS: Record<string, string> = {
  'dial tone': `aevalsrc='0.2*(${tone(350, 440)})'`,
  'busy tone': `aevalsrc='0.2*(${tone(480, 620)})*${between(0.5, 1)}'`,
  ringing: `aevalsrc='0.2*(${tone(425)})*${between(1, 5)}'`,
  'number not in service': `aevalsrc='0.3*(${tone(950)})*${between(0.33, 4)}+0.3*sin(2*PI*1400*t)*between(mod(t,4),0.33,0.66)+0.3*sin(2*PI*1800*t)*between(mod(t,4),0.66,1)'`,
  'keys of a telephone': `aevalsrc='0.2*(sin(2*PI*(697+77*mod(floor(t*3),4))*t)+sin(2*PI*(1209+130*mod(floor(t*7),3))*t))*${between(0.12, 0.33)}'`,
  'fax calling': `aevalsrc='0.3*(${tone(1100)})*${between(0.5, 3.5)}'`,
  'fax answering': `aevalsrc='0.3*(${tone(2100)})*${between(3, 6)}+0.3*sin(2*PI*(1750+100*lt(mod(floor(t*300)*7919,13),6))*t)*gte(mod(t,6),3)'`,
  modem: `aevalsrc='0.2*(sin(2*PI*(1800+600*mod(floor(t*2400)*7919,3)/3)*t))*(0.6+0.4*sin(2*PI*3*t))'`,
  'white noise': 'anoisesrc=color=white:amplitude=0.1:seed=1',
  'pink noise': 'anoisesrc=color=pink:amplitude=0.3:seed=2',
  'brown noise': 'anoisesrc=color=brown:amplitude=0.5:seed=3',
  'hum of the mains': `aevalsrc='0.1*(${tone(50, 100, 150, 250)})'`,
  breathing:
    "anoisesrc=color=pink:amplitude=0.5:seed=4,bandpass=f=900:width_type=h:w=900,volume='pow(max(0,sin(2*PI*0.3*t)),2)':eval=frame",
  'breath into the microphone':
    "anoisesrc=color=brown:amplitude=0.9:seed=5,volume='pow(max(0,sin(2*PI*0.2*t)),6)':eval=frame",
  keyboard: "anoisesrc=color=white:amplitude=0.6:seed=6,volume='lt(mod(t,0.19+0.05*sin(t)),0.012)':eval=frame",
  wind: "anoisesrc=color=brown:amplitude=0.9:seed=7,lowpass=f=400,volume='0.4+0.4*sin(2*PI*0.13*t)*sin(2*PI*0.37*t)':eval=frame",
  'bad line': "anoisesrc=color=white:amplitude=0.3:seed=8,volume='gt(sin(2*PI*1.7*t)*sin(2*PI*0.61*t),0.6)':eval=frame",
}

/** How a call of music comes over the line. */
const LINES: [name: string, ending: string, ...codec: string[]][] = [
  ['as it is', 'wav'],
  ['mu-law', 'wav', '-c:a', 'pcm_mulaw'],
  ['GSM', 'gsm', '-c:a', 'libgsm'],
  ['G.722', 'wav', '-c:a', 'g722'],
  ['Opus', 'ogg', '-c:a', 'libopus', '-b:a', '16k'],
]

function decode(...input: string[]): Int16Array {
  const args = ['-v', 'error', ...input, '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-']
  return new Int16Array(new Uint8Array(execFileSync('ffmpeg', args, { maxBuffer: 2 ** 28 })).buffer)
}

const [model = 'moonshine-base-en', decoder = 'beam_search'] = process.argv.slice(2)
process.env.ORT_DISABLE_TELEMETRY = '1'
const engine = await load({ ASR_MODEL: model, DECODER: decoder } as EngineConfig)
const { signal } = new AbortController()

/** What is heard in a sound, as 8 kHz telephony. */
async function heardIn(samples: Int16Array): Promise<string> {
  const pieces = await engine.transcribe([[samples]], decoder as Decoder, () => {}, signal)
  return pieces.map(({ words }) => textOf(words)).join(' ')
}

const telephone = ['-af', 'aresample=8000,highpass=f=200,lowpass=f=3400']
const music = fetchMusic()
const tunes = readdirSync(music).filter((name) => name.endsWith('.wav'))
const sounds = [
  ...tunes.map(
    (name) => [name, decode('-stream_loop', '-1', '-t', String(MUSIC_SECONDS), '-i', join(music, name))] as const,
  ),
  ...Object.entries(SOUNDS).map(
    ([name, source]) => [name, decode('-f', 'lavfi', '-t', String(OTHER_SECONDS), '-i', source, ...telephone)] as const,
  ),
]
let [words, seconds] = [0, 0]
for (const [name, samples] of sounds) {
  const text = await heardIn(samples)
  const count = text.split(/\s+/).filter(Boolean).length
  words += count
  seconds += samples.length / RATE
  process.stdout.write(`${name}: ${count === 0 ? 'nothing' : `${count} words: ${text}`}\n`)
}
/** What is told of a call that is nothing but music: no text (`noSpeech`), and sound in which nobody speaks (`audio`). */
let told = true
const scratch = mkdtempSync(join(tmpdir(), 'svc-music-'))
for (const name of tunes) {
  const source = join(music, name)
  for (const [line, ending, ...codec] of LINES) {
    const file = join(scratch, `call.${ending}`)
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-y',
      '-i',
      source,
      '-ar',
      line === 'G.722' ? '16000' : '8000',
      ...codec,
      file,
    ])
    const asked = { file, decoder: decoder as Decoder }
    const { transcript, audio } = await transcribe(engine, asked, () => undefined, signal)
    const isUnheard = audio.speechSeconds.every((one) => one === 0) && !audio.silent.includes(true)
    const holds = transcript.text === '' && isUnheard
    told &&= holds
    const found = holds ? 'no speech' : `MISSED: ${transcript.text}`
    process.stdout.write(`${name} as a call, ${line}: ${JSON.stringify(audio)}, ${found}\n`)
  }
}
rmSync(scratch, { recursive: true })
const verdict = words <= MOST_WORDS ? 'holds' : 'MISSED'
process.stdout.write(
  `${model} ${decoder}: ${words} words in ${(seconds / 60).toFixed(1)} min; at most ${MOST_WORDS}: ${verdict}\n`,
)
process.exitCode = words <= MOST_WORDS && told ? 0 : 1
