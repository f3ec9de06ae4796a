/**
 * How the shipped rules agree with a reader: bench/check-dialogues holds calls that were judged from the rules' names alone.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judge } from '../src/check/rules/judge.ts'
import { SHIPPED } from '../src/check/rules/shipped.ts'
import type { Dialogue, Piece, RuleSetBody, Verdict } from '../src/check/rules/types.ts'
import { verdict } from './support.ts'

/** A call and what a reader says of it. */
interface Judged {
  language: 'en' | 'ru'
  direction: 'INBOUND' | 'OUTBOUND'
  turns: ['agent' | 'client', string][]
  verdicts: Record<string, Verdict>
  labels: string[]
}

/** How often machine and reader say what: of verdicts `met` is the positive one. */
interface Counts {
  same: number
  all: number
  both: number
  machine: number
  reader: number
}

const FOLDER = 'bench/check-dialogues'
/** Words a second, and seconds between two turns: as people speak on the telephone. */
const [PACE, PAUSE] = [2.5, 0.3]

/** A call as the recognizer would bring it, with times as long as its words. */
export function dialogueOf({ turns, direction }: Pick<Judged, 'turns' | 'direction'>): Dialogue {
  const segments: Piece[] = []
  let at = 1
  for (const [side, text] of turns) {
    const end = at + text.split(' ').length / PACE
    segments.push({ channel: side === 'agent' ? 0 : 1, start: at, end, text })
    at = end + PAUSE
  }
  return { segments, channels: 2, agentChannel: 0, direction, durationSeconds: Math.ceil(at) }
}

export const readJudged = (): (Judged & { key: string })[] =>
  readdirSync(FOLDER)
    .sort()
    .map((name) => ({
      key: name.replace('.json', ''),
      ...(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Judged),
    }))

/** Prints agreement over all and precision and recall of each rule; `details` also prints where they differ. */
export async function measureQuality(details = false): Promise<void> {
  const rules = new Map<string, Counts>()
  const labels = new Map<string, Counts>()
  for (const call of readJudged()) {
    const dialogue = dialogueOf(call)
    for (const set of SHIPPED.filter(({ applies }) => applies?.direction?.includes(call.direction))) {
      const { findings } = await judge(set, dialogue)
      const isLabel = set.mode === 'label'
      for (const { rule, verdict: machine, evidence } of findings) {
        const reader = isLabel ? (call.labels.includes(rule) ? 'met' : 'missed') : call.verdicts[rule]
        if (!reader) continue // what is measured (the share of speech) no reader judges
        count(isLabel ? labels : rules, isLabel ? rule : `${direction(set)}${rule}`, machine, reader)
        if (details && machine !== reader)
          console.log(
            call.key,
            set.key,
            rule,
            `reader ${reader}, rules ${machine}`,
            evidence.map(({ quote }) => quote),
          )
      }
    }
  }
  print('rule', rules)
  print('label', labels)
  verdict('agreement of verdicts with a reader', share(rules), { atLeast: 90 }, ' %')
  verdict('agreement of labels with a reader', share(labels), { atLeast: 90 }, ' %')
}

const direction = ({ key }: RuleSetBody): string => (key.startsWith('incoming') ? 'in: ' : 'out: ')

function count(counts: Map<string, Counts>, key: string, machine: Verdict, reader: Verdict): void {
  const of = counts.get(key) ?? { same: 0, all: 0, both: 0, machine: 0, reader: 0 }
  counts.set(key, of)
  of.all++
  if (machine === reader) of.same++
  if (machine === 'met') of.machine++
  if (reader === 'met') of.reader++
  if (machine === 'met' && reader === 'met') of.both++
}

const share = (counts: Map<string, Counts>): number => {
  const all = [...counts.values()]
  return (100 * all.reduce((sum, { same }) => sum + same, 0)) / all.reduce((sum, of) => sum + of.all, 0)
}

function print(what: string, counts: Map<string, Counts>): void {
  console.log(`\n| ${what} | calls | agreement | precision | recall |\n| --- | ---: | ---: | ---: | ---: |`)
  const ratio = (part: number, whole: number): string => (whole > 0 ? (part / whole).toFixed(2) : '–')
  for (const [key, { same, all, both, machine, reader }] of counts)
    console.log(`| ${key} | ${all} | ${ratio(same, all)} | ${ratio(both, machine)} | ${ratio(both, reader)} |`)
}
