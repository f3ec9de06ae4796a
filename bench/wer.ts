/**
 * Word errors of a model on real telephone prompts, with and without the cutting into windows of speech.
 *
 *   node dist/bench/wer.mjs FOLDER TRANSCRIPTS [MODEL] [DECODER]
 *
 * FOLDER holds the prompts as wav files (Debian's asterisk-core-sounds-en-wav), TRANSCRIPTS is the core-sounds-en.txt
 * of the same release: lines of `name: text`. Prints the rate for each prompt taken as one piece, for each prompt cut
 * by the detector, and for all prompts as one long recording with pauses of 0.7 s, which is nearest to a call.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Decoder } from '../src/asr/contract.ts'
import type { EngineConfig } from '../src/asr/engines/engine.ts'
import { load, Moonshine } from '../src/asr/engines/moonshine.ts'

const DIGITS = 'zero one two three four five six seven eight nine'.split(' ')
/** Spellings that sound the same, so that only what was heard differently counts. */
const SAME: [RegExp, string][] = [
  [/www\.asterisk\.org/g, 'w w w dot asterisk dot org'],
  [/28\.8/g, 'twenty eight point eight'],
  [/\b([1-9])00\b/g, '$1 hundred'],
  [/[*]/g, ' star '],
  [/#/g, ' pound '],
  [/\bvoice ?mail\b/g, 'voicemail'],
  [/\bmail ?box\b/g, 'mailbox'],
  [/\btouch[- ]?tone\b/g, 'touchtone'],
  [/\bkey ?pad\b/g, 'keypad'],
  [/\bkey ?words\b/g, 'keywords'],
  [/\bplay ?back\b/g, 'playback'],
  [/\bfile ?name\b/g, 'filename'],
  [/\bset ?up\b/g, 'setup'],
  [/\blog ?in\b/g, 'login'],
  [/\bthru\b/g, 'through'],
  [/\bi'm\b/g, 'i am'],
  [/\bok\b/g, 'okay'],
  [/\bpin number\b/g, 'pin number'],
]

/** The words of a text as they sound: lower case, digits spoken, no punctuation. */
function words(text: string): string[] {
  let plain = text.toLowerCase().replaceAll('’', "'")
  for (const [from, to] of SAME) plain = plain.replace(from, to)
  return plain
    .replace(/\d/g, (digit) => ` ${DIGITS[Number(digit)]} `)
    .replace(/[^a-z' ]/g, ' ')
    .split(' ')
    .filter(Boolean)
}

/** The least number of words to replace, insert or drop between two texts (Levenshtein). */
function distance(a: string[], b: string[]): number {
  let row = b.map((_, index) => index + 1)
  a.forEach((word, i) => {
    let left = i + 1
    row = b.map((other, j) => {
      const diagonal = j === 0 ? i : row[j - 1]!
      left = Math.min(left + 1, row[j]! + 1, diagonal + (word === other ? 0 : 1))
      return left
    })
  })
  return row.at(-1) ?? a.length
}

function decode(file: string): Int16Array {
  const pcm = execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-ac', '1', '-ar', '16000', '-f', 's16le', '-'], {
    maxBuffer: 2 ** 30,
  })
  return new Int16Array(new Uint8Array(pcm).buffer)
}

const [folder = '', transcripts = '', model = 'moonshine-base-en', decoder = 'greedy'] = process.argv.slice(2)
const prompts = readFileSync(transcripts, 'utf8')
  .split('\n')
  .map((line) => /^([^;:]+): *(.+)$/.exec(line))
  .filter((match) => match && existsSync(join(folder, `${match[1]}.wav`)))
  .map((match) => ({ expected: words(match![2]!), samples: decode(join(folder, `${match![1]}.wav`)) }))
const total = prompts.reduce((sum, { expected }) => sum + expected.length, 0)
const seconds = prompts.reduce((sum, { samples }) => sum + samples.length / 16_000, 0)
process.stdout.write(
  `${prompts.length} prompts, ${total} words, ${(seconds / 60).toFixed(1)} minutes, ${model}, ${decoder}\n`,
)

const whole = await Moonshine.load(model as EngineConfig['ASR_MODEL'])
const engine = await load({ ASR_MODEL: model, DECODER: decoder } as EngineConfig)
const { signal } = new AbortController()

async function cut(samples: Int16Array): Promise<string> {
  const recognition = engine.recognise(decoder as Decoder, signal)
  const pieces = [...(await recognition.accept(samples)), ...(await recognition.finish())]
  if (process.env.SHOW) for (const { start, end, text } of pieces) console.error(start.toFixed(1), end.toFixed(1), text)
  return pieces.map(({ text }) => text).join(' ')
}

async function measure(name: string, read: (samples: Int16Array) => Promise<string>): Promise<void> {
  const began = performance.now()
  let errors = 0
  for (const { expected, samples } of prompts) {
    const heard = words(await read(samples))
    const wrong = distance(expected, heard)
    if (wrong > 0 && process.env.SHOW) console.error(`${wrong} ${expected.join(' ')}\n  ${heard.join(' ')}`)
    errors += wrong
  }
  report(name, errors, began, seconds)
}

function report(name: string, errors: number, began: number, length: number): void {
  const time = (performance.now() - began) / 1000
  const rate = ((100 * errors) / total).toFixed(2)
  process.stdout.write(
    `${name.padEnd(8)} ${rate} % word errors (${errors}), ${(time / length).toFixed(4)} of real time\n`,
  )
}

if (!process.env.ONLY || process.env.ONLY.includes('whole'))
  await measure('whole', (samples) =>
    whole.read(
      Float32Array.from(samples, (v) => v / 32_768),
      decoder as Decoder,
      signal,
    ),
  )
if (!process.env.ONLY || process.env.ONLY.includes('cut')) await measure('cut', cut)
if (!process.env.ONLY || process.env.ONLY.includes('joined')) {
  const pause = 0.7 * 16_000
  const joined = new Int16Array(prompts.reduce((sum, { samples }) => sum + samples.length + pause, 0))
  let at = 0
  for (const { samples } of prompts) {
    joined.set(samples, at)
    at += samples.length + pause
  }
  const began = performance.now()
  const heard = words(await cut(joined))
  report(
    'joined',
    distance(
      prompts.flatMap(({ expected }) => expected),
      heard,
    ),
    began,
    joined.length / 16_000,
  )
}
