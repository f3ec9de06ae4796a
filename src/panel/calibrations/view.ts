import type { CalibrationJson, CalibrationWithCallsJson } from '../../work/calibrations/schema.ts'
import type { PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'

/** Formats the API path of the calibration whose id is in the route. */
export const formatCalibrationPath = ({ ctx }: PageContext): string =>
  `/v1/calibrations/${encodeURIComponent(String(ctx.params.id))}`

/** Builds a calibration for the list and for its own page. */
export function buildCalibrationRow(calibration: CalibrationJson, { words, format }: Language) {
  const { id, name, creator, createdAt, participants, calls, canDelete, canSeeResults } = calibration
  const t = words.calibrations
  return {
    href: `/calibrations/${id}`,
    name,
    creator: creator.name,
    at: { iso: createdAt, text: format.shortTime(createdAt) },
    calls: format.number(calls),
    verdicts: formatOwnProgress(calibration, { words, format }),
    isDue: calibration.isParticipant && calibration.submittedAt === null && calibration.rules > 0,
    people: participants.map((one) => one.name).join(', '),
    participants: participants.map((one) => ({
      name: one.name,
      state: canSeeResults
        ? one.submittedAt
          ? t.submittedOn(format.shortTime(one.submittedAt))
          : t.notSubmitted
        : null,
    })),
    canDelete,
  }
}

function formatOwnProgress(
  { isParticipant, submittedAt, judged, rules }: CalibrationJson,
  { words, format }: Pick<Language, 'words' | 'format'>,
): string {
  const t = words.calibrations
  if (!isParticipant) return '—'
  return submittedAt ? t.submitted : t.progress(format.number(judged), format.number(rules))
}

type CallProgress = CalibrationWithCallsJson['items'][number]

/** Builds a call of a calibration with the person's own progress. */
export function buildCallRow(
  calibrationId: string,
  { recording, durationSeconds, rules, judged }: CallProgress,
  language: Language,
) {
  const { words, format } = language
  return {
    id: recording.id,
    href: `/calibrations/${calibrationId}/calls/${recording.id}`,
    ...nameCall(recording, language),
    length: durationSeconds === null ? '—' : format.length(durationSeconds),
    progress: words.calibrations.progress(format.number(judged), format.number(rules)),
    isOpen: judged < rules,
  }
}

/** Names a call by its manager, else by its phone number, and by its time. */
export function nameCall({ managerName, phoneNumber, callAt }: CallProgress['recording'], { words, format }: Language) {
  return {
    manager: managerName ?? format.phone(phoneNumber) ?? words.recording.title,
    at: { iso: callAt, text: format.shortTime(callAt) },
  }
}
