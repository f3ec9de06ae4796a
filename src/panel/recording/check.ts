import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { formatPause } from '../frame/pause.ts'
import type { Person } from '../frame/context.ts'
import { LEAD_SECONDS, PART, type Quoted } from './lines.ts'
import { formatVerdictReason } from './why.ts'

type FindingJson = AnalysisJson['findings'][number]
type LabelJson = AnalysisJson['labels'][number]
type Evidence = FindingJson['evidence'][number]

export interface Judging {
  finding: string
  form: Form
}

/** A version of any rule set, or of one. */
export interface RequestedVersion {
  number: number
  set: string | null
}

export const versionQuery = (version: RequestedVersion | null): Record<string, string | null> =>
  version === null ? {} : { version: String(version.number), set: version.set }

export interface CheckParts {
  analysis: AnalysisJson | undefined
  /** Null: the current version. */
  version: RequestedVersion | null
  judging: Judging | null
}

interface CheckContext {
  href: string
  mayListen: boolean
  hasText: boolean
  /** The address of the page with another query. */
  address: (query: Record<string, string | null>) => string
}

/** Quotes below a rule; all of them are marked in the text. */
const QUOTES = 3

/** Null if there is nothing to show to this person. */
export function checkOf(parts: CheckParts, context: CheckContext, person: Person, language: Language) {
  const { analysis, version, judging } = parts
  const mayJudge = person.role !== 'manager' && person.rights.editRules === true
  const isAutomaticOff = analysis?.reasonCode === 'automaticOff'
  if (!analysis || (analysis.status === 'none' && !(mayJudge && context.hasText) && !isAutomaticOff)) return null
  const { status, provider, ruleSet, score, findings } = analysis
  const { words, format } = language
  const t = words.recording.check
  const isMock = provider === 'mock'
  const verb = isMock || version !== null ? null : mayJudge ? ('judge' as const) : ('dispute' as const)
  const rows = findings.map((one) => findingRow(one, { context, verb, judging }, language))
  const of = (verdict: string) => rows.filter((row) => row.verdict === verdict)
  const unheard = findings.filter(({ verdict, whyCode }) => verdict === 'unknown' && isOneChannel(whyCode)).length
  return {
    status,
    pending: status === 'queued' || status === 'running',
    state: version !== null ? null : stateText(analysis, language),
    isMock,
    isFailed: status === 'failed',
    isShown: provider !== null,
    score: score === null ? null : format.number(Math.round(score)),
    percent: score,
    kind: score === null ? '' : score < 50 ? 'poor' : score < 70 ? 'fair' : 'good',
    notes: notesOf(analysis, language),
    oneChannel: unheard > 0 ? t.oneChannel(unheard, format.number(unheard)) : null,
    rows: rows.filter(({ verdict }) => verdict === 'met' || verdict === 'missed'),
    apart: (['unknown', 'not_applicable'] as const).map((verdict) => {
      const apart = of(verdict)
      const isOpen = apart.some(({ form }) => form !== null)
      return { rows: apart, title: t.apart[verdict](format.number(apart.length)), isOpen }
    }),
    labels: [...analysis.labels, ...analysis.overturnedLabels].map((label) =>
      labelRow(label, { context, verb, judging }, language),
    ),
    verb,
    by: [ruleSet && `${ruleSet.name[language.code]}, ${t.version(format.number(ruleSet.version))}`, providerOf(analysis, language)] // prettier-ignore
      .filter(Boolean)
      .join(' · '),
    usage: usageOf(analysis, language),
    versions: versionsOf(parts, context, language),
    older: version === null ? null : t.olderVersion(format.number(version.number)),
    current: context.address({}),
    rerun: mayJudge && context.hasText && version === null && status !== 'queued' && status !== 'running',
    pin: mayJudge && context.hasText && version === null ? { set: ruleSet?.id ?? '' } : null,
    rerunText: status === 'none' ? t.runFirst : t.rerun,
    switchOn: isAutomaticOff && person.role === 'owner',
  }
}

const isOneChannel = (why: FindingJson['whyCode']): boolean => why?.code === 'speakersUnknown'

/** The state of a check without a current result. */
function stateText(analysis: AnalysisJson, language: Language): string | null {
  const { status, reason, reasonCode, pause, provider, ruleSet, outdated } = analysis
  const t = language.words.recording.check
  if (status === 'done' && outdated) return t.corrected
  if (status === 'done') return ruleSet === null ? t.noScoreSet : null
  const state = status === 'skipped' ? null : t.states[status]
  const why = reasonCode ? t.reasons[reasonCode] : status === 'failed' && reason !== null ? reason : '' // prettier-ignore
  return [state, why, pause && formatPause(pause, language), provider !== null && t.earlierStands]
    .filter(Boolean)
    .join(' ')
}

function notesOf(
  { provider, ruleSet, score, coverage, scoreBeforeCritical, scoreAuto }: AnalysisJson,
  { words, format }: Language,
): string[] {
  const t = words.recording.check
  if (provider === null || ruleSet === null) return []
  const whole = (value: number) => format.number(Math.round(value))
  const notes = [score === null && t.noScore, coverage !== null && t.coverage(whole(coverage))]
  if (scoreBeforeCritical !== null && scoreBeforeCritical !== score) notes.push(t.beforeCritical(whole(scoreBeforeCritical))) // prettier-ignore
  if (scoreAuto !== null && scoreAuto !== score) notes.push(t.byMachine(whole(scoreAuto)))
  return notes.filter((note) => note !== false)
}

function providerOf({ provider, model }: AnalysisJson, { words }: Language): string {
  return provider === null ? '' : (model ?? words.recording.check.provider[provider] ?? provider)
}

function usageOf({ usage, cost }: AnalysisJson, { words, format }: Language): string {
  const tokens = usage && words.recording.check.usage(format.number(usage.inputTokens), format.number(usage.outputTokens)) // prettier-ignore
  const money = cost && format.money(cost.amount, cost.currency)
  return [tokens, money].filter(Boolean).join(' · ')
}

/** The versions that have judged this call, if there are several. */
function versionsOf({ analysis, version }: CheckParts, { address }: CheckContext, { format, code }: Language) {
  const { versions, ruleSet } = analysis!
  if (versions.length < 2 && version === null) return []
  const isOneSet = versions.every(({ id }) => id === versions[0]!.id)
  return versions.map(({ id, name, version: number }) => ({
    text: isOneSet ? format.number(number) : `${name[code]} ${format.number(number)}`,
    href: address(versionQuery({ number, set: id })),
    current: id === ruleSet?.id && number === ruleSet.version,
  }))
}

interface RowParts {
  context: CheckContext
  verb: 'judge' | 'dispute' | null
  judging: Judging | null
}

function findingRow(finding: FindingJson, parts: RowParts, language: Language) {
  const { rule, verdict, whyCode } = finding
  const { words, format } = language
  const t = words.recording.check
  return {
    ...commonOf(finding, rule.name[language.code], parts, language),
    verdict,
    verdictText: t.verdicts[verdict]!,
    critical: rule.critical,
    weight: rule.weight > 0 ? { shown: format.number(rule.weight), text: t.weight(rule.weight, format.number(rule.weight)) } : null, // prettier-ignore
    why: whyCode && formatVerdictReason(whyCode, rule.kind, language),
  }
}

function labelRow(label: LabelJson, parts: RowParts, language: Language) {
  const { rule, verdict } = label
  return {
    ...commonOf(label, rule.name[language.code], parts, language),
    verdict,
    verdictText: language.words.recording.check.verdicts[verdict]!,
    critical: false,
    weight: null,
    why: null,
  }
}

function commonOf(
  { id, evidence, review, reviews, verdict }: Pick<FindingJson, 'id' | 'evidence' | 'review' | 'reviews' | 'verdict'>,
  name: string,
  { context, verb, judging }: RowParts,
  language: Language,
) {
  const { words, format } = language
  const t = words.recording.check
  const isOpen = judging?.finding === id
  const quotes = evidence.filter((one) => !evidence.some((other) => other !== one && holds(other, one)))
  const more = quotes.length - QUOTES
  return {
    id,
    name,
    quotes: quotes.slice(0, QUOTES).map((one) => quoteOf(one, context, language)),
    more: more > 0 ? t.moreQuotes(more, format.number(more)) : null,
    review: review && reviewOf(review, verdict, language),
    history: historyOf(reviews, language),
    // The same link closes the form again.
    toggle: verb && context.address({ judge: isOpen ? null : id }),
    toggleText: verb === 'judge' ? t.judgeRule(name) : t.disputeRule(name),
    form: isOpen && verb ? judging.form : null,
  }
}

/** Whether a quote contains another one, which is then not shown. */
const holds = (one: Evidence, other: Evidence): boolean =>
  one.segment === other.segment &&
  one.from <= other.from &&
  one.to >= other.to &&
  (one.to - one.from > other.to - other.from || one.start < other.start)

/** A quote links to the audio, or to the text for a person without the right to listen. */
function quoteOf({ segment, from, quote, start }: Evidence, context: CheckContext, { format }: Language) {
  const at = Math.round(Math.max(0, start - LEAD_SECONDS) * 10) / 10
  return {
    text: quote,
    key: `${segment}:${from}`,
    part: Math.floor(segment / PART),
    at,
    time: format.length(start),
    href: context.mayListen ? `${context.href}/playback#t=${at}` : context.address({ t: String(start) }),
  }
}

function reviewOf(
  { verdict, comment, person, at, machineVerdict, dispute }: NonNullable<FindingJson['review']>,
  holds: FindingJson['verdict'],
  { words, format }: Language,
) {
  const t = words.recording.check
  const decided = verdict !== null && person !== null && at !== null
  const text = decided ? t.said(person.name, t.verdicts[verdict]!) : null
  const machine = decided && machineVerdict !== holds ? t.machineSaid(t.verdicts[machineVerdict]!) : null
  return {
    decided: decided && { text, machine, comment, iso: at, time: format.shortTime(at) },
    dispute: dispute && {
      text: t.disputedBy(dispute.person.name),
      comment: dispute.comment,
      iso: dispute.at,
      time: format.shortTime(dispute.at),
    },
  }
}

/** Every decision and dispute, oldest first, if there is more than one. */
function historyOf(reviews: FindingJson['reviews'], { words, format }: Language) {
  const t = words.recording.check
  if (reviews.length < 2) return null
  const entries = reviews.map(({ kind, verdict, comment, person, at }) => ({
    kind,
    text: kind === 'dispute' ? t.disputedBy(person.name) : t.said(person.name, t.verdicts[verdict!]!),
    comment,
    iso: at,
    time: format.shortTime(at),
  }))
  return { title: t.history(format.number(entries.length)), entries }
}

/** The quotes of a check by their segments. */
export function quotesBySegment(analysis: AnalysisJson | undefined, { code }: Language): Map<number, Quoted[]> {
  const { findings = [], labels = [] } = analysis ?? {}
  const all = [...findings.map((one) => ({ ...one, kind: kindOf(one) })), ...labels.map((one) => ({ ...one, kind: 'met' as const }))] // prettier-ignore
  const quotes = new Map<number, Quoted[]>()
  for (const { kind, verdict, evidence, rule, review } of all) {
    if (verdict !== 'met' && verdict !== 'missed') continue
    // The quotes do not prove the verdict of a person who overturned the machine's.
    if (review && review.machineVerdict !== verdict) continue
    for (const { segment, from, to } of evidence) {
      const own = quotes.get(segment) ?? []
      quotes.set(segment, [...own, { key: `${segment}:${from}`, from, to, kind, rule: rule.name[code] }])
    }
  }
  return quotes
}

/** Only a forbidden phrase or a missing reply contradicts a rule. */
const kindOf = ({ verdict, whyCode }: FindingJson): Quoted['kind'] =>
  verdict === 'missed' && (whyCode?.code === 'forbidden' || whyCode?.code === 'noReply') ? 'missed' : 'met'
