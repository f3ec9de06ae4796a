import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { redirect, type PageContext, type PanelRoute } from '../frame/context.ts'
import { parsePostedForm } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { formatRuleSetApiPath, fetchEditableRuleSet } from './rule-set.ts'
import { buildRuleSetRow } from './view.ts'

export const ruleSetOrderRoutes: PanelRoute[] = [{ method: 'post', path: '/rule-sets/:id/move', handle: moveRuleSet }]

/** Moves a rule set before another one, or to the end. Redirects to the page from which the form was sent. */
async function moveRuleSet(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const fields = await parsePostedForm(ctx)
  const set = await fetchEditableRuleSet(context)
  const t = language.words.ruleSets
  const back = fields.text('back') === 'publish' ? `/rule-sets/${set.id}/publish` : '/rule-sets'
  const response = await api
    .send('POST', `${formatRuleSetApiPath(context)}/move`, { beforeId: fields.text('beforeId') || null })
    .catch(returnApiErrorWithStatus(400, 404, 409))
  redirect(ctx, back, response instanceof ApiError ? t.errors.stale : t.order.moved(set.name[language.code]))
}

type GroupName = 'departments' | 'all' | 'labels'

const groupNameOf = ({ mode, applies }: RuleSetSummaryJson): GroupName => {
  if (mode === 'label') return 'labels'
  return (applies.departmentIds ?? []).length > 0 ? 'departments' : 'all'
}

/**
 * Groups the rule sets: for departments, for all calls, and label sets. Score sets are numbered by precedence; label sets have no
 * number.
 */
export function buildRuleSetGroups(
  sets: RuleSetSummaryJson[],
  departments: DepartmentJson[],
  canMove: boolean,
  language: Language,
) {
  let place = 0
  const groups = (['departments', 'all', 'labels'] as const).map((name) => {
    const members = sets.filter((set) => groupNameOf(set) === name)
    const rows = members.map((set, n) => {
      const isMovable = canMove && set.mayEdit && name !== 'labels' && members.length > 1
      return {
        ...buildRuleSetRow(set, departments, language),
        place: name === 'labels' ? null : language.format.number(++place),
        moves: isMovable ? buildMoves(members, n) : null,
      }
    })
    return { name, rows }
  })
  return groups.filter(({ rows }) => rows.length > 0)
}

/**
 * Returns the id of the rule set before which to move this one, per direction. Empty moves it to the end, null disables the move.
 */
const buildMoves = (sets: RuleSetSummaryJson[], index: number) => [
  { direction: 'up' as const, beforeId: sets[index - 1]?.id ?? null },
  { direction: 'down' as const, beforeId: sets[index + 1] ? (sets[index + 2]?.id ?? '') : null },
]
