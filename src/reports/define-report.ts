import Type, { type Static, type TObject, type TProperties } from 'typebox'
import type { Core } from '../platform/core.ts'
import type { AuditReadAction } from '../platform/audit/actions.ts'
import { HttpError } from '../platform/errors.ts'
import type { Actor } from '../platform/http/actor.ts'
import type { Operation, ResponseSpec } from '../platform/http/operation.ts'
import { route, type Route } from '../platform/http/route.ts'
import { recordingMessages } from '../calls/recordings/messages.ts'
import { sendReportCsv } from './csv.ts'
import {
  REPORT_CSV_EXAMPLE,
  CSV_RESPONSE_HEADERS,
  csvFormatParameters,
  reportFrameExample,
  type ReportFrame,
} from './schema.ts'
import * as field from '../platform/http/field.ts'

const CsvQuery = Type.Object(csvFormatParameters)

type ReportName<A> = A extends `analytics.${infer Name}` ? Name : never

/** Describes a report. defineReport() derives the route, operation, CSV file and audit action. */
interface ReportDefinition<Query, Schema extends TObject> {
  /** The audit action is `analytics.<name>`. */
  name: ReportName<AuditReadAction>
  /** The last segment of the URL path, with which the name of the CSV file also begins. The default is `name`. */
  path?: string
  summary: string
  description: string
  query: TProperties
  schema: Schema
  /** An example response without the fields of the frame. */
  example: Omit<Static<Schema>, keyof ReportFrame>
  otherResponses?: Record<number, ResponseSpec>
  /** @throws HttpError 400 if the query is invalid; the reason of the signal if the client disconnects */
  make: (
    core: Core,
    actor: Actor,
    query: Query,
    signal: AbortSignal,
  ) => Promise<Static<Schema> & Pick<ReportFrame, 'period'>>
}

/**
 * Creates the route of a report under /v1/analytics, which returns JSON or CSV, checks the right `analytics` and writes the audit
 * log.
 */
export function defineReport<Query, Schema extends TObject>(report: ReportDefinition<Query, Schema>): Route {
  const { name, path = name, summary, description, query, schema, example, otherResponses, make } = report
  const operation: Operation = {
    id: `analytics${name[0]!.toUpperCase()}${name.slice(1)}`,
    method: 'get',
    path: `/v1/analytics/${path}`,
    tag: 'Analytics',
    summary,
    description,
    access: 'scoped',
    rights: ['analytics'],
    audit: `analytics.${name}`,
    query: field.object({ ...query, ...csvFormatParameters }),
    responses: {
      200: {
        description: 'The report.',
        json: schema,
        example: { ...reportFrameExample, ...example },
        content: ['text/csv'],
        contentExamples: REPORT_CSV_EXAMPLE,
        headers: CSV_RESPONSE_HEADERS,
      },
      ...otherResponses,
    },
  }
  return route(operation, async ({ ctx, core, actor, query: parameters }) => {
    const { format, spreadsheet, ...reportQuery } = parameters as unknown as Static<typeof CsvQuery> & Query
    const abortController = new AbortController()
    ctx.res.once('close', () => abortController.abort(new HttpError(400, recordingMessages.callerGone())))
    const result = await make(core, actor, reportQuery as Query, abortController.signal)
    return format === 'csv' ? sendReportCsv(ctx, path, result, spreadsheet) : result
  })
}
