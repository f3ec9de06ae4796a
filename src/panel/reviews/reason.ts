import type { PendingReviewJson } from '../../check/reviews/schema.ts'
import type { VerdictReason } from '../../check/rules/types.ts'
import type { Language } from '../frame/i18n.ts'
import { formatVerdictReason } from '../recording/verdict-reason.ts'

type ReasonedReview = Pick<PendingReviewJson, 'whyCode' | 'rule' | 'why' | 'phrases' | 'evidence' | 'context'>

/** Explains a verdict with the phrases of its rule, the searched part of the call and its quotes. */
export function formatPendingVerdictReason(review: ReasonedReview, language: Language): string | null {
  const { phrases, rule } = review
  const { words, format } = language
  const t = words.reviews.why
  const why = review.whyCode as VerdictReason | null
  if (why === null) return review.why
  const examples = phrases ? formatExamples(review, language) : ''
  if (rule.kind === 'reply' && (why.code === 'found' || why.code === 'noReply'))
    return formatReply(review, why, examples, language)
  const isPlainMiss = why.code === 'notFound' && why.needed === undefined
  if (phrases && examples && (isPlainMiss || (why.code === 'found' && why.count === 0))) {
    const window = 'from' in why ? t.in(`${format.length(why.from)}–${format.length(why.to)}`) : ''
    return t.noneSaid(phrases.count, format.number(phrases.count), examples, t.by[phrases.side], window)
  }
  const reason = formatVerdictReason(why, rule.kind, language) ?? formatQuote(review, language)
  // The quote of a forbidden phrase suffices.
  const searched =
    phrases && examples && why.code !== 'forbidden' && t.searched(phrases.count, format.number(phrases.count), examples)
  return [reason, searched].filter(Boolean).join(' ') || null
}

/** Explains the verdict on an answer: the words before it, then the answer or the expected ones and where they were searched. */
function formatReply(
  { evidence, phrases, context }: ReasonedReview,
  why: Extract<VerdictReason, { code: 'found' | 'noReply' }>,
  examples: string,
  { words, format }: Language,
): string {
  const t = words.reviews.why
  const [occasion, ...others] = evidence
  const answer = others.at(-1)
  const { count = 0 } = phrases ?? {}
  const sentences = [occasion && t.occasion[occasion.side](format.length(occasion.start), occasion.quote)]
  if (why.code === 'noReply') {
    const { from, to } = context?.searched ?? why
    sentences.push(t.noAnswer(count, format.number(count), examples, `${format.length(from)}–${format.length(to)}`))
  } else {
    sentences.push(
      answer && t.answer(format.length(answer.start), answer.quote),
      t.answers(count, format.number(count), examples),
    )
  }
  return sentences.filter(Boolean).join(' ')
}

function formatQuote({ evidence: [quote] }: ReasonedReview, { words, format }: Language): string | null {
  return quote ? words.reviews.why.said(quote.quote, format.length(quote.start)) : null
}

/**
 * Formats example phrases in the language of the call, without the marks and alternatives of the rule: “my name is” or
 * “this is … from”.
 */
function formatExamples({ phrases, context }: ReasonedReview, { words, code }: Language): string {
  const text = context?.lines.map((line) => line.text).join(' ') ?? ''
  const spoken = text === '' ? code : /[а-яё]/i.test(text) ? 'ru' : 'en'
  const { examples } = phrases!
  const shown = examples[spoken].length > 0 ? examples[spoken] : [...examples.en, ...examples.ru]
  const plain = shown.map((phrase) => phrase.replaceAll(/"|\/[^\s/"]+/g, '').replaceAll(/\{[^{}]+\}/g, '…'))
  return plain.map(words.reviews.why.quote).join(words.reviews.why.or)
}
