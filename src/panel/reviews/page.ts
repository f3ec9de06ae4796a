import { REVIEW_REASONS, type ReviewReason } from '../../check/checks/values.ts'
import type { RuleAgreementJson, PendingReviewJson, PendingReviewCountsJson } from '../../check/reviews/schema.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import type { RecordingWaveformJson } from '../../calls/timeline/timeline-schema.ts'
import { isUuid } from '../../platform/lib/ids.ts'
import { quoteManagerName } from '../frame/manager-names.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'
import { renderPage, renderPageParts, type PageContext } from '../frame/context.ts'
import { fetchAllItems, fetchVisibleDepartments } from '../frame/fetch-all.ts'
import { PageError } from '../frame/errors.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import { formatPageTitle } from '../frame/page-title.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { parsePageNumber } from '../frame/paging.ts'
import { drawWaveform } from '../recording/audio.ts'
import { rejectManagerRole } from '../rule-sets/rule-set.ts'
import { buildReviewPageTabs, canCalibrate, countDueCalibrations } from '../calibrations/tabs.ts'
import { reviewActionRoutes } from './actions.ts'
import { fetchReviewBadge } from './badge.ts'
import { buildAgreementTable } from './agreement-table.ts'
import { buildLines, buildReviewFinding } from './view.ts'
import { reviewWords } from './words.ts'

export const reviewsPage: Page<'reviews', typeof reviewWords> = {
  name: 'reviews',
  words: reviewWords,
  menu: {
    href: '/reviews',
    within: ['/reviews/', '/calibrations'],
    title: reviewWords.title,
    group: 'work',
    for: isOwnerOrHead,
    badge: { read: fetchReviewBadge, isForMe: true },
  },
  styles: ['reviews'],
  scripts: ['reviews'],
  routes: [
    { method: 'get', path: '/reviews', handle: showReviews },
    { method: 'get', path: '/reviews/searched/:finding', handle: showSearchedLines },
    { method: 'get', path: '/reviews/waveforms/:recording', handle: showWaveform },
    ...reviewActionRoutes,
  ],
}

/** Verdicts per page. The script fetches the next page before it is needed. */
const PAGE_SIZE = 20

const TABS = { urgent: ['critical', 'disputed'], unknown: ['unknown'], random: ['random'] } as const
type TabName = keyof typeof TABS

const DAY_RANGES = [7, 30, 90]
/** Longer lists of names would make the page slow. */
const MAX_MANAGERS = 300

interface Filters {
  /** Selects decided verdicts instead of those that wait. */
  isDecided: boolean
  reasons: readonly ReviewReason[]
  manager: string
  department: string
  rule: string
  days: string
}

function parseFilters({ ctx: { query } }: PageContext): Filters {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name].slice(0, 255) : '')
  const reason = REVIEW_REASONS.find((one) => one === query.reason)
  return {
    isDecided: query.reason === 'decided',
    reasons: reason ? [reason] : query.reason === 'decided' ? [] : TABS.urgent,
    manager: text('manager'),
    department: text('department'),
    rule: text('rule'),
    days: DAY_RANGES.map(String).find((days) => days === query.days) ?? '',
  }
}

const DAY_MS = 24 * 3_600_000

const formatReason = ({ isDecided, reasons }: Filters): string =>
  isDecided ? 'decided' : reasons.length === 1 ? reasons[0]! : ''

function formatApiFilters({ manager, department, rule, days }: Filters, { format }: PageContext['language']) {
  const from = days && format.dayOf(new Date(Date.now() - Number(days) * DAY_MS).toISOString())
  return { manager: manager && quoteManagerName(manager), department, rule, from }
}

async function showReviews(context: PageContext): Promise<void> {
  rejectManagerRole(context)
  const { ctx, api, person, language } = context
  const filters = parseFilters(context)
  const apiFilters = formatApiFilters(filters, language)
  const page = { page: String(parsePageNumber(ctx.query.page)), pageSize: String(PAGE_SIZE) }
  const mayDecide = canCalibrate(context)
  const kind = { reason: filters.reasons.join(), decided: filters.isDecided ? 'true' : '' }
  const named = typeof ctx.query.finding === 'string' && isUuid(ctx.query.finding) ? ctx.query.finding : undefined
  const [pending, namedItems, counts, departments, ruleSets, due] = await Promise.all([
    api.fetch<{ items: PendingReviewJson[]; total: number; agreement: RuleAgreementJson[] }>(
      formatPathWithQuery('/v1/reviews', { ...kind, ...apiFilters, ...page }),
    ),
    named ? fetchFinding(context, { ...kind, finding: named }) : [],
    api.fetch<PendingReviewCountsJson>(formatPathWithQuery('/v1/reviews/counts', apiFilters)),
    fetchVisibleDepartments(context),
    mayDecide ? fetchAllItems<RuleSetSummaryJson>(api, '/v1/rule-sets') : [],
    countDueCalibrations(context),
  ])
  const t = language.words.reviews
  const { format } = language
  const { items, total, agreement } = pending
  const options = {
    personId: person.id,
    mayListen: person.rights.audio === true,
    agreement,
    editableSets: new Set(ruleSets.filter(({ mayEdit }) => mayEdit).map(({ id }) => id)),
    bands: context.panel.config.SCORE_BANDS,
    language,
  }
  // A link from another page names the finding to begin with.
  const findings = [...namedItems, ...items.filter(({ id }) => id !== namedItems[0]?.id)]
  const { isDecided, reasons, ...narrowing } = filters
  const reason = formatReason(filters)
  const isRandom = reasons[0] === 'random'
  await renderPage(context, 'reviews/index', {
    scripts: ['reviews.js'],
    title: formatPageTitle(t.title, [filters.manager]),
    heading: t.title,
    pages: buildReviewPageTabs(context, 'reviews', due),
    tabs: buildTabs(filters, counts, language),
    reason,
    isDecided,
    selects: buildSelects(filters, counts, departments, language),
    isNarrowed: Boolean(filters.manager || filters.department || filters.rule || filters.days),
    clearHref: formatPathWithQuery('/reviews', { reason }),
    findings: findings.map((one) => buildReviewFinding(one, options)),
    total,
    left: [t.decidedCount(format.number(0)), t.leftCount(format.number(total))].join(', '),
    place: t.place(format.number(1), format.number(total)),
    pageSize: PAGE_SIZE,
    isUrgent: !isDecided && reasons.every((one) => TABS.urgent.some((urgent) => urgent === one)),
    kept: ctx.search,
    mayDecide,
    confirm: isRandom && mayDecide && items.length > 0 ? t.confirm(format.number(items.length)) : null,
    today:
      counts.today.decided > 0 && !isDecided
        ? t.allDecided(format.number(counts.today.decided), format.number(counts.today.changedToMet))
        : null,
    agreement: buildAgreementTable(agreement, { ...narrowing, reason }, context),
  })
}

function buildTabs(
  { isDecided, reasons, ...filters }: Filters,
  { waiting }: PendingReviewCountsJson,
  { words, format }: PageContext['language'],
) {
  const tabs = (Object.keys(TABS) as TabName[]).map((name) => ({
    href: formatPathWithQuery('/reviews', { reason: name === 'urgent' ? '' : name, ...filters }),
    text: words.reviews.tabs[name],
    count: format.number(TABS[name].reduce((sum, reason) => sum + waiting[reason], 0)),
    current: TABS[name].some((reason) => reason === reasons[0]),
  }))
  const href = formatPathWithQuery('/reviews', { reason: 'decided', ...filters })
  return [...tabs, { href, text: words.reviews.tabs.decided, count: null, current: isDecided }]
}

function buildSelects(
  { manager, department, rule, days }: Filters,
  { rules }: PendingReviewCountsJson,
  departments: Awaited<ReturnType<typeof fetchVisibleDepartments>>,
  { words, format, code }: PageContext['language'],
) {
  const t = words.reviews.filters
  const names = [...new Set([manager, ...departments.flatMap(({ managers }) => managers)])].filter(Boolean)
  const sortedNames = names.toSorted((a, b) => a.localeCompare(b, code)).slice(0, MAX_MANAGERS)
  const ruleNames = rules.map(({ rule }) => rule.name[code])
  const isRepeated = (name: string) => ruleNames.filter((one) => one === name).length > 1
  const ruleOptions = rules.map(({ ruleSet, rule, count }, n) => ({
    value: `${ruleSet.key}/${rule.key}`,
    // Several rule sets can have a rule of the same name.
    text: `${ruleNames[n]!}${isRepeated(ruleNames[n]!) ? `, ${ruleSet.name[code]}` : ''} (${format.number(count)})`,
  }))
  const isRuleListed = rule === '' || ruleOptions.some(({ value }) => value === rule)
  return [
    { name: 'manager', label: t.manager, any: t.anyManager, value: manager, options: sortedNames.map((one) => ({ value: one, text: one })) },
    { name: 'department', label: t.department, any: t.anyDepartment, value: department, options: departments.map(({ id, name }) => ({ value: id, text: name })) },
    { name: 'rule', label: t.rule, any: t.anyRule, value: rule, options: [...ruleOptions, ...(isRuleListed ? [] : [{ value: rule, text: rule }])] },
    { name: 'days', label: t.dates, any: t.anyDate, value: days, options: DAY_RANGES.map((n) => ({ value: String(n), text: t.lastDays(n, format.number(n)) })) },
  ] // prettier-ignore
}

/** Fetches a finding as a list, which is empty if the finding does not match. */
async function fetchFinding({ api }: PageContext, query: Record<string, string>): Promise<PendingReviewJson[]> {
  return (await api.fetch<{ items: PendingReviewJson[] }>(formatPathWithQuery('/v1/reviews', query))).items
}

/** Renders the lines of the whole searched part, which the script requests. */
async function showSearchedLines(context: PageContext): Promise<void> {
  rejectManagerRole(context)
  const { ctx, person, language } = context
  const finding = String(ctx.params.finding)
  if (!isUuid(finding)) throw new PageError(404)
  const decided = parseFilters(context).isDecided ? 'true' : ''
  const [review] = await fetchFinding(context, { finding, decided, searched: 'true' })
  if (!review) throw new PageError(404)
  const audio = person.rights.audio === true && review.recording.hasAudio
  await renderPageParts(context, ['reviews/_lines'], { one: { audio, lines: buildLines(review, language) } })
}

/** Renders the waveform of a call, which the script requests in advance for the next verdicts. */
async function showWaveform(context: PageContext): Promise<void> {
  rejectManagerRole(context)
  const path = `/v1/recordings/${encodeURIComponent(String(context.ctx.params.recording))}/waveform`
  const waveform = await context.api.fetch<RecordingWaveformJson>(path).catch(ignoreApiRejection)
  await renderPageParts(context, ['reviews/_waveform'], { wave: drawWaveform(waveform) })
}
