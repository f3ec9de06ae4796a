/**
 * Other voices than that of the prompts: words said alone and sentences, spoken by espeak-ng's, over telephone codecs, with
 * noise. Half of the voices were chosen on, the other half is to report.
 *
 *   npm run bench:voices -- [MODEL] [DECODER]
 *
 * The sounds stay in .svc/bench/voices, where another release can read them.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Decoder } from '../src/recognizer/contract.ts'
import type { EngineConfig } from '../src/recognizer/engines/engine.ts'
import { load } from '../src/recognizer/engines/moonshine/moonshine.ts'
import { transcribe } from '../src/recognizer/transcribe.ts'
import { distance } from './distance.ts'
import { words } from './spoken.ts'
import { verdict } from './support.ts'

const FOLDER = join('.svc', 'bench', 'voices')
const HALVES = {
  'to choose on': ['en-us', 'en-gb', 'en-gb-scotland', 'en-us+f2', 'en-us+m5'],
  'to report': ['en-gb-x-rp', 'en-029', 'en-gb-x-gbcwmd', 'en-us+f4', 'en-us+m3'],
}
const ALONE =
  'zero one two three four five six seven eight nine ten yes no yeah okay stop sure thanks hello goodbye right'.split(
    ' ',
  )
const SENTENCES = [
  'I would like to change my delivery address, please.',
  'The invoice was paid two weeks ago, but the parcel has not arrived.',
  'Could you spell your last name for me?',
  'We are closed on Sundays and open again on Monday at nine.',
  'That is right, the blue one.',
  'I am afraid that this is too expensive for us.',
  'Let me check it with the warehouse and call you back.',
  'My number ends with forty two.',
]
/** How a sound of espeak-ng comes over the line: the file's name ends so, and ffmpeg makes it so. */
const LINES: [ending: string, ...args: string[]][] = [
  ['mulaw.wav', '-af', 'aresample=8000,adelay=700,apad=pad_dur=1', '-c:a', 'pcm_mulaw'],
  ['noise.gsm', '-filter_complex', "[0]aresample=8000,adelay=700,apad=pad_dur=1[a];anoisesrc=r=8000:c=pink:a=0.01:seed=1[n];[a][n]amix=duration=first:normalize=0", '-c:a', 'libgsm'], // prettier-ignore
]
/** In percent. Before windows had silence around them 4 % were lost, and 43 % right. */
const MOST_LOST = 3

const [model = 'moonshine-base-en', decoder = 'beam_search'] = process.argv.slice(2)
process.env.ORT_DISABLE_TELEMETRY = '1'
makeSounds()
const engine = await load({ ASR_MODEL: model, DECODER: decoder } as EngineConfig)
for (const [half, voices] of Object.entries(HALVES)) await measure(half, voices)
process.exit()

function makeSounds(): void {
  if (existsSync(FOLDER)) return
  mkdirSync(dirname(FOLDER), { recursive: true })
  const unfinished = mkdtempSync(`${FOLDER}-`)
  try {
    for (const voice of Object.values(HALVES).flat())
      for (const said of [...ALONE, ...SENTENCES]) make(unfinished, voice, said)
    renameSync(unfinished, FOLDER)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    throw new Error('espeak-ng and ffmpeg make the sounds: both must be installed', { cause: error })
  }
}

function make(folder: string, voice: string, said: string): void {
  const plain = join(folder, 'plain.wav')
  execFileSync('espeak-ng', ['-v', voice, '-w', plain, said])
  for (const [ending, ...args] of LINES)
    execFileSync('ffmpeg', ['-v', 'error', '-i', plain, ...args, join(folder, nameOf(voice, said, ending))])
  rmSync(plain)
}

function nameOf(voice: string, said: string, ending: string): string {
  return `${voice}__${words(said).join('-')}.${ending}`
}

async function measure(half: string, voices: string[]): Promise<void> {
  for (const [ending] of LINES) {
    const alone = { right: 0, lost: 0 }
    let [errors, count] = [0, 0]
    for (const voice of voices) {
      for (const said of ALONE) {
        const heard = await hear(nameOf(voice, said, ending))
        if (heard.join(' ') === said) alone.right++
        else if (heard.length === 0) alone.lost++
      }
      for (const said of SENTENCES) {
        errors += distance(words(said), await hear(nameOf(voice, said, ending)))
        count += words(said).length
      }
    }
    const all = voices.length * ALONE.length
    const share = (part: number) => `${((100 * part) / all).toFixed(0)} %`
    process.stdout.write(`${half}, ${ending}: ${errors} of ${count} words of sentences wrong, `)
    process.stdout.write(`of ${all} words alone ${share(alone.right)} right\n`)
    verdict(`${half}, ${ending}, words alone that are lost`, (100 * alone.lost) / all, { atMost: MOST_LOST }, ' %')
  }
}

async function hear(name: string): Promise<string[]> {
  const asked = { file: join(FOLDER, name), decoder: decoder as Decoder }
  const { transcript } = await transcribe(engine, asked, () => undefined, new AbortController().signal)
  return words(transcript.text.replace(/\b10\b/g, 'ten'))
}
