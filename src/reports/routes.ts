import type { Context } from 'koa'
import { HttpError } from '../platform/errors.ts'
import { route, type Route } from '../platform/http/route.ts'
import { recordingMessages } from '../calls/recordings/messages.ts'
import { sendCsv } from './csv.ts'
import { listDeals } from './deals/deals.ts'
import { deals } from './deals/schema.ts'
import { reportCorrelation } from './correlation/correlation.ts'
import { correlation } from './correlation/schema.ts'
import { quality } from './quality/schema.ts'
import { reportQuality } from './quality/quality.ts'
import { reportRefusals } from './refusals/refusals.ts'
import { refusals } from './refusals/schema.ts'
import { reportSales } from './sales/sales.ts'
import { sales } from './sales/schema.ts'
import { reportWeek } from './weekly/report.ts'
import { weekly } from './weekly/schema.ts'

export const analyticsRoutes: Route[] = [
  route(sales, async ({ ctx, core, actor, query: { format, spreadsheet, ...asked } }) => {
    send(ctx, 'sales', { format, spreadsheet }, await reportSales(core, actor, asked))
  }),

  route(quality, async ({ ctx, core, actor, query: { format, spreadsheet, ...asked } }) => {
    send(ctx, 'quality', { format, spreadsheet }, await reportQuality(core, actor, asked))
  }),

  route(refusals, async ({ ctx, core, actor, query: { format, spreadsheet, ...asked } }) => {
    send(ctx, 'refusals', { format, spreadsheet }, await reportRefusals(core, actor, asked))
  }),

  route(weekly, async ({ ctx, core, actor, query: { format, spreadsheet, ...asked } }) => {
    send(ctx, 'weekly-report', { format, spreadsheet }, await reportWeek(core, actor, asked))
  }),

  route(deals, async ({ ctx, core, actor, query }) => {
    ctx.body = await listDeals(core, actor, query)
  }),

  route(correlation, async ({ ctx, core, actor, query: { format, spreadsheet, ...asked } }) => {
    const gone = new AbortController()
    ctx.res.once('close', () => gone.abort(new HttpError(400, recordingMessages.callerGone())))
    send(ctx, 'correlation', { format, spreadsheet }, await reportCorrelation(core, actor, asked, gone.signal))
  }),
]

function send(
  ctx: Context,
  name: string,
  { format, spreadsheet }: { format?: 'json' | 'csv'; spreadsheet?: boolean },
  report: Parameters<typeof sendCsv>[2],
): void {
  if (format === 'csv') sendCsv(ctx, name, report, spreadsheet)
  else ctx.body = report
}
