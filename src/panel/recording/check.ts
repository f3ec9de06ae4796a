import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import type { LabelPosition } from './chapters.ts'
import { formatPauseReason } from '../frame/pause.ts'
import type { LoggedInPerson } from '../frame/context.ts'
import type { QuoteMark } from './lines.ts'
import { translateDefaultReason } from '../reviews/default-reason.ts'
import { getScoreBand, type ScoreBandLimits } from '../frame/score-bands.ts'
import { PLAYBACK_LEAD_SECONDS } from '../frame/playback-links.ts'
import { buildRuleSetVersionQuery, type RequestedRuleSetVersion } from './rule-set-version.ts'
import { formatVerdictReason } from './verdict-reason.ts'

type FindingJson = AnalysisJson['findings'][number]
type LabelJson = AnalysisJson['labels'][number]
type Evidence = FindingJson['evidence'][number]

/** The open form that reviews or disputes a verdict, with the id of the finding. */
export interface VerdictReviewForm {
  finding: string
  form: FormState
}

/** The check of a call, its requested version, its open form and the limits of the score colours. */
export interface CallCheckParts {
  analysis: AnalysisJson | undefined
  /** The requested version; null for the current result. */
  version: RequestedRuleSetVersion | null
  judging: VerdictReviewForm | null
  bands: ScoreBandLimits
}

interface CheckContext {
  href: string
  mayListen: boolean
  hasText: boolean
  address: (query: Record<string, string | null>) => string
}

/** A finding lists at most this many quotes. */
const MAX_QUOTES = 3

/**
 * Builds the check of a call. Returns null without a check, unless the person can start one or automatic checks are off.
 */
export function buildCallCheckView(
  parts: CallCheckParts,
  context: CheckContext,
  person: LoggedInPerson,
  language: Language,
) {
  const { analysis, version, judging, bands } = parts
  const canJudge = person.role !== 'manager' && person.rights.editRules === true
  const isAutomaticOff = analysis?.reasonCode === 'automaticOff'
  if (!analysis || (analysis.status === 'none' && !(canJudge && context.hasText) && !isAutomaticOff)) return null
  const { status, provider, ruleSet, score, findings } = analysis
  const { words, format } = language
  const t = words.recording.check
  const isMock = provider === 'mock'
  const verb = isMock || version !== null ? null : canJudge ? ('judge' as const) : ('dispute' as const)
  const rows = findings.map((one) => buildFindingRow(one, { context, verb, judging, personId: person.id }, language))
  const rowsWithVerdict = (verdict: string) => rows.filter((row) => row.verdict === verdict)
  const oneChannelCount = findings.filter(
    ({ verdict, whyCode }) => verdict === 'unknown' && isOneChannelReason(whyCode),
  ).length
  return {
    status,
    pending: status === 'queued' || status === 'running',
    state: version !== null ? null : formatCallCheckState(analysis, language),
    isMock,
    isFailed: status === 'failed',
    isShown: provider !== null,
    score: score === null ? null : format.number(Math.round(score)),
    percent: score,
    band: score === null ? '' : `score-${getScoreBand(score, bands)}`,
    notes: formatScoreNotes(analysis, language),
    oneChannel: oneChannelCount > 0 ? t.oneChannel(oneChannelCount, format.number(oneChannelCount)) : null,
    missed: buildRuleGroup('missed', rows, language),
    met: buildRuleGroup('met', rows, language),
    apart: (['unknown', 'not_applicable'] as const).map((verdict) => {
      const rowsApart = rowsWithVerdict(verdict)
      const isOpen = rowsApart.some(({ form }) => form !== null)
      return { rows: rowsApart, title: t.apart[verdict](format.number(rowsApart.length)), isOpen }
    }),
    labels: [...analysis.labels, ...analysis.overturnedLabels].map((label) =>
      buildLabelRow(label, { context, verb, judging, personId: person.id }, language),
    ),
    verb,
    by: [ruleSet && `${ruleSet.name[language.code]}, ${t.version(format.number(ruleSet.version))}`, ruleSet && formatProvider(analysis, language)] // prettier-ignore
      .filter(Boolean)
      .join(' · '),
    usage: formatUsage(analysis, language),
    versions: buildVersionLinks(parts, context, language),
    older: version === null ? null : t.olderVersion(format.number(version.number)),
    current: context.address({}),
    rerun: canJudge && context.hasText && version === null && status !== 'queued' && status !== 'running',
    pin: canJudge && context.hasText && version === null ? { set: ruleSet?.id ?? '' } : null,
    rerunText: status === 'none' ? t.runFirst : t.rerun,
    switchOn: isAutomaticOff && person.role === 'owner',
  }
}

/** Groups the findings with a verdict and sums their points. Missed critical rules come first, then the most points. */
function buildRuleGroup(
  verdict: 'met' | 'missed',
  rows: ReturnType<typeof buildFindingRow>[],
  { words, format }: Language,
) {
  const t = words.recording.check
  const sumWeights = (summed: typeof rows) => summed.reduce((sum, { weight }) => sum + weight, 0)
  const groupRows = rows.filter((row) => row.verdict === verdict)
  const total = sumWeights(rows.filter((row) => row.verdict === 'met' || row.verdict === 'missed'))
  const isCostly = (row: (typeof rows)[number]) => Number(verdict === 'missed' && row.critical)
  return {
    title: t.groups[verdict],
    sum: [
      t.rules(groupRows.length, format.number(groupRows.length)),
      total > 0 && t.pointsOf(format.number(sumWeights(groupRows)), format.number(total)),
    ]
      .filter(Boolean)
      .join(', '),
    rows: groupRows.toSorted((a, b) => isCostly(b) - isCostly(a) || b.weight - a.weight),
  }
}

const isOneChannelReason = (why: FindingJson['whyCode']): boolean => why?.code === 'speakersUnknown'

/** Explains why a check is missing, pending, failed or outdated; null for a completed check by a scored rule set. */
export function formatCallCheckState(analysis: AnalysisJson, language: Language): string | null {
  const { status, reason, reasonCode, pause, provider, ruleSet, outdated } = analysis
  const t = language.words.recording.check
  if (status === 'done' && outdated) return t.corrected
  if (reasonCode === 'tooShort' || reasonCode === 'tooFewWords') return reason
  if (status === 'done') return ruleSet === null ? t.noScoreSet : null
  const state = status === 'skipped' ? null : t.states[status]
  const why = reasonCode ? t.reasons[reasonCode] : status === 'failed' && reason !== null ? reason : '' // prettier-ignore
  return [state, why, pause && formatPauseReason(pause, language), provider !== null && t.earlierStands]
    .filter(Boolean)
    .join(' ')
}

function formatScoreNotes(
  { provider, ruleSet, score, coverage, scoreBeforeCritical, scoreAuto }: AnalysisJson,
  { words, format }: Language,
): string[] {
  const t = words.recording.check
  if (provider === null || ruleSet === null) return []
  const formatWhole = (value: number) => format.number(Math.round(value))
  const notes = [score === null && t.noScore, coverage !== null && t.coverage(formatWhole(coverage))]
  if (scoreBeforeCritical !== null && scoreBeforeCritical !== score) notes.push(t.beforeCritical(formatWhole(scoreBeforeCritical))) // prettier-ignore
  if (scoreAuto !== null && scoreAuto !== score) notes.push(t.byMachine(formatWhole(scoreAuto)))
  return notes.filter((note) => note !== false)
}

function formatProvider({ provider, model }: AnalysisJson, { words }: Language): string {
  return provider === null ? '' : (model ?? words.recording.check.provider[provider] ?? provider)
}

function formatUsage({ usage, cost }: AnalysisJson, { words, format }: Language): string {
  const tokens = usage && words.recording.check.usage(format.number(usage.inputTokens), format.number(usage.outputTokens)) // prettier-ignore
  const money = cost && format.money(cost.amount, cost.currency)
  return [tokens, money].filter(Boolean).join(' · ')
}

/** Links to the versions that judged this call. Returns none for a single version, unless the page shows a requested version. */
function buildVersionLinks(
  { analysis, version }: CallCheckParts,
  { address }: CheckContext,
  { format, code }: Language,
) {
  const { versions, ruleSet } = analysis!
  if (versions.length < 2 && version === null) return []
  const isOneSet = versions.every(({ id }) => id === versions[0]!.id)
  return versions.map(({ id, name, version: number }) => ({
    text: isOneSet ? format.number(number) : `${name[code]} ${format.number(number)}`,
    href: address(buildRuleSetVersionQuery({ number, set: id })),
    current: id === ruleSet?.id && number === ruleSet.version,
  }))
}

interface RowOptions {
  context: CheckContext
  verb: 'judge' | 'dispute' | null
  judging: VerdictReviewForm | null
  personId: string
}

function buildFindingRow(finding: FindingJson, parts: RowOptions, language: Language) {
  const { rule, verdict, whyCode } = finding
  return {
    ...buildCommonRow(finding, rule.name[language.code], parts, language),
    critical: rule.critical,
    weight: rule.weight,
    points: rule.weight > 0 ? formatPoints(rule.weight, verdict, language) : null,
    why: whyCode && formatVerdictReason(whyCode, rule.kind, language),
  }
}

/** Formats the points of a rule, with a minus if it was missed. */
function formatPoints(weight: number, verdict: FindingJson['verdict'], { words, format }: Language) {
  const sign = verdict === 'missed' ? '−' : ''
  return { shown: `${sign}${format.number(weight)}`, text: words.recording.check.weight(weight, format.number(weight)) }
}

function buildLabelRow(label: LabelJson, parts: RowOptions, language: Language) {
  const row = buildCommonRow(label, label.rule.name[language.code], parts, language)
  return { ...row, critical: false, weight: 0, points: null, why: null }
}

function buildCommonRow(
  { id, evidence, review, reviews, verdict }: Pick<FindingJson, 'id' | 'evidence' | 'review' | 'reviews' | 'verdict'>,
  name: string,
  { context, verb, judging, personId }: RowOptions,
  language: Language,
) {
  const { words, format } = language
  const t = words.recording.check
  const hasDisputed = verb === 'dispute' && review?.dispute?.person.id === personId
  const isOpen = judging?.finding === id
  const quotes = evidence.filter((one) => !evidence.some((other) => other !== one && holds(other, one)))
  const more = quotes.length - MAX_QUOTES
  return {
    id,
    name,
    verdict,
    verdictText: t.verdicts[verdict]!,
    // A met rule is shortened to one line, unless its form is open.
    isBrief: verdict === 'met' && !isOpen,
    quotes: quotes.slice(0, MAX_QUOTES).map((one) => buildQuote(one, context, language)),
    more: more > 0 ? t.moreQuotes(more, format.number(more)) : null,
    review: review && buildReview(review, verdict, language),
    history: buildReviewHistory(reviews, language),
    // The link that opened the form also closes it.
    toggle: verb && !hasDisputed ? context.address({ judge: isOpen ? null : id }) : null,
    toggleText: verb === 'judge' ? t.change : t.dispute,
    form: isOpen && verb ? judging.form : null,
  }
}

/** Returns true if a quote contains another one, which is then omitted. Of two equal quotes, the earlier one contains the other. */
const holds = (one: Evidence, other: Evidence): boolean =>
  one.segment === other.segment &&
  one.from <= other.from &&
  one.to >= other.to &&
  (one.to - one.from > other.to - other.from || one.start < other.start)

/** Links a quote to the audio, or to the transcript if the person cannot listen. */
function buildQuote({ segment, from, quote, start }: Evidence, context: CheckContext, { format }: Language) {
  const at = Math.round(Math.max(0, start - PLAYBACK_LEAD_SECONDS) * 10) / 10
  return {
    text: quote,
    key: `${segment}:${from}`,
    row: segment,
    at,
    time: format.length(start),
    href: context.mayListen ? `${context.href}/playback#t=${at}` : context.address({ t: String(start) }),
  }
}

function buildReview(
  { verdict, comment, person, at, machineVerdict, dispute }: NonNullable<FindingJson['review']>,
  holds: FindingJson['verdict'],
  language: Language,
) {
  const { words, format } = language
  const t = words.recording.check
  const isDecided = verdict !== null && person !== null && at !== null
  const text = isDecided ? t.said(person.name, t.verdicts[verdict]!) : null
  const machineText = isDecided && machineVerdict !== holds ? t.machineSaid(t.verdicts[machineVerdict]!) : null
  return {
    decided: isDecided && {
      text,
      machine: machineText,
      comment: translateDefaultReason(comment, language),
      iso: at,
      time: format.shortTime(at),
    },
    dispute: dispute && {
      text: t.disputedBy(dispute.person.name),
      comment: dispute.comment,
      iso: dispute.at,
      time: format.shortTime(dispute.at),
    },
  }
}

/** Lists all reviews and disputes, oldest first; null for fewer than two. */
function buildReviewHistory(reviews: FindingJson['reviews'], { words, format }: Pick<Language, 'words' | 'format'>) {
  const t = words.recording.check
  if (reviews.length < 2) return null
  const entries = reviews.map((one) => formatReviewEntry(one, { words, format }))
  return { title: t.history(format.number(entries.length)), entries }
}

/** Formats a review, a dispute or a withdrawn review for the history of a finding. */
export function formatReviewEntry(
  { kind, verdict, comment, person, at }: FindingJson['reviews'][number],
  { words, format }: Pick<Language, 'words' | 'format'>,
) {
  const t = words.recording.check
  const texts = {
    verdict: () => t.said(person.name, t.verdicts[verdict!]!),
    dispute: () => t.disputedBy(person.name),
    undo: () => t.undone(person.name),
  }
  const shownComment = kind === 'verdict' ? translateDefaultReason(comment, { words }) : comment
  return { kind, text: texts[kind](), comment: shownComment, iso: at, time: format.shortTime(at) }
}

/** Collects the quotes of met and missed findings and of labels, by segment number. */
export function groupQuotesBySegment(analysis: AnalysisJson | undefined, { code }: Language): Map<number, QuoteMark[]> {
  const { findings = [], labels = [] } = analysis ?? {}
  const quotes = new Map<number, QuoteMark[]>()
  for (const item of [...findings, ...labels]) {
    const { verdict, evidence, rule, review } = item
    if (verdict !== 'met' && verdict !== 'missed') continue
    // If a person overturned the verdict, the quotes do not support the new one.
    if (review && review.machineVerdict !== verdict) continue
    const kind = 'ruleSet' in item ? 'label' : verdict
    for (const { segment, from, to } of evidence) {
      const segmentQuotes = quotes.get(segment) ?? []
      quotes.set(segment, [...segmentQuotes, { key: `${segment}:${from}`, from, to, kind, rule: rule.name[code] }])
    }
  }
  return quotes
}

/** Collects the transcript rows in which labels were found. */
export const collectLabelPositions = (analysis: AnalysisJson | undefined, { code }: Language): LabelPosition[] =>
  (analysis?.labels ?? []).flatMap(({ rule, evidence }) =>
    evidence.map(({ segment }) => ({ name: rule.name[code], row: segment })),
  )
