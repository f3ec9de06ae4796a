import Type, { type Static, type TProperties } from 'typebox'
import { spreadsheetParameter } from '../platform/http/spreadsheet.ts'
import { transcriptFilterSchemas } from '../calls/list/filters.ts'
import { bilingualTextSchema } from '../check/rules/schema.ts'
import * as field from './field.ts'

/** Identifies a manager in a report. Both fields are null for calls and deals without a manager. */
export const reportManagerFields = {
  managerId: field.idOrNull('The manager; null for calls or deals without one.'),
  manager: field.textOrNull('The name of the manager; null without one.'),
}

export const reportRuleFields = {
  set: field.object('The rule set.', {
    key: field.text('The key of the rule set.'),
    name: bilingualTextSchema(200, 'The name of the rule set.'),
  }),
  rule: field.object('The rule.', {
    key: field.text('The key of the rule.'),
    name: bilingualTextSchema(200, 'The requirement of the rule.'),
  }),
}

export const reportWeekFields = {
  week: field.text('The week of ISO 8601, such as 2026-W12.'),
  from: field.day('The first day of the week in the period.'),
  to: field.day('The last day of the week in the period.'),
  complete: field.boolean(
    'Whether the period contains all days of the week and all are over. Do not compare incomplete weeks.',
  ),
}

/** Query parameters of every report that restrict it to managers or departments. */
export const managerFilterParameters = {
  manager: transcriptFilterSchemas.manager,
  department: transcriptFilterSchemas.department,
}
export const csvFormatParameters = {
  format: Type.Optional(
    field.oneOf(['json', 'csv'], 'json, the default, or csv: all figures as the lines of a table.'),
  ),
  ...spreadsheetParameter,
}
export const periodFromParameter = {
  from: Type.Optional(field.text('The first day: 2026-03-01, or a time of that day in APP_TIMEZONE.')),
}
const periodParameters = {
  ...periodFromParameter,
  to: Type.Optional(
    field.text(
      'The last day, inclusive, in the same format; default today. A period has at most 366 days, by default 90.',
    ),
  ),
}
/** Query parameters of reports on calls: period, manager and department. */
export const callsReportParameters = { ...periodParameters, ...managerFilterParameters }

/** Query parameters of reports on deals: those of reports on calls, and the funnel. */
export const dealsReportParameters = {
  ...callsReportParameters,
  funnel: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only deals of the funnel with this number in the CRM.',
    }),
  ),
}

export const scoredByParameter = {
  scoredBy: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^[^/:]{1,80}/[1-9]\\d{0,8}$',
      description:
        'The version of rules whose scores are compared, by the key of the rule set and the number of the version, ' +
        'such as incoming-sales/2. Default: the version with most calls.',
    }),
  ),
}

const PeriodSchema = field.object('The period of the report.', {
  from: field.day('The first day.'),
  to: field.day('The last day, inclusive.'),
  timezone: field.text('The time zone of the days, APP_TIMEZONE.'),
  complete: field.boolean('Whether the last day is over.'),
  asOf: field.time('When the figures were computed.'),
})

const frameFields = {
  period: PeriodSchema,
  filters: field.object('The filters of the report.', {
    manager: field.textOrNull('The value of the parameter; null without it.'),
    department: field.textOrNull('The value of the parameter; null without it.'),
    funnel: field.integerOrNull('The value of the parameter; null without it.'),
  }),
  coverage: field.object(
    'The amount of data behind the report. Calls have no funnel, so the filter funnel does not change these ' +
      'counts.',
    {
      calls: field.integer('Calls of the period, with any status.'),
      done: field.integer('Of these, calls with a transcript.'),
      checked: field.integer('Of these, calls with a score.'),
      linked: field.integer('Calls of the period that certainly belong to a deal.'),
    },
  ),
}
const FrameSchema = field.object('', frameFields)
export type ReportFrame = Static<typeof FrameSchema>
/** Counts calls: all, with a transcript, and with a score. */
export type CallCounts = Omit<ReportFrame['coverage'], 'linked'>

/**
 * Builds the response schema of a report: the fields of the frame and the given fields.
 * @param title the name of the schema in the API description
 */
export const defineReportSchema = <P extends TProperties>(title: string, description: string, fields: P) =>
  field.namedObject(title, description, { ...frameFields, ...fields })

/** The manager in the examples of the API description. */
export const MANAGER_EXAMPLE = { managerId: '0197a3c0-5f0e-7cc0-b2a0-3d4c5b6a7988', manager: 'Anna' }
export const WEEK_EXAMPLE = { week: '2026-W12', from: '2026-03-16', to: '2026-03-22', complete: true }
export const RULE_EXAMPLE = {
  set: { key: 'incoming-sales', name: { en: 'Incoming sales call', ru: 'Входящая продажа' } },
  rule: { key: 'next-step', name: { en: 'Agrees the next step', ru: 'Договорился о следующем шаге' } },
}
export const reportFrameExample: ReportFrame = {
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

/** Describes the header of CSV responses in the API description. */
export const CSV_RESPONSE_HEADERS = { 'Content-Disposition': 'The name of the file. Only with format=csv.' }
export const REPORT_CSV_EXAMPLE = { 'text/csv': '"section","entry","figure","value","numerator","denominator"\r\n' }
