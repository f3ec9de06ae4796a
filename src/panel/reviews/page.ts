import { VERDICTS, WAITS } from '../../check/checks/values.ts'
import type { AgreementJson, WaitingJson } from '../../check/reviews/schema.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext } from '../frame/context.ts'
import { addressOf, readFields } from '../frame/fields.ts'
import { titleOf } from '../frame/page-title.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { readAll } from '../frame/read-all.ts'
import { refuseManagers } from '../rule-sets/set.ts'
import { reviews } from './words.ts'
import type { Why } from '../../check/rules/types.ts'
import type { Language } from '../frame/i18n.ts'
import { formatVerdictReason } from '../recording/why.ts'
import { quoteLinks } from '../rule-sets/quotes.ts'

export const reviewsPage: Page<'reviews', typeof reviews> = {
  name: 'reviews',
  words: reviews,
  menu: { href: '/reviews', title: reviews.title, group: 'check', for: isOwnerOrHead },
  styles: ['reviews'],
  routes: [
    { method: 'get', path: '/reviews', handle: showWaiting },
    { method: 'post', path: '/reviews/:recording/:finding', handle: decide },
  ],
}

const PAGE_SIZE = 25

/** A rejected form: its verdict and its typed text. */
interface Refused {
  finding: string
  verdict: string
  comment: string
  text: string
}

async function showWaiting(context: PageContext, refused?: Refused): Promise<void> {
  const { ctx, api } = context
  const reason = WAITS.find((one) => one === ctx.query.reason)
  const page = pageOf(ctx.query.page)
  refuseManagers(context)
  const { person } = context
  const sets = await readAll<RuleSetSummaryJson>(api, '/v1/rule-sets')
  const ruleSet = sets.find(({ id }) => id === ctx.query.ruleSet)
  const { language } = context
  const t = language.words.reviews
  const chosen = { ...(reason && { reason }), ...(ruleSet && { ruleSet: ruleSet.id }) }
  const found = await api.read<{ items: WaitingJson[]; total: number; agreement: AgreementJson[] }>(
    addressOf('/v1/reviews', { ...chosen, page: String(page), pageSize: String(PAGE_SIZE) }),
  )
  const address = (more: Record<string, string>) => addressOf('/reviews', more)
  const { reason: _, ...ofAnyReason } = chosen
  await renderPage(context, 'reviews/index', {
    title: titleOf(t.title, [reason && t.reasons[reason], ruleSet?.name[language.code]]),
    heading: t.title,
    total: language.format.number(found.total),
    tabs: [undefined, ...WAITS].map((one) => ({
      href: address({ ...(one && { reason: one }), ...ofAnyReason }),
      text: one ? t.reasons[one] : language.words.common.all,
      current: one === reason,
    })),
    reason,
    sets: sets.map(({ id, name }) => ({ value: id, text: name[language.code] })),
    ruleSet: ruleSet?.id ?? '',
    isNarrowed: Boolean(reason ?? ruleSet),
    rows: found.items.map((waiting) => waitingRow(waiting, language)),
    kept: ctx.search,
    refused,
    mayDecide: !context.seeAs && (person.role === 'owner' || person.rights.editRules === true),
    agreement: found.agreement.map((one) => agreementRow(one, language)),
    paging: pagingOf(page, PAGE_SIZE, found.total, (page) => address({ ...chosen, page: String(page) })),
  })
}

async function decide(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  refuseManagers(context)
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
    await showWaiting(context, { finding, verdict, comment, text: t.needsComment })
  }
}

const QUOTES = 3

function waitingRow(waiting: WaitingJson, language: Language) {
  const { words, format, code } = language
  const t = words.reviews
  const { id, rule, verdict, evidence, whyCode, reason, recording, ruleSet, dispute } = waiting
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
    why: whyCode && formatVerdictReason(whyCode as Why, rule.kind, language),
    quotes: quoteLinks(evidence, recording.id, language, QUOTES),
    dispute,
  }
}

function agreementRow(
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
