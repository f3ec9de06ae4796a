/**
 * How far the confidence of words can be trusted: below which certainty (its own confidence and that of its segment) a word is
 * marked in the panel as doubtful, so that of the words marked at least 30 % are wrong and of the others at most 3 %. Prints both
 * halves of the prompts, every second one by name: that to choose on, and that to report.
 *
 *   npm run bench:confidence -- [MODEL] [DECODER]
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Decoder } from '../src/recognizer/contract.ts'
import type { EngineConfig } from '../src/recognizer/engines/engine.ts'
import { load } from '../src/recognizer/engines/moonshine/moonshine.ts'
import { phrasesIn, segmentsOf } from '../src/recognizer/transcribe.ts'
import { certaintyOf } from '../src/panel/recording/lines.ts'
import { fetchPrompts } from './prompts.ts'
import { decode, words } from './spoken.ts'
import { markWrong, type Shown } from './wrong.ts'

const THRESHOLDS = [0.5, 0.6, 0.62, 0.64, 0.66, 0.67, 0.68, 0.69, 0.7, 0.71, 0.72, 0.74, 0.76, 0.8, 0.85, 0.9]

interface Heard extends Shown {
  certainty: number
}

const [model = 'moonshine-base-en', decoder = 'beam_search'] = process.argv.slice(2)
process.env.ORT_DISABLE_TELEMETRY = '1'
const { folder, texts } = fetchPrompts()
const names = [...texts.keys()].filter((name) => existsSync(join(folder, `${name}.wav`))).sort()
const engine = await load({ ASR_MODEL: model, DECODER: decoder } as EngineConfig)
const halves: [chosenOn: Heard[], reported: Heard[]] = [[], []]
for (const [n, name] of names.entries()) {
  const heard = await hear(join(folder, `${name}.wav`))
  markWrong(words(texts.get(name)!), heard)
  halves[(n % 2) as 0 | 1].push(...heard)
}
const [chosenOn, reported] = halves
for (const threshold of THRESHOLDS)
  console.log(`below ${threshold}: to choose on ${say(chosenOn, threshold)}; to report ${say(reported, threshold)}`)

/** The words of a file as they are shown, in their order. */
async function hear(file: string): Promise<Heard[]> {
  const pieces = await engine.transcribe([[decode(file)]], decoder as Decoder, () => {}, new AbortController().signal)
  const phrases = phrasesIn(pieces, Infinity)
  const whole = segmentsOf(phrases)
  return phrases
    .flatMap(({ words: own }, n) =>
      own.map(({ text, confidence }) => ({
        spoken: words(text),
        certainty: certaintyOf(confidence ?? 1, whole[n]!.confidence),
        wrong: false,
      })),
    )
    .filter(({ spoken }) => spoken.length > 0)
}

function say(heard: Heard[], threshold: number): string {
  const marked = heard.filter(({ certainty }) => certainty < threshold)
  const others = heard.filter(({ certainty }) => certainty >= threshold)
  const share = (some: Heard[]) =>
    ((100 * some.filter(({ wrong }) => wrong).length) / Math.max(1, some.length)).toFixed(1)
  return `${marked.length} of ${heard.length} marked, ${share(marked)} % of them wrong, ${share(others)} % of the others`
}
