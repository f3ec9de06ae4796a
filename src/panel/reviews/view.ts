import type { RuleAgreementJson, PendingReviewJson } from '../../check/reviews/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { getScoreBand, type ScoreBandLimits } from '../frame/score-bands.ts'
import { formatReviewEntry } from '../recording/check.ts'
import { formatPendingVerdictReason } from './reason.ts'

/** Playback starts 1.5 s before the quoted sentence. */
const LEAD_SECONDS = 1.5

interface ViewOptions {
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
  const { id, rule, verdict, reason, recording, ruleSet, context, phrases } = review
  const name = rule.name[code]
  const at = context && Math.max(0, context.start - LEAD_SECONDS)
  const dispute = review.reviews.findLast(({ kind }) => kind === 'dispute')
  const managerName = recording.managerName ?? format.phone(recording.phoneNumber)
  return {
    id,
    key: [recording.id, id, verdict, review.reviews.length].join('/'),
    action: `/reviews/${recording.id}/${id}`,
    known: review.reviews.length,
    rule: name,
    reason: { code: reason, text: t.reasons[reason] },
    verdict,
    call: `/recordings/${recording.id}${context ? `?t=${Math.floor(at!)}` : ''}`,
    manager: managerName ?? words.recording.title,
    callAt: { iso: recording.callAt, text: format.shortTime(recording.callAt) },
    about: [ruleSet.name[code], formatPoints(review, options.language)].filter(Boolean),
    effect: buildEffect(review, options),
    isSilent: options.mayListen && !recording.hasAudio,
    audio: options.mayListen && recording.hasAudio && `/recordings/${recording.id}/playback#t=${at ?? 0}`,
    waveform: `/reviews/waveforms/${recording.id}`,
    at: at ?? 0,
    seconds: recording.durationSeconds,
    length: recording.durationSeconds === null ? '–:––' : format.length(recording.durationSeconds),
    marks: buildMarks(review, options.language),
    lines: buildLines(review, options.language),
    dispute:
      dispute && reason === 'disputed'
        ? {
            by: t.disputesIt(dispute.person.name),
            text: dispute.comment,
            iso: dispute.at,
            time: format.shortTime(dispute.at),
          }
        : null,
    whyTitle: verdict === 'met' ? t.whyMet : verdict === 'missed' ? t.whyMissed : t.whyOther,
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
    prefilled: t.prefilled(reason === 'disputed' ? t.reasonOfDispute : t.reasonOfListening),
    history: buildHistory(review, options.language),
  }
}

function formatPoints({ rule }: PendingReviewJson, { words, format }: Language): string | null {
  const t = words.recording.check
  if (rule.critical) return t.critical
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

function buildLines({ context, evidence: [quote] }: PendingReviewJson, { words, format }: Language) {
  const { agent, client } = words.recording.sides
  return (context?.lines ?? []).map(({ segment, start, side, text }) => {
    const isSentence = segment === context!.sentence
    const marked = isSentence && quote?.segment === segment ? quote : { from: 0, to: 0 }
    return {
      at: start,
      time: format.length(start),
      isSentence,
      side: { agent: { kind: 'c0', name: agent }, client: { kind: 'c1', name: client }, unknown: null }[side],
      pieces: [text.slice(0, marked.from), text.slice(marked.from, marked.to), text.slice(marked.to)],
    }
  })
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
