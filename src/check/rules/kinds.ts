import { readNumber } from './numbers.ts'
import { afterOneOf, anchorsOf, follows, linesOf, searchWindow, windowOf, type Context, type Timed } from './search.ts'
import type { Rule, Verdict, Why } from './types.ts'
import { SENTENCE } from './words.ts'

/** A verdict with what proves it, before the quotes are cut out. */
export interface Outcome {
  verdict: Verdict
  why: Why
  found: Timed[]
}

export const outcome = (verdict: Verdict, why: Why, found: Timed[] = []): Outcome => ({ verdict, why, found })

export const speakersUnknown = (): Outcome => outcome('unknown', { code: 'speakersUnknown' })

/** said and asked: phrases often enough, after what they shall come after, and something of each group of `all`. */
export async function judgeSaid(context: Context, rule: Rule): Promise<Outcome> {
  const lines = linesOf(context.talk, rule, rule.side)
  const anchors = rule.after ? await anchorsOf(context, rule) : []
  if (!lines || !anchors) return speakersUnknown()
  if (rule.after && anchors.length === 0) return withoutAnchor(context, rule)
  const inTime = (found: Timed[]): Timed[] => (rule.after ? afterOneOf(anchors, found, rule.after.within) : found)
  const all: Timed[] = []
  for (const group of rule.all ?? []) {
    const found = inTime(await searchWindow(context, rule, lines, group))
    if (found.length === 0) return notFound(context, rule)
    all.push(found[0]!)
  }
  const found = inTime(rule.any ? await searchWindow(context, rule, lines, rule.any) : [])
  const counted = rule.kind === 'asked' ? questionsOf(found) : found
  const needed = rule.any ? (rule.min ?? 1) : 0
  if (counted.length < needed) return notFound(context, rule, counted, needed > 1 ? needed : undefined)
  if (rule.max !== undefined && counted.length > rule.max)
    return outcome('missed', { code: 'measured', value: counted.length, min: rule.min ?? null, max: rule.max }, counted)
  return outcome('met', { code: 'found', count: counted.length + all.length }, [...all, ...counted])
}

function withoutAnchor(context: Context, rule: Rule): Outcome {
  return rule.na === 'anchor' ? outcome('not_applicable', { code: 'noAnchor' }) : notFound(context, rule)
}

function notFound({ talk }: Context, rule: Rule, found: Timed[] = [], needed?: number): Outcome {
  const why: Why = { code: 'notFound', ...windowOf(talk, rule) }
  return outcome('missed', needed === undefined ? why : { ...why, found: found.length, needed }, found)
}

const AND = new Set(['и', 'а', 'или', 'and', 'or', 'but'])
/** Words between two finds of one question, as in «подскажите, пожалуйста, какой вас интересует». */
const WITHIN_QUESTION = 4

/** Finds that belong to different questions: another sentence, further away, or after «и». */
function questionsOf(found: Timed[]): Timed[] {
  const questions: Timed[] = []
  let last: Timed | undefined
  for (const next of found) {
    if (!last || isOtherQuestion(last, next)) questions.push(next)
    if (!last || last.match.line !== next.match.line || next.match.last > last.match.last) last = next
  }
  return questions
}

function isOtherQuestion({ match: before }: Timed, { match: next }: Timed): boolean {
  if (before.line !== next.line || next.first - before.last > WITHIN_QUESTION + 1) return true
  const between = before.line.tokens.slice(before.last + 1, next.first + 1)
  return between.some(
    (token, index) => token.before === SENTENCE || (index < between.length - 1 && AND.has(token.word)),
  )
}

/** Not even once. */
export async function judgeNotSaid(context: Context, rule: Rule): Promise<Outcome> {
  const lines = linesOf(context.talk, rule, rule.side)
  const anchors = rule.after ? await anchorsOf(context, rule) : []
  if (!lines || !anchors) return speakersUnknown()
  if (rule.after && anchors.length === 0 && rule.na === 'anchor') return withoutAnchor(context, rule)
  const said = await searchWindow(context, rule, lines, rule.any)
  const found = rule.after ? afterOneOf(anchors, said, rule.after.within) : said
  return found.length > 0
    ? outcome('missed', { code: 'forbidden', count: found.length }, found)
    : outcome('met', { code: 'found', count: 0 })
}

/** The other speaker says it soon after one of the anchors; else the anchors are shown. */
export async function judgeReply(context: Context, rule: Rule): Promise<Outcome> {
  const lines = linesOf(context.talk, rule, rule.side)
  const anchors = lines && (await anchorsOf(context, rule))
  if (!lines || !anchors) return speakersUnknown()
  if (anchors.length === 0) return withoutAnchor(context, rule)
  const found = await searchWindow(context, rule, lines, rule.any)
  const several = context.talk.lines.length > 1
  let next = 0
  for (const anchor of anchors) {
    while (next < found.length && found[next]!.start < anchor.start) next++
    for (let at = next; at < found.length && found[at]!.start <= anchor.end + (rule.after?.within ?? Infinity); at++) {
      const reply = found[at]!
      if (several && reply.match.line === anchor.match.line) continue
      if (follows(anchor, reply, rule.after?.within))
        return outcome('met', { code: 'found', count: 1 }, [anchor, reply])
      if (at - next > 50) break
    }
  }
  const within = rule.after?.within ?? null
  return outcome('missed', { code: 'noReply', within, ...windowOf(context.talk, rule) }, anchors)
}

/** Something of each group, each after the one before: all that each step can reach is kept, for the first may lead nowhere. */
export async function judgeOrder(context: Context, rule: Rule): Promise<Outcome> {
  const lines = linesOf(context.talk, rule, rule.side)
  if (!lines) return speakersUnknown()
  const within = rule.after?.within
  const reached: Timed[][] = []
  for (const [index, group] of (rule.all ?? []).entries()) {
    const found = await searchWindow(context, rule, lines, group)
    const before = reached.at(-1)
    const next = before ? afterOneOf(before, found, within) : found
    if (next.length === 0) {
      const why: Why = { code: 'notInOrder', step: index + 1, ...windowOf(context.talk, rule) }
      return outcome('missed', why, chainOf(reached, within))
    }
    reached.push(next)
  }
  return outcome('met', { code: 'found', count: reached.length }, chainOf(reached, within))
}

/** The steps that lead to the first of those that were reached last. */
function chainOf(reached: Timed[][], within: number | undefined): Timed[] {
  const chain = reached.at(-1)?.slice(0, 1) ?? []
  for (const step of reached.slice(0, -1).toReversed())
    chain.unshift(step.find((anchor) => follows(anchor, chain[0]!, within))!)
  return chain
}

/** Words between a phrase and the number that belongs to it. */
const NEAR = 5
/** Words of the longest number anybody says. */
const LONGEST_NUMBER = 12

/** A number in the place of the slot of a phrase, or near one without a slot, between min and max. */
export async function judgeNumber(context: Context, rule: Rule): Promise<Outcome> {
  const lines = linesOf(context.talk, rule, rule.side)
  const anchors = rule.after ? await anchorsOf(context, rule) : []
  if (!lines || !anchors) return speakersUnknown()
  const said = await searchWindow(context, rule, lines, rule.any)
  const found = rule.after ? afterOneOf(anchors, said, rule.after.within) : said
  const numbers = found.flatMap((timed) => {
    const value = timed.match.number ?? numberNear(timed)
    return value === undefined ? [] : [{ timed, value }]
  })
  if (numbers.length === 0) return withoutAnchor(context, rule)
  const [min, max] = [rule.min ?? -Infinity, rule.max ?? Infinity]
  const right = numbers.filter(({ value }) => value >= min && value <= max)
  const why: Why = {
    code: 'measured',
    value: (right[0] ?? numbers[0]!).value,
    min: rule.min ?? null,
    max: rule.max ?? null,
  }
  const shown = right.length > 0 ? right : numbers
  return outcome(
    right.length > 0 ? 'met' : 'missed',
    why,
    shown.map(({ timed }) => timed),
  )
}

/** The nearest number of the same stretch of speech, behind the phrase before one in front of it. */
function numberNear({ match: { line, first, last } }: Timed): number | undefined {
  const { tokens } = line
  const isNumber = (at: number): boolean =>
    tokens[at]?.run === tokens[first]!.run && tokens[at].slots.includes('{number}')
  for (let at = last + 1; at <= last + NEAR; at++) if (isNumber(at)) return readNumber(tokens, at)?.value
  for (let at = first - 1; at >= first - NEAR; at--)
    if (isNumber(at)) {
      let begin = at
      while (isNumber(begin - 1) && at - begin < LONGEST_NUMBER) begin--
      return readNumber(tokens, begin)?.value
    }
  return undefined
}
