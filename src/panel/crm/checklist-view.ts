import type { CrmAutomationJson, CrmConnectionJson } from '../../crm/automation/schema.ts'
import type { HistoryLoadsPage } from '../../crm/history/schema.ts'
import type { CrmRosterJson } from '../../crm/managers/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { fetchVisibleDepartments } from '../frame/fetch-all.ts'
import type { Language } from '../frame/i18n.ts'
import { buildSetupChecklist, type CrmState } from './checklist.ts'
import { fetchOwnerSetup } from './owner-lines.ts'

/** Fetches everything that the set-up checklist depends on, in parallel. */
export async function fetchCrmState(context: PageContext): Promise<CrmState> {
  const { api } = context
  const [connection, automation, roster, departments, loads, setup] = await Promise.all([
    api.fetch<CrmConnectionJson>('/v1/crm/connection'),
    api.fetch<CrmAutomationJson>('/v1/crm/automation'),
    api.fetch<CrmRosterJson>('/v1/crm/roster'),
    fetchVisibleDepartments(context),
    api.fetch<HistoryLoadsPage>('/v1/crm/history/loads?pageSize=1'),
    fetchOwnerSetup(context),
  ])
  return { connection, automation, roster, departments, loads: loads.items, setup }
}

const LINE_BADGES = { done: 'done', open: 'processing', later: '', look: 'failed', unknown: '' }

/** Adds badges and formatted times to the checklist, for views/crm/_lines.eta. */
export const buildSetupChecklistView = (state: CrmState, language: Language) =>
  buildSetupChecklist(state, language).map((line) => ({
    ...line,
    badge: { kind: LINE_BADGES[line.state], text: language.words.crm[line.state] },
    time: line.at && { iso: line.at, text: language.format.shortTime(line.at) },
  }))

/** The steps of a company without a CRM, and the one that connects it. */
const LINES_WITHOUT_CRM = ['password', 'rules', 'checking', 'call', 'people', 'keys', 'variable']

/** Builds the checklist of the home page. It contains the steps of the CRM once CRM_WEBHOOK_URL is set. */
export function buildHomeChecklistView(state: CrmState, language: Language) {
  const lines = buildSetupChecklistView(state, language)
  return state.connection.configured ? lines : lines.filter(({ id }) => LINES_WITHOUT_CRM.includes(id))
}
