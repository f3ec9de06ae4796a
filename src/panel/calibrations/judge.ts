import type { CalibrationCallJson, CalibrationWithCallsJson } from '../../work/calibrations/schema.ts'
import { CALIBRATION_VERDICTS } from '../../work/calibrations/values.ts'
import { ApiError } from '../frame/api-client.ts'
import { redirect, renderPage, type PageContext, type PanelRoute } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { parsePostedForm } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { formatCalibrationPath, nameCall } from './view.ts'

const PATH = '/calibrations/:id/calls/:recording'

export const calibrationJudgingRoutes: PanelRoute[] = [
  { method: 'get', path: PATH, handle: showCall },
  { method: 'post', path: `${PATH}/:rule`, handle: saveVerdict },
  { method: 'post', path: `${PATH}/:rule/undo`, handle: deleteVerdict },
]

/** Longer transcripts would make the page heavy. About a quarter of an hour. */
const MAX_LINES = 200

const formatCallHref = ({ ctx }: PageContext): string => `/calibrations/${ctx.params.id}/calls/${ctx.params.recording}`

async function showCall(context: PageContext): Promise<void> {
  const { api, ctx, person, language } = context
  const path = formatCalibrationPath(context)
  const [calibration, call] = await Promise.all([
    api.fetch<CalibrationWithCallsJson>(path),
    api.fetch<CalibrationCallJson>(`${path}/calls/${encodeURIComponent(String(ctx.params.recording))}`),
  ])
  const href = `/calibrations/${calibration.id}`
  if (calibration.submittedAt) return redirect(ctx, href)
  const { words, format } = language
  const { recording, rules } = call
  const decided = rules.filter(({ verdict }) => verdict !== null).length
  const { manager, at } = nameCall(recording, language)
  await renderPage(context, 'calibrations/call', {
    scripts: ['reviews.js'],
    title: `${manager}, ${at.text}`,
    calibration: { href, name: calibration.name },
    call: { manager, time: at, ...buildPlayer(call, person.rights.audio === true, language) },
    maxLines: ctx.query.lines === 'all' ? call.lines.length : MAX_LINES,
    rules: rules.map((one) => buildRule(one, formatCallHref(context), language)),
    total: rules.length,
    left: [
      words.reviews.decidedCount(format.number(decided)),
      words.reviews.leftCount(format.number(rules.length - decided)),
    ].join(', '),
    place: words.reviews.place(format.number(1), format.number(rules.length)),
    end: decided === rules.length ? buildEnd(calibration, call, language) : null,
  })
}

/** Builds the player and the whole transcript. No part is marked, because the quotes of the check would reveal its verdict. */
function buildPlayer(
  { recording, durationSeconds, hasAudio, lines }: CalibrationCallJson,
  mayListen: boolean,
  { words, format }: Language,
) {
  const { agent, client } = words.recording.sides
  return {
    isSilent: mayListen && !hasAudio,
    audio: mayListen && hasAudio && `/recordings/${recording.id}/playback`,
    waveform: `/reviews/waveforms/${recording.id}`,
    marks: null,
    at: 0,
    seconds: durationSeconds,
    length: durationSeconds === null ? '–:––' : format.length(durationSeconds),
    lines: lines.map(({ start, side, text }) => ({
      at: start,
      time: format.length(start),
      side: { agent: { kind: 'c0', name: agent }, client: { kind: 'c1', name: client }, unknown: null }[side],
      text,
    })),
  }
}

function buildRule(
  { id, rule, hint, critical, verdict, comment }: CalibrationCallJson['rules'][number],
  callHref: string,
  { words, code }: Language,
) {
  const { verdicts } = words.recording.check
  return {
    id,
    name: rule.name[code],
    hint: hint?.[code] ?? null,
    isCritical: critical,
    action: `${callHref}/${id}`,
    comment: comment ?? '',
    verdict: verdict && { code: verdict, text: verdicts[verdict]! },
    buttons: CALIBRATION_VERDICTS.map((one) => ({
      verdict: one,
      key: { met: 'y', missed: 'n', not_applicable: null }[one],
      text: words.calibrations.buttons[one]!,
    })),
  }
}

/** Builds the link to the next call without all verdicts, or else to the submission. */
function buildEnd({ id, items }: CalibrationWithCallsJson, { recording }: CalibrationCallJson, { words }: Language) {
  const t = words.calibrations
  const next = items.find((one) => one.recording.id !== recording.id && one.judged < one.rules)
  return next
    ? { href: `/calibrations/${id}/calls/${next.recording.id}`, text: t.nextCall }
    : { href: `/calibrations/${id}`, text: t.toSubmit }
}

async function saveVerdict(context: PageContext): Promise<void> {
  const fields = await parsePostedForm(context.ctx)
  const verdict = CALIBRATION_VERDICTS.find((one) => one === fields.text('verdict'))
  if (!verdict) throw new PageError(400)
  const { words } = context.language
  const body = { verdict, comment: fields.text('comment') }
  await respond(context, body, { text: words.recording.check.verdicts[verdict]!, notice: words.calibrations.saved })
}

async function deleteVerdict(context: PageContext): Promise<void> {
  const { undone } = context.language.words.calibrations
  await respond(context, { verdict: null }, { text: undone, notice: undone })
}

/** Sends a verdict. Scripts get JSON as from reviews; forms without scripts return to the rule. */
async function respond(
  context: PageContext,
  body: object,
  { text, notice }: { text: string; notice: string },
): Promise<void> {
  const { ctx, api } = context
  const rule = encodeURIComponent(String(ctx.params.rule))
  const conflict = await api.send('PUT', `${formatCalibrationPath(context)}/rules/${rule}`, body).then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error
      return error.messages.map((one) => one.text).join(' ')
    },
  )
  if (ctx.get('Accept') === 'application/json') ctx.body = { text: conflict ?? text, isConflict: conflict !== null }
  else redirect(ctx, `${formatCallHref(context)}#w-${rule}`, conflict ?? notice)
}
