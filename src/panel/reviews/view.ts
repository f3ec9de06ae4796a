import type { RuleAgreementJson, PendingReviewJson } from '../../check/reviews/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { formatMomentHref, PLAYBACK_LEAD_SECONDS } from '../frame/playback-links.ts'
import { getScoreBand, type ScoreBandLimits } from '../frame/score-bands.ts'
import { formatReviewEntry } from '../recording/check.ts'
import { formatPendingVerdictReason } from './reason.ts'

interface ViewOptions {
  personId: string
  mayListen: boolean
  agreement: RuleAgreementJson[]
  /** Ids of the rule sets that the person can edit. */
  editableSets: Set<string>
  bands: ScoreBandLimits
  language: Language
}

/** Builds a verdict to review: the rule, the quoted part of the call, and the effect on the score. */
export function buildReviewFinding(review: PendingReviewJson, options: ViewOptions) {
  const { words, format, code } = options.language
  const t = words.reviews
  const { id, rule, verdict, machineVerdict, reason, recording, ruleSet, context, phrases } = review
  const name = rule.name[code]
  const at = context && Math.max(0, context.start - PLAYBACK_LEAD_SECONDS)
  const dispute = review.reviews.findLast(({ kind }) => kind === 'dispute')
  const mayPlay = options.mayListen && recording.hasAudio
  const defaultReason = reason === 'disputed' ? 'disputed' : mayPlay ? 'heard' : 'read'
  const managerName = recording.managerName ?? format.phone(recording.phoneNumber)
  return {
    id,
    key: [recording.id, id, verdict, review.reviews.length].join('/'),
    action: `/reviews/${recording.id}/${id}`,
    known: review.reviews.length,
    rule: name,
    reason: { code: reason ?? 'decided', text: reason ? t.reasons[reason] : words.recording.check.verdicts[verdict]! },
    verdict,
    call: context ? formatMomentHref(recording.id, context.start) : `/recordings/${recording.id}`,
    manager: managerName ?? words.recording.title,
    callAt: { iso: recording.callAt, text: format.shortTime(recording.callAt) },
    about: [ruleSet.name[code], formatPoints(review, options.language)].filter(Boolean),
    effect: buildEffect(review, options),
    isSilent: options.mayListen && !recording.hasAudio,
    audio: mayPlay && `/recordings/${recording.id}/playback#t=${at ?? 0}`,
    waveform: `/reviews/waveforms/${recording.id}`,
    at: at ?? 0,
    seconds: recording.durationSeconds,
    length: recording.durationSeconds === null ? '–:––' : format.length(recording.durationSeconds),
    marks: buildMarks(review, options.language),
    lines: buildLines(review, options.language),
    searched: buildSearchedLink(review),
    dispute:
      dispute && reason === 'disputed'
        ? {
            by: t.disputesIt(dispute.person.name),
            text: dispute.comment,
            iso: dispute.at,
            time: format.shortTime(dispute.at),
          }
        : null,
    whyTitle: machineVerdict === 'met' ? t.whyMet : machineVerdict === 'missed' ? t.whyMissed : t.whyOther,
    why: formatPendingVerdictReason(review, options.language),
    phrasesHref:
      phrases &&
      options.editableSets.has(ruleSet.id) &&
      `/rule-sets/${ruleSet.id}/draft/rules/${encodeURIComponent(rule.key)}`,
    corrected: formatCorrected(review, options),
    buttons: (['met', 'missed', 'not_applicable'] as const).map((one) => ({
      verdict: one,
      key: { met: 'y', missed: 'n', not_applicable: null }[one],
      text: one === verdict ? t.keep[one]! : t.change[one]!,
    })),
    commentLabel: recording.managerName ? t.comment(recording.managerName) : t.commentForNobody,
    defaultReason,
    prefilled: t.prefilled(t.defaultReasons[defaultReason]),
    canUndo: reason === null && isOwnDecision(review, options.personId),
    history: buildHistory(review, options.language),
  }
}

/** Only the last decision can be undone, by the person who made it. */
function isOwnDecision({ reviews }: PendingReviewJson, personId: string): boolean {
  const last = reviews.at(-1)
  return last?.kind === 'verdict' && last.person.id === personId
}

/** Builds the link that shows the whole searched part of the call; null if the lines of the verdict cover it. */
function buildSearchedLink({ id, reason, recording, context }: PendingReviewJson) {
  const { searched, lines = [] } = context ?? {}
  const [first, last] = [lines[0], lines.at(-1)]
  if (!searched || !first || !last || (first.start <= searched.from && last.end >= searched.to)) return null
  return {
    href: formatMomentHref(recording.id, searched.from),
    lines: `/reviews/searched/${id}${reason === null ? '?reason=decided' : ''}`,
  }
}

function formatPoints({ rule, reason }: PendingReviewJson, { words, format }: Language): string | null {
  const t = words.recording.check
  // The badge already says it.
  if (rule.critical) return reason === 'critical' ? null : t.critical
  return rule.weight > 0 ? t.weight(rule.weight, format.number(rule.weight)) : null
}

/** Formats the score for either decision; empty if the score does not depend on it. */
function buildEffect({ score }: PendingReviewJson, { language: { words, format }, bands }: ViewOptions) {
  const t = words.reviews
  if (!score || score.ifMet === score.ifMissed) return []
  const build = (value: number | null) => ({
    text: value === null ? t.noScore : format.number(value),
    band: value === null ? '' : `score-${getScoreBand(value, bands)}`,
  })
  return [
    { ...build(score.ifMet), after: t.ifMet },
    { ...build(score.ifMissed), after: t.ifMissed },
  ]
}

/** Positions the quoted sentence and the searched part on the waveform, in thousandths of the call. */
function buildMarks({ context, recording: { durationSeconds } }: PendingReviewJson, { words, format }: Language) {
  if (!context || !durationSeconds) return null
  const scale = (seconds: number) => Math.round(Math.min(1, seconds / durationSeconds) * 1000)
  const span = (from: number, to: number) => ({ x: scale(from), width: Math.max(4, scale(to) - scale(from)) })
  return {
    moment: span(context.start, context.end),
    searched: context.searched && {
      ...span(context.searched.from, context.searched.to),
      text: words.reviews.searched(`${format.length(context.searched.from)}–${format.length(context.searched.to)}`),
      // A label that begins late would not fit, so it ends where the bracket does.
      isLate: context.searched.from > durationSeconds / 2,
    },
  }
}

/** Builds the lines of the transcript, with all quotes marked. */
export function buildLines({ context, evidence }: PendingReviewJson, { words, format }: Language) {
  const { agent, client } = words.recording.sides
  return (context?.lines ?? []).map(({ segment, start, side, text }) => ({
    at: start,
    time: format.length(start),
    isSentence: segment === context!.sentence,
    side: { agent: { kind: 'c0', name: agent }, client: { kind: 'c1', name: client }, unknown: null }[side],
    pieces: markQuotes(
      text,
      evidence.filter((quote) => quote.segment === segment),
    ),
  }))
}

/** Splits a text into quoted parts and the parts between them. */
function markQuotes(text: string, quotes: PendingReviewJson['evidence']) {
  const pieces: { text: string; isQuote: boolean }[] = []
  let end = 0
  for (const { from, to } of quotes.toSorted((a, b) => a.from - b.from)) {
    if (from < end) continue
    pieces.push({ text: text.slice(end, from), isQuote: false }, { text: text.slice(from, to), isQuote: true })
    end = to
  }
  return [...pieces, { text: text.slice(end), isQuote: false }]
}

function formatCorrected({ ruleSet, rule }: PendingReviewJson, { agreement, language }: ViewOptions): string | null {
  const found = agreement.find((one) => one.ruleSet.id === ruleSet.id && one.rule === rule.key)
  if (!found) return null
  const { words, format } = language
  return words.reviews.corrected(format.number(found.judged - found.agreed), format.number(found.judged))
}

function buildHistory({ ruleSet, machineVerdict, checkedAt, reviews }: PendingReviewJson, language: Language) {
  const { words, format, code } = language
  const verdict = words.recording.check.verdicts[machineVerdict]!
  const checked = words.reviews.history.checked(ruleSet.name[code], format.number(ruleSet.version), verdict)
  return [
    { text: checked, comment: null, iso: checkedAt, time: format.shortTime(checkedAt) },
    ...reviews.map((one) => formatReviewEntry(one, language)),
  ]
}
