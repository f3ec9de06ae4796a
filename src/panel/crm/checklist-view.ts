import type { AutomationJson, ConnectionJson } from '../../crm/automation/schema.ts'
import type { HistoryLoadsPage } from '../../crm/history/schema.ts'
import type { RosterJson } from '../../crm/managers/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { fetchDepartments } from '../frame/fetch-all.ts'
import type { Language } from '../frame/i18n.ts'
import { buildChecklist, type CrmState } from './checklist.ts'
import { fetchSetup, type ChecklistLine } from './owner-lines.ts'

/** Fetches everything that the set-up checklist depends on, in parallel. */
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

/** Adds badges and formatted times to the checklist, for views/crm/_lines.eta. */
export const buildChecklistView = (state: CrmState, language: Language) =>
  buildChecklist(state, language).map((line) => ({
    ...line,
    badge: { kind: LINE_BADGES[line.state], text: language.words.crm[line.state] },
    time: line.at && { iso: line.at, text: language.format.shortTime(line.at) },
  }))

/** Steps that a company without a CRM skips. */
const CRM_LINES = ['variable', 'funnels']

/** Returns true if no required step is open. CRM steps are optional if calls arrived without a configured CRM. */
export function isSetUp({ connection, setup }: CrmState, lines: Pick<ChecklistLine, 'id' | 'state'>[]): boolean {
  const needsNoCrm = !connection.configured && (setup.calls ?? 0) > 0
  const isOptional = ({ id }: Pick<ChecklistLine, 'id'>) => needsNoCrm && CRM_LINES.includes(id)
  return lines.every((line) => line.state === 'done' || line.state === 'later' || isOptional(line))
}
