import { REVIEW_REASONS, type ReviewReason } from '../../check/checks/values.ts'
import type { AgreementJson, PendingReviewJson, ReviewCountsJson } from '../../check/reviews/schema.ts'
import type { WaveformJson } from '../../calls/timeline/timeline-schema.ts'
import { quoteName } from '../analytics/query.ts'
import { ignoreRejection } from '../frame/api-client.ts'
import { renderPage, renderParts, type PageContext } from '../frame/context.ts'
import { fetchDepartments } from '../frame/fetch-all.ts'
import { formatAddress } from '../frame/fields.ts'
import { formatTitle } from '../frame/page-title.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { parsePage } from '../frame/paging.ts'
import { drawWaveform } from '../recording/audio.ts'
import { rejectManagers } from '../rule-sets/rule-set.ts'
import { reviewActionRoutes } from './actions.ts'
import { readBadge } from './badge.ts'
import { buildAgreementRow, buildFinding } from './view.ts'
import { reviewWords } from './words.ts'

export const reviewsPage: Page<'reviews', typeof reviewWords> = {
  name: 'reviews',
  words: reviewWords,
  menu: {
    href: '/reviews',
    title: reviewWords.title,
    group: 'work',
    for: isOwnerOrHead,
    badge: { read: readBadge, isForMe: true },
  },
  styles: ['reviews'],
  scripts: ['reviews'],
  routes: [
    { method: 'get', path: '/reviews', handle: showReviews },
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
    reasons: reason ? [reason] : TABS.urgent,
    manager: text('manager'),
    department: text('department'),
    rule: text('rule'),
    days: DAY_RANGES.map(String).find((days) => days === query.days) ?? '',
  }
}

const DAY_MS = 24 * 3_600_000

function formatApiFilters({ manager, department, rule, days }: Filters, { format }: PageContext['language']) {
  const from = days && format.dayOf(new Date(Date.now() - Number(days) * DAY_MS).toISOString())
  return { manager: manager && quoteName(manager), department, rule, from }
}

async function showReviews(context: PageContext): Promise<void> {
  rejectManagers(context)
  const { ctx, api, person, language } = context
  const filters = parseFilters(context)
  const apiFilters = formatApiFilters(filters, language)
  const page = { page: String(parsePage(ctx.query.page)), pageSize: String(PAGE_SIZE) }
  const [pending, counts, departments] = await Promise.all([
    api.fetch<{ items: PendingReviewJson[]; total: number; agreement: AgreementJson[] }>(
      formatAddress('/v1/reviews', { reason: filters.reasons.join(), ...apiFilters, ...page }),
    ),
    api.fetch<ReviewCountsJson>(formatAddress('/v1/reviews/counts', apiFilters)),
    fetchDepartments(context),
  ])
  const t = language.words.reviews
  const { format } = language
  const { items, total, agreement } = pending
  const mayDecide = !context.seeAs && (person.role === 'owner' || person.rights.editRules === true)
  const options = {
    mayListen: person.rights.audio === true,
    agreement,
    bands: context.panel.config.SCORE_BANDS,
    language,
  }
  const isRandom = filters.reasons[0] === 'random'
  await renderPage(context, 'reviews/index', {
    scripts: ['reviews.js'],
    title: formatTitle(t.title, [filters.manager]),
    heading: t.title,
    tabs: buildTabs(filters, counts, language),
    reason: filters.reasons.length === 1 ? filters.reasons[0] : '',
    selects: buildSelects(filters, counts, departments, language),
    isNarrowed: Boolean(filters.manager || filters.department || filters.rule || filters.days),
    clearHref: formatAddress('/reviews', { reason: filters.reasons.length === 1 ? filters.reasons[0]! : '' }),
    findings: items.map((one) => buildFinding(one, options)),
    total,
    left: t.leftCount(format.number(total)),
    pageSize: PAGE_SIZE,
    isUrgent: filters.reasons.every((one) => TABS.urgent.some((urgent) => urgent === one)),
    kept: ctx.search,
    mayDecide,
    confirm:
      isRandom && mayDecide && items.length > 0
        ? (items.length < total ? t.confirmThese : t.confirmAll)(format.number(items.length))
        : null,
    today:
      counts.today.decided > 0
        ? t.allDecided(format.number(counts.today.decided), format.number(counts.today.changedToMet))
        : null,
    agreement: agreement.map((one) => buildAgreementRow(one, language)),
  })
}

function buildTabs(
  { reasons, ...filters }: Filters,
  { waiting }: ReviewCountsJson,
  { words, format }: PageContext['language'],
) {
  return (Object.keys(TABS) as TabName[]).map((name) => ({
    href: formatAddress('/reviews', { reason: name === 'urgent' ? '' : name, ...filters }),
    text: words.reviews.tabs[name],
    count: format.number(TABS[name].reduce((sum, reason) => sum + waiting[reason], 0)),
    current: TABS[name].some((reason) => reason === reasons[0]),
  }))
}

function buildSelects(
  { manager, department, rule, days }: Filters,
  { rules }: ReviewCountsJson,
  departments: Awaited<ReturnType<typeof fetchDepartments>>,
  { words, format, code }: PageContext['language'],
) {
  const t = words.reviews.filters
  const names = [...new Set([manager, ...departments.flatMap(({ managers }) => managers)])].filter(Boolean)
  const sortedNames = names.toSorted((a, b) => a.localeCompare(b, code)).slice(0, MAX_MANAGERS)
  const ruleOptions = rules.map((one) => ({
    value: `${one.ruleSet.key}/${one.rule.key}`,
    text: `${one.rule.name[code]} (${format.number(one.count)})`,
  }))
  const isRuleListed = rule === '' || ruleOptions.some(({ value }) => value === rule)
  return [
    { name: 'manager', label: t.manager, any: t.anyManager, value: manager, options: sortedNames.map((one) => ({ value: one, text: one })) },
    { name: 'department', label: t.department, any: t.anyDepartment, value: department, options: departments.map(({ id, name }) => ({ value: id, text: name })) },
    { name: 'rule', label: t.rule, any: t.anyRule, value: rule, options: [...ruleOptions, ...(isRuleListed ? [] : [{ value: rule, text: rule }])] },
    { name: 'days', label: t.dates, any: t.anyDate, value: days, options: DAY_RANGES.map((n) => ({ value: String(n), text: t.lastDays(n, format.number(n)) })) },
  ] // prettier-ignore
}

/** Renders the waveform of a call, which the script requests in advance for the next verdicts. */
async function showWaveform(context: PageContext): Promise<void> {
  rejectManagers(context)
  const path = `/v1/recordings/${encodeURIComponent(String(context.ctx.params.recording))}/waveform`
  const waveform = await context.api.fetch<WaveformJson>(path).catch(ignoreRejection)
  await renderParts(context, ['reviews/_waveform'], { wave: drawWaveform(waveform) })
}
