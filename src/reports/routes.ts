import { route, type Route } from '../platform/http/route.ts'
import { correlation } from './correlation/correlation.ts'
import { listDeals } from './deals/deals.ts'
import { deals } from './deals/schema.ts'
import { describeLoad } from './load/service.ts'
import { overview } from './load/schema.ts'
import { quality } from './quality/quality.ts'
import { refusals } from './refusals/refusals.ts'
import { sales } from './sales/sales.ts'
import { weekly } from './weekly/report.ts'

/** Every report, and the list of deals behind their figures. */
export const reportRoutes: Route[] = [
  route(overview, async ({ ctx, core, actor, query }) => {
    ctx.body = await describeLoad(core, actor, query)
  }),
  sales,
  quality,
  refusals,
  weekly,
  route(deals, async ({ ctx, core, actor, query }) => {
    ctx.body = await listDeals(core, actor, query)
  }),
  correlation,
]
