import { judgeCall } from '../check/rules/judge-call.ts'
import type { Dialogue, RuleFinding, PhrasesByLanguage, Rule, RuleSetBody } from '../check/rules/types.ts'

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** Fields of a rule; all fields except `kind` are optional. */
export type TestRuleFields = Frozen<Partial<Rule> & Pick<Rule, 'kind'>>

/** Creates phrases that have only a Russian text. */
export const makeRussianPhrases = (...phrases: string[]): PhrasesByLanguage => ({ ru: phrases })

/**
 * Creates a dialogue from texts such as `A: …` (agent) and `C: …` (client), each ten seconds long, or from tuples with start, end
 * and text.
 */
export function makeDialogue(...turns: (string | [number, number, string])[]): Dialogue {
  const segments = turns.map((turn, index) => {
    const [start, end, text] = typeof turn === 'string' ? [index * 10, index * 10 + 10, turn] : turn
    return { channel: text.startsWith('A:') ? 0 : 1, start, end, text: text.slice(3) }
  })
  const durationSeconds = segments.reduce((latest, { end }) => Math.max(latest, end), 0)
  return { segments, channels: 2, agentChannel: 0, direction: 'INBOUND', durationSeconds }
}

/** Moves all segments to one channel, so that the side of the agent is unknown. */
export const toMonoDialogue = (dialogue: Dialogue): Dialogue => ({
  ...dialogue,
  channels: 1,
  agentChannel: null,
  segments: dialogue.segments.map((segment) => ({ ...segment, channel: 0 })),
})

/** Creates a rule set that scores calls by these rules, each with ten points by default. */
export const makeScoreRuleSet = (...rules: TestRuleFields[]): RuleSetBody => ({
  key: 'set',
  name: { en: 'Set', ru: 'Набор' },
  mode: 'score',
  rules: rules.map((rule, index) => ({
    key: `rule-${index}`,
    name: { en: `Rule ${index}`, ru: `Правило ${index}` },
    weight: 10,
    ...(rule as Partial<Rule> & Pick<Rule, 'kind'>),
  })),
})

/** Checks a dialogue by one rule and returns its finding. */
export async function judgeRule(rule: TestRuleFields, dialogue: Dialogue): Promise<RuleFinding> {
  const { findings } = await judgeCall(makeScoreRuleSet(rule), dialogue)
  return findings[0]!
}

/**
 * Finds the quote of a phrase in one line of the agent; undefined if the phrase does not match.
 * @param except phrases that exclude a match
 */
export async function findPhraseQuote(
  phrase: string,
  text: string,
  except?: PhrasesByLanguage,
): Promise<string | undefined> {
  const rule = { kind: 'said', any: { ru: [phrase] }, ...(except ? { except } : {}) } as const
  const { evidence } = await judgeRule(rule, makeDialogue(`A: ${text}`))
  return evidence[0]?.quote
}

/** Counts the turns of the event loop during some work, to prove that the work yields. */
export async function countEventLoopTurns(work: Promise<unknown>): Promise<number> {
  let [turns, running] = [0, true]
  const count = (): void => {
    turns++
    if (running) setImmediate(count)
  }
  setImmediate(count)
  await work
  running = false
  return turns
}
