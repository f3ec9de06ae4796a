import Type, { type Static, type TProperties } from 'typebox'
import { spreadsheetParameter } from '../platform/http/spreadsheet.ts'
import { nullable as maybe } from '../calls/recordings/schema.ts'
import { transcriptFilters } from '../calls/list/filters.ts'
import { inBothLanguages } from '../check/rule-sets/body-schema.ts'

export const closed = { additionalProperties: false }
export const count = (description: string) => Type.Integer({ description })
export const text = (description: string) => Type.String({ description })
export const day = (description: string) => Type.String({ format: 'date', description })
export { maybe }

/** An object of which everything is always there. */
export const object = <P extends TProperties>(properties: P, description: string) =>
  Type.Object(properties, { ...closed, description })
export const list = <S extends Type.TSchema>(items: S, description: string) => Type.Array(items, { description })

/** A share. */
export const ratioOf = (description: string) =>
  object(
    {
      value: maybe(Type.Number(), 'Numerator by denominator; null where the denominator is below 10.'),
      numerator: count('How many of them.'),
      denominator: count('Of how many.'),
    },
    description,
  )

export const meanOf = (description: string) =>
  object(
    { value: maybe(Type.Number(), 'Null where it is of fewer than ten.'), count: count('Of how many.') },
    description,
  )

/** What something is worth, or null. */
export const money = (description: string) =>
  maybe(
    object({ amount: Type.Number({ description: 'How much.' }), currency: text('The currency.') }, 'An amount.'),
    description,
  )

/** A manager as reports name them; both null for what belongs to nobody. */
export const managerFields = {
  managerId: maybe(Type.String({ format: 'uuid' }), 'The manager; null for what belongs to nobody.'),
  manager: maybe(Type.String(), 'Their name.'),
}

export const ruleFields = {
  set: object({ key: text('Its key.'), name: inBothLanguages(200, 'Its name.') }, 'The rule set.'),
  rule: object({ key: text('Its key.'), name: inBothLanguages(200, 'What it asks for.') }, 'The rule.'),
}

export const weekFields = {
  week: text('The week of ISO 8601, as 2026-W12.'),
  from: day('Its first day that lies in the period.'),
  to: day('Its last one.'),
  complete: Type.Boolean({
    description: 'Whether all its days lie in the period and are over; others are not to be compared.',
  }),
}

/** Managers and departments, which every report can be narrowed to. */
export const narrowing = {
  manager: transcriptFilters.manager,
  department: transcriptFilters.department,
}
export const csvParameter = {
  format: Type.Optional(
    Type.Enum(['json', 'csv'], { description: 'json, which is the default, or all figures as the lines of a table.' }),
  ),
  ...spreadsheetParameter,
}
export const fromParameter = {
  from: Type.Optional(
    Type.String({ description: 'The first day: 2026-03-01, or a time, which stands for its day in APP_TIMEZONE.' }),
  ),
}
const periodParameters = {
  ...fromParameter,
  to: Type.Optional(
    Type.String({
      description: 'The last day, inclusive, likewise; default today. At most 366 days in all, by default 90.',
    }),
  ),
}
/** The query of reports of calls. */
export const callsQuery = { ...periodParameters, ...narrowing }

/** The query of reports of deals. */
export const dealsQuery = {
  ...callsQuery,
  funnel: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'The number of a funnel of the CRM.' }),
  ),
}

export const scoredByParameter = {
  scoredBy: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^[^/:]{1,80}/[1-9]\\d{0,8}$',
      description:
        'The version of rules whose scores the correlation compares, by the key of the rule set and the number of its version, ' +
        'such as incoming-sales/2. By default the version with most calls.',
    }),
  ),
}

const PeriodSchema = object(
  {
    from: day('The first day.'),
    to: day('The last day, inclusive.'),
    timezone: text('APP_TIMEZONE, whose days these are.'),
    complete: Type.Boolean({ description: 'Whether the last day is over.' }),
    asOf: Type.String({ format: 'date-time', description: 'When the figures were read.' }),
  },
  'What the report is of.',
)

/** What every report begins with. */
const frameFields = {
  period: PeriodSchema,
  filters: object(
    {
      manager: maybe(Type.String(), 'As it was asked.'),
      department: maybe(Type.String(), 'As it was asked.'),
      funnel: maybe(Type.Integer(), 'As it was asked.'),
    },
    'What narrows it.',
  ),
  coverage: object(
    {
      calls: count('Calls of the period, whatever became of them.'),
      done: count('Of these the ones with a text.'),
      checked: count('Of these the ones with a score.'),
      linked: count('Calls of the period that belong to a deal beyond doubt.'),
    },
    'On how much of it the report rests. Calls stand in no funnel: also with funnel it is of all of them.',
  ),
}
const FrameSchema = object(frameFields, '')
export type Frame = Static<typeof FrameSchema>
/** Calls, those with a text, and those with a score. */
export type CallCounts = Omit<Frame['coverage'], 'linked'>

/** The response of a report: the frame and its own fields. @param title the name of the schema */
export const reportSchema = <P extends TProperties>(title: string, description: string, fields: P) =>
  Type.Object({ ...frameFields, ...fields }, { ...closed, title, description })

/** For examples. */
export const ANNA = { managerId: '0197a3c0-5f0e-7cc0-b2a0-3d4c5b6a7988', manager: 'Anna' }
export const WEEK = { week: '2026-W12', from: '2026-03-16', to: '2026-03-22', complete: true }
export const NEXT_STEP = {
  set: { key: 'incoming-sales', name: { en: 'Incoming sales call', ru: 'Входящая продажа' } },
  rule: { key: 'next-step', name: { en: 'Agrees the next step', ru: 'Договорился о следующем шаге' } },
}
export const frameExample: Frame = {
  period: {
    from: '2026-03-16',
    to: '2026-03-22',
    timezone: 'Europe/Moscow',
    complete: true,
    asOf: '2026-03-23T04:00:00.000Z',
  },
  filters: { manager: null, department: null, funnel: null },
  coverage: { calls: 120, done: 118, checked: 110, linked: 80 },
}

/** The first line of a CSV file. */
export const CSV_HEADERS = { 'Content-Disposition': 'The name of the file, with format=csv.' }
export const CSV_EXAMPLE = { 'text/csv': '"section","entry","figure","value","numerator","denominator"\r\n' }
