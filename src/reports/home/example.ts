import { RULE_EXAMPLE } from '../schema.ts'
import { weeklyReportExample } from '../weekly/schema.ts'

/** The response of GET /v1/home to a department head, as an example in the API description. */
export const homePageExample = {
  role: 'head',
  failed: [],
  lastWeek: {
    from: '2026-03-16',
    to: '2026-03-22',
    asOf: '2026-03-25T06:00:00.000Z',
    week: '2026-W12',
    calls: 138,
    managers: 12,
    kpis: weeklyReportExample.kpis,
    cause: { ...RULE_EXAMPLE, share: 0.38, previous: 0.54 },
  },
  waiting: { critical: 0, disputed: 0, oldestAt: null, items: [] },
  lowest: { day: '2026-03-20', scored: 0, items: [] },
  outOfRange: { managers: 12, items: [] },
  myWeek: null,
  coaching: null,
  lostPoints: null,
  disputes: null,
  automation: null,
  storage: null,
  modelRequests: null,
}
