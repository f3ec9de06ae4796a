import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { VERDICTS } from '../../check/checks/values.ts'
import { ApiError } from '../frame/api-client.ts'
import { redirect, type PageContext, type PanelRoute } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { parsePostedForm } from '../frame/fields.ts'
import { rejectManagerRole } from '../rule-sets/rule-set.ts'
import { invalidateReviewBadge } from './badge.ts'
import { DEFAULT_REASONS } from './default-reason.ts'

/** Routes that submit and withdraw reviews. Scripts get JSON; forms without scripts are redirected to the list. */
export const reviewActionRoutes: PanelRoute[] = [
  { method: 'post', path: '/reviews/confirm', handle: confirmAll },
  { method: 'post', path: '/reviews/:recording/:finding', handle: submitDecision },
  { method: 'post', path: '/reviews/:recording/:finding/undo', handle: undoDecision },
]

/** The response to a review: a confirmation, or the reason of a conflict. */
interface Outcome {
  text: string
  isConflict: boolean
  /** Number of reviews that the finding has after the request. */
  known: number
}

const findFinding = ({ findings, labels, overturnedLabels }: AnalysisJson, id: string) =>
  [...findings, ...labels, ...overturnedLabels].find((one) => one.id === id)

const formatFindingPath = (recording: string, finding: string): string =>
  `/v1/recordings/${encodeURIComponent(recording)}/analysis/findings/${encodeURIComponent(finding)}`

async function submitDecision(context: PageContext): Promise<void> {
  rejectManagerRole(context)
  const fields = await parsePostedForm(context.ctx)
  const t = context.language.words.reviews
  const verdict = VERDICTS.find((one) => one === fields.text('verdict'))
  if (!verdict) throw new PageError(400)
  const former = fields.text('former')
  const isChanged = verdict !== former
  const reason = DEFAULT_REASONS.find((one) => one === fields.text('reason')) ?? 'heard'
  // The API requires a comment if the verdict changes. For a decision by one key, the page shows the default comment.
  const comment = fields.text('comment') || (isChanged ? t.defaultReasons[reason] : '')
  const known = Number(fields.text('known'))
  await respond(context, known, t.decided, async (path) => {
    const body = { verdict, ...(comment && { comment }), knownReviews: known }
    const { body: analysis } = await context.api.send<AnalysisJson>('PATCH', path, body)
    return { analysis, text: isChanged ? t.changed[verdict]! : t.kept[verdict]! }
  })
}

async function undoDecision(context: PageContext): Promise<void> {
  rejectManagerRole(context)
  const t = context.language.words.reviews
  await respond(context, Number((await parsePostedForm(context.ctx)).text('known')), t.undone, async (path) => {
    const { body: analysis } = await context.api.send<AnalysisJson>('POST', `${path}/undo`)
    return { analysis, text: t.undone }
  })
}

/** Sends a review and responds with the outcome. @param known number of reviews that the person saw */
async function respond(
  context: PageContext,
  known: number,
  notice: string,
  send: (path: string) => Promise<{ analysis: AnalysisJson; text: string }>,
): Promise<void> {
  const { ctx } = context
  const { recording, finding } = ctx.params as { recording: string; finding: string }
  let outcome: Outcome
  try {
    const { analysis, text } = await send(formatFindingPath(recording, finding))
    outcome = { text, isConflict: false, known: findFinding(analysis, finding)?.reviews.length ?? 0 }
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error
    outcome = await explainConflict(context, known)
  }
  invalidateReviewBadge(context)
  if (ctx.get('Accept') === 'application/json') ctx.body = outcome
  else redirect(ctx, `/reviews${ctx.search}`, outcome.isConflict ? outcome.text : notice)
}

/** Explains a conflict by the other person's review or by a newer check. */
async function explainConflict({ ctx, api, language }: PageContext, known: number): Promise<Outcome> {
  const t = language.words.reviews
  const { recording, finding: id } = ctx.params as { recording: string; finding: string }
  const path = `/v1/recordings/${encodeURIComponent(recording)}/analysis`
  const analysis = await api.fetch<AnalysisJson>(path).catch(() => undefined)
  const reviews = (analysis && findFinding(analysis, id)?.reviews) ?? []
  const last = reviews.at(-1)
  if (!last || reviews.length <= known) return { text: t.outdated, isConflict: true, known }
  const [name, time] = [last.person.name, language.format.clock(last.at)]
  const former = reviews.slice(0, -1).findLast(({ kind }) => kind === 'verdict')?.verdict ?? last.machineVerdict
  const isKept = last.verdict === former
  const text =
    last.kind === 'verdict'
      ? isKept
        ? t.meanwhile.kept(name, time)
        : t.meanwhile.changed[last.verdict!]!(name, time)
      : t.meanwhile[last.kind](name, time)
  return { text, isConflict: true, known: reviews.length }
}

/** Larger than a page of the list, so only manipulated forms exceed it. */
const MAX_CONFIRMED = 100

/** Confirms all verdicts of the page. Verdicts that changed in the meantime stay unreviewed. */
async function confirmAll(context: PageContext): Promise<void> {
  rejectManagerRole(context)
  const { ctx, api, language } = context
  const keys = (await parsePostedForm(ctx)).allValues('key')
  if (keys.length > MAX_CONFIRMED) throw new PageError(400)
  const t = language.words.reviews
  let confirmed = 0
  for (const key of keys) {
    const [recording = '', finding = '', verdict, known] = key.split('/')
    const body = { verdict, knownReviews: Number(known) }
    const response = await api.send('PATCH', formatFindingPath(recording, finding), body).catch((error: unknown) => {
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error
    })
    if (response) confirmed += 1
  }
  invalidateReviewBadge(context)
  const rest = keys.length - confirmed
  const notice = [
    t.confirmed(confirmed, language.format.number(confirmed)),
    rest > 0 && t.notConfirmed(rest, language.format.number(rest)),
  ]
  redirect(ctx, `/reviews${ctx.search}`, notice.filter(Boolean).join(' '))
}
