import { READ_ACTIONS } from '../platform/audit/actions.ts'
import { route, type Route } from '../platform/http/route.ts'
import { readHome } from './home/schema.ts'
import { loadHome } from './home/sections.ts'
import { listDeals } from './deals/deals.ts'
import { dealsOperation } from './deals/schema.ts'
import { computeLoad } from './load/service.ts'
import { overviewOperation } from './load/schema.ts'
import * as reports from './reports.ts'

const auditPosition = ({ operation }: Route): number => READ_ACTIONS.indexOf(operation.audit!)

/** Routes of all reports, the home page, and the list of deals behind a figure, in the order of their audit actions. */
export const reportRoutes: Route[] = [
  route(overviewOperation, ({ core, actor, query }) => computeLoad(core, actor, query)),
  ...Object.values(reports).sort((a, b) => auditPosition(a) - auditPosition(b)),
  route(readHome, ({ core, actor }) => loadHome(core, actor)),
  route(dealsOperation, ({ core, actor, query }) => listDeals(core, actor, query)),
]
