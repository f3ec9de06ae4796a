import { accountPage } from './account/page.ts'
import { analysisPage } from './analysis/page.ts'
import { analyticsPage } from './analytics/page.ts'
import { assignmentsPage } from './assignments/page.ts'
import { auditPage } from './audit/page.ts'
import { backtestsPage } from './backtests/page.ts'
import { commentsPage } from './comments/page.ts'
import { calibrationsPage } from './calibrations/page.ts'
import { crmPage } from './crm/page.ts'
import { crmCallsPage } from './crm-calls/page.ts'
import { departmentsPage } from './departments/page.ts'
import { languageRoutes } from './frame/language.ts'
import type { PanelRoute } from './frame/context.ts'
import { homePage } from './home/page.ts'
import { keyboardPage } from './keyboard/page.ts'
import { apiKeysPage } from './keys/page.ts'
import { loginPage } from './login/page.ts'
import { notificationsPage } from './notifications/page.ts'
import { peoplePage } from './people/page.ts'
import { playlistsPage } from './playlists/page.ts'
import { queuesPage } from './queues/page.ts'
import { rechecksPage } from './recalculations/page.ts'
import { reconciliationPage } from './reconciliation/page.ts'
import { recordingPage } from './recording/page.ts'
import { recordingsPage } from './recordings/page.ts'
import { reviewsPage } from './reviews/page.ts'
import { ruleSetsPage } from './rule-sets/page.ts'
import { searchPage } from './search/page.ts'
import { seeAsPage } from './see-as/page.ts'
import { separationsPage } from './separations/page.ts'
import { statisticsPage } from './statistics/page.ts'
import { systemPage } from './system/page.ts'
import { uploadPage } from './upload/page.ts'
import { viewsPage } from './views/page.ts'

/** All pages of the panel in the order of the menu. Routes with fixed paths come before routes with parameters. */
export const PANEL_PAGES = [
  loginPage,
  homePage,
  keyboardPage,
  recordingsPage,
  recordingPage,
  commentsPage,
  reviewsPage,
  calibrationsPage,
  uploadPage,
  queuesPage,
  playlistsPage,
  analyticsPage,
  statisticsPage,
  viewsPage,
  reconciliationPage,
  peoplePage,
  seeAsPage,
  departmentsPage,
  crmPage,
  crmCallsPage,
  ruleSetsPage,
  backtestsPage,
  rechecksPage,
  separationsPage,
  analysisPage,
  searchPage,
  apiKeysPage,
  systemPage,
  auditPage,
  accountPage,
  notificationsPage,
  assignmentsPage,
] as const

/** All routes of the panel, in the order of matching. */
export const PANEL_ROUTES: PanelRoute[] = [...languageRoutes, ...PANEL_PAGES.flatMap(({ routes }) => routes)]
