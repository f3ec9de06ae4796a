import Type, { type Static } from 'typebox'
import { DIRECTIONS, SOURCES, STATUSES } from '../recordings/entity.ts'

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, format: 'line', description }))
const question = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 500, description }))
const moment = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'day-or-time',
      description: `${description} ISO 8601, preferably with an offset; without one, or as a day alone, in APP_TIMEZONE.`,
    }),
  )
const number = (maximum: number, description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum, description }))

const SEARCH =
  'Words to search for in the transcripts, in any form of the word, Russian and English, the last word also as a ' +
  'beginning; "exact phrase", -not, or. At most the 2000 best matches are considered, chosen from at least the newest 20,000.'

/** The filters of everything that lists transcripts. */
export const transcriptFilters = {
  q: question(SEARCH),
  source: Type.Optional(
    Type.Array(Type.Enum([...SOURCES]), { description: 'What brought the audio: one or several, comma separated.' }),
  ),
  dateFrom: moment('The call began at this time or later (for a call without a time: it was accepted).'),
  dateTo: moment('The call began before this time.'),
  createdFrom: moment('It was accepted at this time or later.'),
  createdTo: moment('It was accepted before this time.'),
  finishedFrom: moment(
    'It ended, done, failed or cancelled, at this time or later; what has not ended does not match.',
  ),
  finishedTo: moment('It ended before this time, likewise.'),
  minDurationSeconds: number(1e9, 'At least this long.'),
  maxDurationSeconds: number(1e9, 'At most this long.'),
  direction: Type.Optional(Type.Enum([...DIRECTIONS], { description: 'INBOUND or OUTBOUND.' })),
  manager: text(
    255,
    'A part of the manager’s name, in any case; е and ё are alike. Several parts are separated by |: any of them. ' +
      'In double quotes it is the whole name; two quotes alone are calls without a manager.',
  ),
  phone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      format: 'digits',
      description: 'A part of the phone number; only digits are compared.',
    }),
  ),
  externalCallId: text(255, 'The call’s id in the caller’s system, exactly.'),
  scoreBelow: number(1000, 'The score of the call check is less; recordings without a score do not match.'),
  scoreFrom: number(1000, 'The score of the call check is at least this; 0: all recordings that have one.'),
  rule: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: '^[^/:]{1,80}/[^/:]{1,80}(:(met|missed|judged|not_applicable|unknown))?$',
      description:
        'A rule of the call check and its verdict as it holds now: incoming-sales/next-step:met, by the keys of rule set and ' +
        'rule; without a verdict those that missed it; judged stands for met or missed.',
    }),
  ),
  linked: Type.Optional(
    Type.Boolean({
      description: 'true: only calls that belong to a deal of the CRM beyond doubt; false: only the others.',
    }),
  ),
  noSpeech: Type.Optional(
    Type.Boolean({
      description: 'true: only calls in which nobody was heard; false: only those in which somebody was.',
    }),
  ),
  department: Type.Optional(Type.String({ format: 'uuid', description: 'The id of the manager’s department.' })),
  deal: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The number of a deal in the CRM: calls that belong to it for certain.',
    }),
  ),
}

/** The filters of everything that lists recordings. */
export const recordingFilters = {
  ...transcriptFilters,
  q: question(
    `${SEARCH} Finds also calls by words of the manager’s name, of externalCallId and of fileName, or beginnings of these, and by four or more digits anywhere in the phone, however it is written. е and ё are alike.`,
  ),
  status: Type.Optional(Type.Array(Type.Enum([...STATUSES]), { description: 'One or several, comma separated.' })),
}

/** So many recordings at most are named one by one in an address. */
const MOST_IDS = 100

/** Recordings named one by one. */
export const idList = (description: string) =>
  Type.Array(Type.String({ format: 'uuid' }), { minItems: 1, maxItems: MOST_IDS, description })

const RecordingFilters = Type.Object({ ...recordingFilters, ids: Type.Optional(idList('')) })
export type Filters = Static<typeof RecordingFilters>
