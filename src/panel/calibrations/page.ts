import type { CalibrationJson, CalibrationWithCallsJson } from '../../work/calibrations/schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { redirect, renderPage, type PageContext } from '../frame/context.ts'
import { buildPaging, parsePageNumber } from '../frame/paging.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { calibrationFormRoutes } from './create.ts'
import { calibrationJudgingRoutes } from './judge.ts'
import { buildCalibrationResults, fetchCalibrationResults, type CalibrationResultsView } from './results.ts'
import { buildReviewPageTabs, countDueCalibrations } from './tabs.ts'
import { buildCallRow, buildCalibrationRow, formatCalibrationPath } from './view.ts'
import { calibrationWords } from './words.ts'

export const calibrationsPage: Page<'calibrations', typeof calibrationWords> = {
  name: 'calibrations',
  words: calibrationWords,
  menu: { href: '/calibrations', title: calibrationWords.title, group: 'own', for: isOwnerOrHead },
  styles: ['calibrations'],
  routes: [
    { method: 'get', path: '/calibrations', handle: showList },
    ...calibrationFormRoutes,
    { method: 'get', path: '/calibrations/:id', handle: showCalibration },
    { method: 'post', path: '/calibrations/:id/submit', handle: submitVerdicts },
    { method: 'post', path: '/calibrations/:id/delete', handle: deleteCalibration },
    ...calibrationJudgingRoutes,
  ],
}

const PAGE_SIZE = 25

async function showList(context: PageContext): Promise<void> {
  const page = parsePageNumber(context.ctx.query.page)
  const [{ items, total }, due] = await Promise.all([
    context.api.fetch<{ items: CalibrationJson[]; total: number }>(
      `/v1/calibrations?page=${page}&pageSize=${PAGE_SIZE}`,
    ),
    countDueCalibrations(context),
  ])
  const { words, format } = context.language
  await renderPage(context, 'calibrations/index', {
    title: words.calibrations.title,
    tabs: buildReviewPageTabs(context, 'calibrations', due),
    due: due > 0 ? words.calibrations.due(due, format.number(due)) : null,
    rows: items.map((one) => buildCalibrationRow(one, context.language)),
    total,
    paging: buildPaging(page, PAGE_SIZE, total, (page) => `/calibrations?page=${page}`),
  })
}

async function showCalibration(context: PageContext): Promise<void> {
  const { api, language } = context
  const calibration = await api.fetch<CalibrationWithCallsJson>(formatCalibrationPath(context))
  const { isParticipant, submittedAt, rules, judged, items, canSeeResults } = calibration
  const isJudging = isParticipant && submittedAt === null
  const results: CalibrationResultsView | null = canSeeResults
    ? buildCalibrationResults(await fetchCalibrationResults(context), context)
    : null
  const calls = items.map((one) => buildCallRow(calibration.id, one, language))
  const next = isJudging ? calls.find(({ isOpen }) => isOpen) : undefined
  await renderPage(context, 'calibrations/show', {
    title: calibration.name,
    calibration: buildCalibrationRow(calibration, language),
    isJudging,
    calls,
    next: next && { href: next.href, text: language.words.calibrations[judged > 0 ? 'continue' : 'start'] },
    isComplete: isJudging && rules > 0 && judged === rules,
    results,
  })
}

async function submitVerdicts(context: PageContext): Promise<void> {
  const t = context.language.words.calibrations
  const response = await context.api
    .send('POST', `${formatCalibrationPath(context)}/submit`)
    .catch(returnApiErrorWithStatus(409))
  redirect(
    context.ctx,
    `/calibrations/${context.ctx.params.id}`,
    response instanceof ApiError ? t.notAll : t.nowSubmitted,
  )
}

async function deleteCalibration(context: PageContext): Promise<void> {
  await context.api.send('DELETE', formatCalibrationPath(context))
  redirect(context.ctx, '/calibrations', context.language.words.calibrations.deleted)
}
