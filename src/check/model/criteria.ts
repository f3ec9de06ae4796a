import { windowOf } from '../rules/search.ts'
import { spanOf } from '../rules/talk.ts'
import type { Dialogue, Language, Phrases, Rule } from '../rules/types.ts'

/** Of each list of phrases so many are told: what is meant is plain by then. */
const EXAMPLES = 8

/** What a criterion is written for: the call, the rules that it may come after, and the language of its phrases. */
interface Setting {
  dialogue: Dialogue
  rules: Rule[]
  language: Language
}

/** A rule as a model is asked of it, in plain words: all that the words' judge goes by, so that both judge the same. */
export function criterionOf(rule: Rule, setting: Setting) {
  const { key, name, hint, kind, side = 'any', na, critical } = rule
  const { language, dialogue } = setting
  const examples = phrasesIn(language)
  const where = windowInWords(rule, dialogue)
  const except = examples(rule.except)
  const occasion = rule.after && kind !== 'order' ? occasionOf(rule, setting) : undefined
  const conditions = [
    coreOf(rule, language),
    where && `Only what is said ${where} counts.`,
    occasion && `Only what comes after this counts: ${occasion}${soonEnough(rule)}.`,
    except && `These words do not count: ${except}.`,
  ]
  return {
    id: key,
    question: hint?.[language] ?? name[language],
    metWhen: conditions.filter(Boolean).join(' '),
    missedWhen: missedWhen(rule, where),
    ...(na === 'anchor' && {
      naWhen: occasion ? 'what it must come after was not said' : 'the call gave no occasion for it',
    }),
    side,
    ...(critical && { critical }),
  }
}

/** The phrases that are told of a list, in one language. */
const phrasesIn =
  (language: Language) =>
  (phrases: Phrases | undefined): string =>
    (phrases?.[language] ?? []).slice(0, EXAMPLES).join('; ')

function coreOf({ kind, any, all = [], after, min, max }: Rule, language: Language): string {
  const examples = phrasesIn(language)
  const like = examples(any) && ` (for example: ${examples(any)})`
  const groups = all.map((group, n) => `${n + 1}) ${examples(group)}`).join(', ')
  if (kind === 'notSaid') return `nothing like this is said${like}.`
  if (kind === 'order') {
    const within = after?.within === undefined ? '' : `, each at most ${after.within} seconds after the one before`
    return `each of these steps is said in these or other words, one after the other in this order${within}: ${groups}. Quote the last step.`
  }
  if (kind === 'reply') return `the other speaker answers it in these or other words${like}.`
  const times = [(min ?? 1) > 1 && ` at least ${min} times`, max !== undefined && ` at most ${max} times`]
    .filter(Boolean)
    .join(' and')
  const questions = kind === 'asked' && times ? ', in different questions' : ''
  if (any === undefined && groups)
    return `something of each of these groups is said, in these or other words: ${groups}.`
  return `it is said${times}${questions}, in these or other words${like}${groups && `, and something of each of these groups: ${groups}`}.`
}

function missedWhen({ kind, na, after }: Rule, where: string | undefined): string {
  if (kind === 'notSaid') return `it is said${where ? ' there' : ''}: quote it`
  if (kind === 'order') return 'a step is not said, or not in its place'
  const not = `${kind === 'reply' ? 'it is not answered so' : 'it is not said'}${where ? ' there' : ''}`
  return after && na !== 'anchor' ? `${not}, or nothing gave occasion for it` : not
}

/** What must have been said before, by phrases or by the rule that finds it. */
function occasionOf({ side, after }: Rule, { rules, language }: Setting): string {
  const { any, side: speaker = side === 'agent' ? 'client' : 'any', rule: key } = after!
  if (key === undefined) return `${SPEAKERS[speaker]} says something like: ${phrasesIn(language)(any)}`
  const other = rules.find((one) => one.key === key)
  return `what this asks for: ${other?.hint?.[language] ?? other?.name[language] ?? key}`
}

const SPEAKERS = { agent: 'the agent', client: 'the client', any: 'somebody' }

const soonEnough = ({ after }: Rule): string =>
  after?.within === undefined ? '' : `, and at most ${after.within} seconds after it`

/** The times in which a rule looks, and the lines that they fall into: a model sees no clock. */
export function windowInWords(rule: Rule, dialogue: Dialogue): string | undefined {
  const { first, last } = rule.window ?? {}
  if (first === undefined && last === undefined) return undefined
  const { from, to } = windowOf(spanOf(dialogue), rule)
  const lines = dialogue.segments.flatMap(({ start, end }, index) => (end >= from && start <= to ? [index] : []))
  const times = [
    first !== undefined && `the first ${first} seconds after the first word`,
    last !== undefined && `the last ${last} seconds before the last word`,
  ]
  return `within ${times.filter(Boolean).join(' and ')} (lines ${lines[0]} to ${lines.at(-1)})`
}

/** Whether any of the rules counts seconds between two lines, so that a model must know when each begins. */
export const countSeconds = (rules: Rule[]): boolean => rules.some(({ after }) => after?.within !== undefined)
