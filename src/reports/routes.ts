import { READS } from '../platform/audit/actions.ts'
import { route, type Route } from '../platform/http/route.ts'
import { listDeals } from './deals/deals.ts'
import { deals } from './deals/schema.ts'
import { describeLoad } from './load/service.ts'
import { overview } from './load/schema.ts'
import * as reports from './reports.ts'

const positionOf = ({ operation }: Route): number => READS.indexOf(operation.audit!)

/** All reports, in the order of their audit actions, and the list of deals behind their figures. */
export const reportRoutes: Route[] = [
  route(overview, ({ core, actor, query }) => describeLoad(core, actor, query)),
  ...Object.values(reports).sort((a, b) => positionOf(a) - positionOf(b)),
  route(deals, ({ core, actor, query }) => listDeals(core, actor, query)),
]
