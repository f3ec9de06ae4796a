import { VERDICTS, REVIEW_REASONS } from '../../check/checks/values.ts'
import type { AgreementJson, PendingReviewJson } from '../../check/reviews/schema.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext } from '../frame/context.ts'
import { formatAddress, parseForm } from '../frame/fields.ts'
import { formatTitle } from '../frame/page-title.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { parsePage, buildPaging } from '../frame/paging.ts'
import { fetchAll } from '../frame/fetch-all.ts'
import { rejectManagers } from '../rule-sets/rule-set.ts'
import { reviewWords } from './words.ts'
import type { VerdictReason } from '../../check/rules/types.ts'
import type { Language } from '../frame/i18n.ts'
import { formatVerdictReason } from '../recording/verdict-reason.ts'
import { buildQuoteLinks } from '../rule-sets/quotes.ts'

export const reviewsPage: Page<'reviews', typeof reviewWords> = {
  name: 'reviews',
  words: reviewWords,
  menu: { href: '/reviews', title: reviewWords.title, group: 'check', for: isOwnerOrHead },
  styles: ['reviews'],
  routes: [
    { method: 'get', path: '/reviews', handle: showPendingReviews },
    { method: 'post', path: '/reviews/:recording/:finding', handle: submitDecision },
  ],
}

const PAGE_SIZE = 25

/** A rejected form: its verdict and its typed text. */
interface RejectedReview {
  finding: string
  verdict: string
  comment: string
  text: string
}

async function showPendingReviews(context: PageContext, rejected?: RejectedReview): Promise<void> {
  const { ctx, api } = context
  const reason = REVIEW_REASONS.find((one) => one === ctx.query.reason)
  const page = parsePage(ctx.query.page)
  rejectManagers(context)
  const { person } = context
  const sets = await fetchAll<RuleSetSummaryJson>(api, '/v1/rule-sets')
  const ruleSet = sets.find(({ id }) => id === ctx.query.ruleSet)
  const { language } = context
  const t = language.words.reviews
  const filters = { ...(reason && { reason }), ...(ruleSet && { ruleSet: ruleSet.id }) }
  const pending = await api.fetch<{ items: PendingReviewJson[]; total: number; agreement: AgreementJson[] }>(
    formatAddress('/v1/reviews', { ...filters, page: String(page), pageSize: String(PAGE_SIZE) }),
  )
  const formatPageHref = (more: Record<string, string>) => formatAddress('/reviews', more)
  const { reason: _, ...filtersWithoutReason } = filters
  await renderPage(context, 'reviews/index', {
    title: formatTitle(t.title, [reason && t.reasons[reason], ruleSet?.name[language.code]]),
    heading: t.title,
    total: language.format.number(pending.total),
    tabs: [undefined, ...REVIEW_REASONS].map((one) => ({
      href: formatPageHref({ ...(one && { reason: one }), ...filtersWithoutReason }),
      text: one ? t.reasons[one] : language.words.common.all,
      current: one === reason,
    })),
    reason,
    sets: sets.map(({ id, name }) => ({ value: id, text: name[language.code] })),
    ruleSet: ruleSet?.id ?? '',
    isNarrowed: Boolean(reason ?? ruleSet),
    rows: pending.items.map((review) => buildPendingRow(review, language)),
    kept: ctx.search,
    refused: rejected,
    mayDecide: !context.seeAs && (person.role === 'owner' || person.rights.editRules === true),
    agreement: pending.agreement.map((one) => buildAgreementRow(one, language)),
    paging: buildPaging(page, PAGE_SIZE, pending.total, (page) => formatPageHref({ ...filters, page: String(page) })),
  })
}

async function submitDecision(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parseForm(ctx)
  rejectManagers(context)
  const t = context.language.words.reviews
  const { recording, finding } = ctx.params as { recording: string; finding: string }
  const verdict = VERDICTS.find((one) => one === fields.text('verdict')) ?? 'unknown'
  const comment = fields.text('comment')
  const path = `/v1/recordings/${encodeURIComponent(recording)}/analysis/findings/${encodeURIComponent(finding)}`
  try {
    await api.send('PATCH', path, { verdict, ...(comment && { comment }) })
    redirect(ctx, `/reviews${ctx.search}`, t.decided)
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 404, 409].includes(error.status)) throw error
    if (error.status !== 400) return redirect(ctx, `/reviews${ctx.search}`, t.outdated)
    ctx.status = 400
    await showPendingReviews(context, { finding, verdict, comment, text: t.needsComment })
  }
}

const MAX_QUOTES = 3

function buildPendingRow(review: PendingReviewJson, language: Language) {
  const { words, format, code } = language
  const t = words.reviews
  const { id, rule, verdict, evidence, whyCode, reason, recording, ruleSet, dispute } = review
  const href = `/recordings/${recording.id}`
  const verdicts = words.recording.check.verdicts
  return {
    id,
    action: `/reviews/${recording.id}/${id}`,
    href,
    call: format.phone(recording.phoneNumber) ?? words.recording.title,
    manager: recording.managerName,
    at: { iso: recording.callAt, text: format.shortTime(recording.callAt) },
    rule: rule.name[code],
    ruleSet: ruleSet.name[code],
    reason: { code: reason, text: t.reasons[reason] },
    verdict: { code: verdict, text: verdicts[verdict]! },
    others: VERDICTS.filter((other) => other !== verdict).map((other) => ({ value: other, text: verdicts[other]! })),
    why: whyCode && formatVerdictReason(whyCode as VerdictReason, rule.kind, language),
    quotes: buildQuoteLinks(evidence, recording.id, language, MAX_QUOTES),
    dispute,
  }
}

function buildAgreementRow(
  { ruleSet, rule, name, judged, agreed, percent, flagged }: AgreementJson,
  { words, format, code }: Language,
) {
  return {
    rule: name?.[code] ?? rule,
    ruleSet: ruleSet.name[code],
    judged: format.number(judged),
    agreed: format.number(agreed),
    percent: words.common.percent(format.number(percent)),
    flagged,
  }
}
