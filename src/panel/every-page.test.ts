import { readFile } from 'node:fs/promises'
import { EMPTY_WEEK_FIGURES, type WeeklyManagerRow } from '../reports/weekly/week-figures.ts'
import { exampleReconciliationCounts } from '../crm/reconciliation/schema.ts'
import type { TranscriptSegment } from '../calls/transcripts/entity.ts'
import { createCalibration, judgeCalibrationCall, submitCalibration } from '../test/calibrations.ts'
import type { TestClient } from '../test/client.ts'
import { createDepartment, createLoggedInPerson } from '../test/people.ts'
import { createPublishedRuleSet } from '../test/rule-sets.ts'
import { waitUntil } from '../test/wait.ts'
import { insertAssignment } from '../test/work-objects.ts'
import { PANEL_ROUTES } from './pages.ts'
import type { TestPanel } from '../test/panel.ts'

/** The transcript of the sample call, on two channels. */
export const SAMPLE_SEGMENTS: TranscriptSegment[] = [
  { start: 0.5, end: 3, channel: 0, text: 'Good morning, how is my delivery?' },
  { start: 3.5, end: 9, channel: 1, text: 'The deliveries come on Monday.' },
  { start: 9.3, end: 14, channel: 0, text: 'I am sorry about that.' },
  { start: 14.2, end: 17, channel: 1, text: 'Great, thank you.' },
]

const PATHS = PANEL_ROUTES.filter(({ method }) => method === 'get').map(({ path }) => path)

/** GET routes that return a file, a part of a page or a redirect instead of a whole page. */
export const PATHS_WITHOUT_PAGE = [
  ...PATHS.filter((path) => path.endsWith('.csv')),
  '/recordings/export',
  '/upload/calls',
  '/recordings/:id/audio',
  '/recordings/:id/comment-form',
  '/recordings/:id/comments',
  '/recordings/:id/comments/:comment',
  '/recordings/:id/check',
  '/recordings/:id/history',
  '/recordings/:id/playback',
  '/reviews/searched/:finding',
  '/reviews/waveforms/:recording',
  '/recordings/:id/lines/:rows',
  '/views/counts',
  '/views/:id',
  '/recordings/:id/transcript.:format',
  '/audit/export',
  '/notifications/bell',
  '/notifications/:id/open',
  '/rule-sets/:id/draft/ask',
  ...['new', 'rules/:key'].flatMap((rule) =>
    ['fields', 'try', 'ask', 'calls'].map((form) => `/rule-sets/:id/draft/${rule}/${form}`),
  ),
]

/** Ids of the sample data, with one call per status. */
export interface SampleIds {
  done: string
  failed: string
  cancelled: string
  running: string
  queued: string
  department: string
  hanna: string
  /** A comment on the call `done`. */
  comment: string
  /** A finding of the call `done`. */
  finding: string
  ruleSet: string
  backtest: string
  recalculation: string
  separation: string
  view: string
  playlist: string
  bulkAction: string
  calibrations: { open: string; done: string }
}

/** Creates a call per status, a head, a department, rules and a weekly report, so that no page is empty. */
export async function createSampleData(app: TestPanel): Promise<SampleIds> {
  const { recognizer } = app
  const call = await readFile('samples/call.wav')
  const submit = async (fields: Record<string, string>): Promise<string> =>
    (await app.ida.upload(call, { managerName: 'Anna', ...fields })).json.id
  const reach = (id: string, status: string) =>
    waitUntil(status, async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === status)
  const department = await createDepartment(app, 'Sales', ['Anna'])
  const hanna = await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [department] })
  await createPublishedRuleSet(app.olga, 'manners')
  await app.olga.put('/v1/search/synonyms', { groups: [['delivery', 'доставка']] })
  recognizer.answer = (one) => one.finish(SAMPLE_SEGMENTS)
  const done = await submit({ phoneNumber: '+375291234567', direction: 'INBOUND', externalCallId: 'call-1' })
  await reach(done, 'DONE')
  const finding = await waitUntil('the check', async () => {
    const { json } = await app.ida.get(`/v1/recordings/${done}/analysis`)
    return json.findings[1]?.id as string | undefined
  })
  const calibrations = await createSampleCalibrations(app, hanna, done)
  recognizer.answer = (one) => one.fail('UNSUPPORTED_AUDIO', 'no sound')
  const failed = await submit({ phoneNumber: '+375337001120' })
  await reach(failed, 'FAILED')
  recognizer.answer = (one) => one.progress(5, 17.5)
  const cancelled = await submit({})
  await reach(cancelled, 'PROCESSING')
  await app.ida.post(`/v1/recordings/${cancelled}/cancel`)
  const running = await submit({ direction: 'OUTBOUND', managerName: 'Ivan' })
  await reach(running, 'PROCESSING')
  await app.olga.post('/v1/queues/transcription/pause')
  const queued = await submit({ priority: '5' })
  const rules = await createSampleRules(app)
  const period = { from: '2026-01-01', to: '2100-01-01' }
  const separation = (await app.olga.post('/v1/separation-runs', period)).json.id
  const bulkAction = (await app.olga.post('/v1/bulk-actions', { action: 'retry', ids: [done] })).json.id
  await createSampleWeek(app, done)
  const lists = await createSampleLists(app, done)
  await createSampleAssignments(app, done, hanna)
  const comment = await createSampleComments(app, done)
  return {
    comment,
    done,
    failed,
    cancelled,
    running,
    queued,
    department,
    hanna: hanna.id,
    finding,
    separation,
    bulkAction,
    calibrations,
    ...rules,
    ...lists,
  }
}

/** Creates a comment with a reply and a deleted one with a reply. @returns the id of the first */
async function createSampleComments({ olga }: TestPanel, call: string): Promise<string> {
  const path = `/v1/recordings/${call}/comments`
  const post = async (body: object): Promise<string> => (await olga.post(path, body)).json.id
  const first = await post({ at: 0, text: 'Well said' })
  await post({ at: 0, text: 'Next time a little slower', replyTo: first })
  const deleted = await post({ at: 0.5, text: 'Wrong' })
  await post({ at: 0.5, text: 'Why?', replyTo: deleted })
  await olga.delete(`${path}/${deleted}`)
  return first
}

/** Creates a saved view and a playlist with a call. */
async function createSampleLists({ olga }: TestPanel, call: string): Promise<Pick<SampleIds, 'view' | 'playlist'>> {
  const filters = { scoreBelow: '50', sort: 'score' }
  const view = (await olga.post('/v1/views', { name: 'Ниже 50', filters })).json.id
  const playlist = (await olga.post('/v1/playlists', { name: 'Лучшие' })).json.id
  await olga.post(`/v1/playlists/${playlist}/items`, { recordingId: call, note: 'Хорошо' })
  return { view, playlist }
}

/** Fills the list of calls with its widest values: long names, an old start time and a long duration. */
export async function fillWidestCells({ db }: TestPanel, { queued, failed }: SampleIds): Promise<void> {
  const long = '2026-11-01_14-30_+375291234567_Иван_Сидоров_incoming_recording_of_the_call_center_in.wav'
  await db.query(
    `UPDATE recordings SET file_name = $2, phone_number = NULL, manager_name = $2, score = 70 WHERE id = $1`,
    [queued, long],
  )
  await db.query(
    `UPDATE recordings SET call_started_at = '2024-09-22T04:28:00Z', duration_seconds = 5025 WHERE id = $1`,
    [failed],
  )
}

/** Creates a rule set with two versions, a changed draft and a test run of the draft. Also starts a recheck. */
async function createSampleRules({
  olga,
}: TestPanel): Promise<Pick<SampleIds, 'ruleSet' | 'backtest' | 'recalculation'>> {
  const [first] = (await olga.get('/v1/rule-sets')).json.items
  const { rules } = (await olga.get(`/v1/rule-sets/${first.id}`)).json
  const heavier = rules.map((rule: { weight: number }) => ({ ...rule, weight: rule.weight + 1 }))
  await olga.put(`/v1/rule-sets/${first.id}/draft`, { rules: heavier })
  await olga.post(`/v1/rule-sets/${first.id}/publish`, { revision: 1 })
  await olga.put(`/v1/rule-sets/${first.id}/draft`, { rules })
  const period = { from: '2026-01-01', to: '2100-01-01' }
  const backtest = (await olga.post(`/v1/rule-sets/${first.id}/backtests`, period)).json.id
  await waitUntil('the backtest', async () => (await olga.get(`/v1/backtests/${backtest}`)).json.state === 'done')
  const recalculation = (await olga.post('/v1/analysis-runs', period)).json.id
  return { ruleSet: first.id, backtest, recalculation }
}

/** Creates a calibration that waits for Olga, and one with results and differences. */
async function createSampleCalibrations(
  { olga }: TestPanel,
  head: TestClient & { id: string },
  call: string,
): Promise<SampleIds['calibrations']> {
  const { id } = (await olga.get('/v1/auth/me')).json.person
  const create = () => createCalibration(olga, [call], [id, head.id], 'Март')
  const [open, done] = [await create(), await create()]
  await judgeCalibrationCall(olga, open, call, { greeting: 'met' })
  await submitCalibration(olga, done, { greeting: 'met', farewell: 'missed', insults: 'met' })
  await submitCalibration(head, done, { greeting: 'missed', farewell: 'missed', insults: 'not_applicable' })
  return { open, done }
}

/** Stores a weekly report whose figures differ from those of the eight weeks before, and a row without calls. */
async function createSampleWeek({ db }: TestPanel, call: string): Promise<void> {
  const { rows } = await db.query<{ id: string }>(`SELECT id FROM managers WHERE name = 'Anna'`)
  const nextStep = {
    set: { key: 'incoming-sales', name: { en: 'Incoming sale', ru: 'Входящая продажа' } },
    rule: { key: 'next-step', name: { en: 'Agrees the next step', ru: 'Назначил следующий шаг' } },
  }
  const before = {
    ...EMPTY_WEEK_FIGURES,
    calls: 20,
    done: 20,
    checked: 15,
    score: 900,
    met: 30,
    missed: 30,
    won: 5,
    lost: 6,
  }
  const week = {
    ...EMPTY_WEEK_FIGURES,
    calls: 40,
    done: 40,
    checked: 39,
    score: 3500,
    met: 90,
    missed: 10,
    won: 20,
    lost: 12,
  }
  const toHear = { id: call, at: '2026-03-17T10:00:00Z', score: 31, missed: [nextStep] }
  const anna: WeeklyManagerRow = {
    managerId: rows[0]!.id,
    manager: 'Anna',
    weeks: [...Array.from({ length: 8 }, () => before), week],
    worst: [toHear],
    best: [{ ...toHear, score: 97, missed: [] }],
    coach: { ...nextStep, met: 8, missed: 12 },
    refusals: [{ reason: null, deals: 12 }],
    reconciliation: exampleReconciliationCounts,
  }
  const nobody = { ...anna, managerId: null, manager: null, weeks: [], worst: [], best: [], coach: null, refusals: [] }
  await db.query(
    `INSERT INTO weekly_reports (week, state, made_at, timezone, managers) VALUES ('2026-W12', 'final', now(), 'UTC', $1)`,
    [JSON.stringify([anna, { ...nobody, weeks: Array.from({ length: 9 }, () => EMPTY_WEEK_FIGURES) }])],
  )
}

/** Assigns a call by Olga and to Olga, and notifies her of a comment. */
async function createSampleAssignments(
  app: TestPanel,
  call: string,
  hanna: TestClient & { id: string },
): Promise<void> {
  const { id: olga } = (await app.olga.get('/v1/auth/me')).json.person
  await insertAssignment(app, call, hanna.id, olga)
  await insertAssignment(app, call, olga, hanna.id)
  await hanna.post(`/v1/recordings/${call}/comments`, { at: 4, text: 'Great, thank you.', mentions: [olga] })
}

/** Pages whose route has no parameter. */
const STATIC_PATHS = PATHS.filter(
  (path) => !path.includes(':') && path !== '/login' && !PATHS_WITHOUT_PAGE.includes(path),
)

/** Returns addresses of every page that a logged-in person can open, by route. A test checks that no route is missing. */
export const buildPageAddresses = (ids: SampleIds): Record<string, string[]> => ({
  ...Object.fromEntries(STATIC_PATHS.map((path) => [path, [path]])),
  '/recordings': [
    '/recordings',
    '/recordings?q=delivery&status=DONE&manager=Anna&pageSize=50',
    '/recordings?q=nothing-like-it',
    '/recordings?lengthFrom=x',
    `/recordings?scoreBelow=60&view=${ids.view}`,
  ],
  '/views/:id/edit': [`/views/${ids.view}/edit`],
  '/playlists/:id': [`/playlists/${ids.playlist}`],
  '/playlists/:id/edit': [`/playlists/${ids.playlist}/edit`],
  '/recordings/:id/playlists': [`/recordings/${ids.failed}/playlists`],
  '/recordings/:id': [
    `/recordings/${ids.done}?q=delivery`,
    `/recordings/${ids.done}?q=доставка`,
    `/recordings/${ids.done}?judge=${ids.finding}`,
    `/recordings/${ids.done}?comments=all&reply=${ids.comment}`,
    `/recordings/${ids.failed}?write=0`,
    ...[ids.failed, ids.cancelled, ids.running, ids.queued].map((id) => `/recordings/${id}`),
  ],
  '/queues': ['/queues', '/queues?state=failed'],
  '/queues/:name': ['/queues/callbacks'],
  '/analytics/load': ['/analytics/load', '/analytics/load?from=x'],
  '/analytics/weekly': ['/analytics/weekly', '/analytics/weekly?week=2026-W12', '/analytics/weekly?week=x'],
  '/analytics/weekly/sheets': ['/analytics/weekly/sheets?week=2026-W12'],
  '/analytics/deals': ['/analytics/deals', '/analytics/deals?from=x', '/analytics/deals?by=silent&reason=-'],
  '/analytics/quality': ['/analytics/quality', '/analytics/quality?from=x'],
  '/people': ['/people', '/people?q=nobody'],
  '/people/:id': [`/people/${ids.hanna}`],
  '/departments/:id': [`/departments/${ids.department}`],
  '/analysis/requests': ['/analysis/requests', '/analysis/requests?from=x'],
  '/rule-sets': ['/rule-sets', '/rule-sets?archived=true'],
  '/rule-sets/:id': [`/rule-sets/${ids.ruleSet}`],
  '/rule-sets/:id/draft': [`/rule-sets/${ids.ruleSet}/draft`],
  '/rule-sets/:id/draft/new': ['said', 'order', 'pace'].map(
    (kind) => `/rule-sets/${ids.ruleSet}/draft/new?kind=${kind}`,
  ),
  '/rule-sets/:id/draft/rules/:key': [`/rule-sets/${ids.ruleSet}/draft/rules/price`],
  '/rule-sets/:id/publish': [`/rule-sets/${ids.ruleSet}/publish`],
  '/rule-sets/:id/backtests': [`/rule-sets/${ids.ruleSet}/backtests`],
  '/rule-sets/:id/backtests/:backtest': [`/rule-sets/${ids.ruleSet}/backtests/${ids.backtest}`],
  '/reviews': ['/reviews', '/reviews?reason=random', '/reviews?reason=decided'],
  '/calibrations/:id': [`/calibrations/${ids.calibrations.open}`, `/calibrations/${ids.calibrations.done}`],
  '/calibrations/:id/calls/:recording': [`/calibrations/${ids.calibrations.open}/calls/${ids.done}`],
  '/recalculations/:id': [`/recalculations/${ids.recalculation}`],
  '/recordings/bulk/:id': [`/recordings/bulk/${ids.bulkAction}`],
  '/separations/:id': [`/separations/${ids.separation}`],
  '/rule-sets/:id/settings': [`/rule-sets/${ids.ruleSet}/settings`],
  '/rule-sets/:id/phrases/:rule': [`/rule-sets/${ids.ruleSet}/phrases/greeting`],
  '/rule-sets/:id/versions/:version/phrases/:rule': [`/rule-sets/${ids.ruleSet}/versions/1/phrases/greeting`],
  '/rule-sets/:id/versions/:version': [1, 2].map((version) => `/rule-sets/${ids.ruleSet}/versions/${version}`),
  '/automation/writing': ['/automation/writing', '/automation/writing?recording=none'],
  '/reconciliation': ['/reconciliation', '/reconciliation?from=x'],
  '/reconciliation/calls': [
    '/reconciliation/calls',
    '/reconciliation/calls?state=skipped-short',
    '/reconciliation/calls?from=x',
  ],
  '/assignments': ['/assignments', '/assignments?by=others'],
  '/notifications': ['/notifications', '/notifications?unread=true'],
  '/audit': ['/audit', '/audit?action=recording.retry', '/audit?from=x'],
})
