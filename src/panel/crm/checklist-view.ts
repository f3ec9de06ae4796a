import type { AutomationJson, ConnectionJson } from '../../crm/automation/schema.ts'
import type { HistoryLoadsPage } from '../../crm/history/schema.ts'
import type { RosterJson } from '../../crm/managers/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { fetchDepartments } from '../frame/fetch-all.ts'
import type { Language } from '../frame/i18n.ts'
import { buildChecklist, type CrmState } from './checklist.ts'
import { fetchSetup, type ChecklistLine } from './owner-lines.ts'

export async function fetchCrmState(context: PageContext): Promise<CrmState> {
  const { api } = context
  const [connection, automation, roster, departments, loads, setup] = await Promise.all([
    api.fetch<ConnectionJson>('/v1/crm/connection'),
    api.fetch<AutomationJson>('/v1/crm/automation'),
    api.fetch<RosterJson>('/v1/crm/roster'),
    fetchDepartments(context),
    api.fetch<HistoryLoadsPage>('/v1/crm/history/loads?pageSize=1'),
    fetchSetup(context),
  ])
  return { connection, automation, roster, departments, loads: loads.items, setup }
}

const LINE_BADGES = { done: 'done', open: 'processing', later: '', look: 'failed', unknown: '' }

/** The lines of the set-up list for views/crm/_lines.eta. */
export const buildChecklistView = (state: CrmState, language: Language) =>
  buildChecklist(state, language).map((line) => ({
    ...line,
    badge: { kind: LINE_BADGES[line.state], text: language.words.crm[line.state] },
    time: line.at && { iso: line.at, text: language.format.shortTime(line.at) },
  }))

/** The lines that a company without a CRM never does. */
const CRM_LINES = ['variable', 'funnels']

/** Whether nothing is left to do. Lines for later are optional, and so is the CRM once calls came without it. */
export function isSetUp({ connection, setup }: CrmState, lines: Pick<ChecklistLine, 'id' | 'state'>[]): boolean {
  const needsNoCrm = !connection.configured && (setup.calls ?? 0) > 0
  const isOptional = ({ id }: Pick<ChecklistLine, 'id'>) => needsNoCrm && CRM_LINES.includes(id)
  return lines.every((line) => line.state === 'done' || line.state === 'later' || isOptional(line))
}
