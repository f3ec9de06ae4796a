/**
 * Word errors and speed of a model on real telephone prompts: given to the model as they are, cut by the detector of
 * speech, and cut from one long recording of all prompts with pauses of 0.7 s, which is nearest to a call.
 *
 *   npm run bench:wer -- [MODEL] [DECODER] [whole,cut,joined]
 *
 * Prompts over half a minute are more than the model takes as they are: `whole` leaves them out, and `cut` is also told
 * without them. Speed is processor time over playing time.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Decoder } from '../src/recognizer/contract.ts'
import type { EngineConfig } from '../src/recognizer/engines/engine.ts'
import { Moonshine } from '../src/recognizer/engines/moonshine/model.ts'
import { load } from '../src/recognizer/engines/moonshine/moonshine.ts'
import { textOf } from '../src/recognizer/phrases.ts'
import { distance } from './distance.ts'
import { fetchPrompts } from './prompts.ts'
import { decode, RATE, words } from './spoken.ts'

/** Longer prompts cannot be given to the model as one piece. */
const LONGEST_WHOLE_SECONDS = 30

interface Prompt {
  expected: string[]
  samples: Int16Array
  seconds: number
}

const [model = 'moonshine-base-en', decoder = 'greedy', ways = 'whole,cut,joined'] = process.argv.slice(2)
process.env.ORT_DISABLE_TELEMETRY = '1'
const { folder, texts } = fetchPrompts()
const prompts: Prompt[] = [...texts]
  .map(([name, text]) => ({ file: join(folder, `${name}.wav`), expected: words(text) }))
  .filter(({ file }) => existsSync(file))
  .map(({ file, expected }) => ({ expected, samples: decode(file) }))
  .map((prompt) => ({ ...prompt, seconds: prompt.samples.length / RATE }))
const short = prompts.filter(({ seconds }) => seconds <= LONGEST_WHOLE_SECONDS)

const config = { ASR_MODEL: model, DECODER: decoder } as EngineConfig
const search = decoder as Decoder
const { signal } = new AbortController()

/** Prints one line: rate of errors, and speed. */
async function measure(name: string, set: Prompt[], read: (samples: Int16Array) => Promise<string>): Promise<void> {
  const total = set.reduce((sum, { expected }) => sum + expected.length, 0)
  const seconds = set.reduce((sum, prompt) => sum + prompt.seconds, 0)
  const began = process.cpuUsage()
  let errors = 0
  for (const { expected, samples } of set) errors += distance(expected, words(await read(samples)))
  const { user, system } = process.cpuUsage(began)
  const rate = ((100 * errors) / total).toFixed(2)
  const speed = ((user + system) / 1e6 / seconds).toFixed(4)
  process.stdout.write(
    `${model} ${decoder} ${name}: ${rate} % word errors (${errors} of ${total}, ${(seconds / 60).toFixed(1)} min), ` +
      `${speed} of playing time\n`,
  )
}

if (ways.includes('whole')) {
  const whole = await Moonshine.load(config.ASR_MODEL)
  const floats = (samples: Int16Array) => Float32Array.from(samples, (sample) => sample / 32_768)
  await measure('whole, up to 30 s', short, async (samples) => {
    const [words] = await whole.read([{ samples: floats(samples), speech: 0, decoder: search, signal }])
    return textOf(words!)
  })
}

const engine = await load(config)
async function cut(samples: Int16Array): Promise<string> {
  const pieces = await engine.transcribe([[samples]], search, () => {}, signal)
  return pieces.map(({ words }) => textOf(words)).join(' ')
}

if (ways.includes('cut')) {
  await measure('cut, up to 30 s', short, cut)
  await measure(
    'cut, over 30 s',
    prompts.filter((prompt) => !short.includes(prompt)),
    cut,
  )
}
if (ways.includes('joined')) {
  const pause = 0.7 * RATE
  const samples = new Int16Array(prompts.reduce((sum, prompt) => sum + prompt.samples.length + pause, 0))
  let at = 0
  for (const prompt of prompts) {
    samples.set(prompt.samples, at)
    at += prompt.samples.length + pause
  }
  const expected = prompts.flatMap((prompt) => prompt.expected)
  await measure('joined', [{ expected, samples, seconds: samples.length / RATE }], cut)
}
