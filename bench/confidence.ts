/**
 * How far the confidence of words can be trusted: below which certainty (its own confidence and that of its segment) a word is
 * marked in the panel as doubtful, so that of the words marked at least 30 % are wrong and of the others at most 3 %. Prints both
 * halves of the prompts, every second one by name; bench/README.md says what was chosen in view of which.
 *
 *   npm run bench:confidence -- [MODEL] [DECODER]
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Decoder } from '../src/asr/contract.ts'
import type { EngineConfig } from '../src/asr/engines/engine.ts'
import { load } from '../src/asr/engines/moonshine.ts'
import { phrasesOf } from '../src/asr/phrases.ts'
import { certaintyOf } from '../src/panel/recording/doubt.ts'
import { fetchPrompts } from './prompts.ts'
import { decode, words } from './spoken.ts'

const THRESHOLDS = [0.5, 0.6, 0.64, 0.66, 0.68, 0.7, 0.72, 0.74, 0.76, 0.8, 0.85, 0.9]
/** What may be one word or two. */
const PAIRS = new Set('voice mail,mail box,touch tone,key pad,key words,play back,file name,set up,log in'.split(','))

interface Heard {
  word: string
  confidence: number
  wrong: boolean
}

const [model = 'moonshine-base-en', decoder = 'beam_search'] = process.argv.slice(2)
process.env.ORT_DISABLE_TELEMETRY = '1'
const { folder, texts } = fetchPrompts()
const names = [...texts.keys()].filter((name) => existsSync(join(folder, `${name}.wav`))).sort()
const engine = await load({ ASR_MODEL: model, DECODER: decoder } as EngineConfig)
const halves: [one: Heard[], other: Heard[]] = [[], []]
for (const [n, name] of names.entries()) {
  halves[(n % 2) as 0 | 1].push(...judge(words(texts.get(name)!), await hear(join(folder, `${name}.wav`))))
}
const [one, other] = halves
for (const threshold of THRESHOLDS)
  console.log(`below ${threshold}: ${say(one, threshold)}; other half: ${say(other, threshold)}`)

/** The words of a file as they sound, each as sure as the one that it was told in. */
async function hear(file: string): Promise<Heard[]> {
  const recognition = engine.recognise(decoder as Decoder, new AbortController().signal, 1)
  const phrases = [...(await recognition.accept([decode(file)])), ...(await recognition.finish())]
  const heard = phrases
    .flatMap((piece) => phrasesOf(piece.words))
    .flatMap((phrase) => {
      const whole = phrase.reduce((sum, { confidence }) => sum + (confidence ?? 1), 0) / phrase.length
      return phrase.flatMap(({ text, confidence }) =>
        words(text).map((word) => ({ word, confidence: certaintyOf(confidence ?? 1, whole), wrong: false })),
      )
    })
  return heard.flatMap((one, n) => {
    const [before, next] = [heard[n - 1], heard[n + 1]]
    if (before && PAIRS.has(`${before.word} ${one.word}`)) return []
    if (!next || !PAIRS.has(`${one.word} ${next.word}`)) return [one]
    return [{ ...one, word: one.word + next.word, confidence: Math.min(one.confidence, next.confidence) }]
  })
}

/** Marks what was heard wrong: what the shortest way from one text to the other replaces or drops (Levenshtein). */
function judge(expected: string[], heard: Heard[]): Heard[] {
  const costs = [expected.map((_, n) => n)]
  costs[0]!.push(expected.length)
  for (const [i, { word }] of heard.entries()) {
    const [above, row] = [costs[i]!, [i + 1]]
    expected.forEach((other, j) =>
      row.push(Math.min(above[j + 1]! + 1, row[j]! + 1, above[j]! + (word === other ? 0 : 1))),
    )
    costs.push(row)
  }
  const judged: Heard[] = []
  let [i, j] = [heard.length, expected.length]
  while (i > 0) {
    const one = heard[i - 1]!
    const same = j > 0 && one.word === expected[j - 1]
    if (j > 0 && costs[i]![j] === costs[i - 1]![j - 1]! + (same ? 0 : 1)) {
      judged.push({ ...one, wrong: !same })
      i--
      j--
    } else if (j > 0 && costs[i]![j] === costs[i]![j - 1]! + 1) j--
    else {
      judged.push({ ...one, wrong: true })
      i--
    }
  }
  return judged
}

function say(heard: Heard[], threshold: number): string {
  const marked = heard.filter(({ confidence }) => confidence < threshold)
  const others = heard.filter(({ confidence }) => confidence >= threshold)
  const share = (some: Heard[]) =>
    ((100 * some.filter(({ wrong }) => wrong).length) / Math.max(1, some.length)).toFixed(1)
  return `${marked.length} of ${heard.length} marked, ${share(marked)} % of them wrong, ${share(others)} % of the others`
}
