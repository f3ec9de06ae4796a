import { AUDIT_READ_ACTIONS } from '../platform/audit/actions.ts'
import { route, type Route } from '../platform/http/route.ts'
import { readHomeOperation } from './home/schema.ts'
import { loadHomePage } from './home/sections.ts'
import { listReportDeals } from './deals/deals.ts'
import { analyticsDealsOperation } from './deals/schema.ts'
import { loadCallLoad } from './load/service.ts'
import { statsOverviewOperation } from './load/schema.ts'
import * as reports from './reports.ts'

const auditPosition = ({ operation }: Route): number => AUDIT_READ_ACTIONS.indexOf(operation.audit!)

/** Routes of the load statistics, the reports, the home page, and the list of deals behind a figure. */
export const reportRoutes: Route[] = [
  route(statsOverviewOperation, ({ core, actor, query }) => loadCallLoad(core, actor, query)),
  ...Object.values(reports).sort((a, b) => auditPosition(a) - auditPosition(b)),
  route(readHomeOperation, ({ core, actor, query }) => loadHomePage(core, actor, query.department)),
  route(analyticsDealsOperation, ({ core, actor, query }) => listReportDeals(core, actor, query)),
]
