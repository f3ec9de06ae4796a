import type { Actor } from '../../platform/http/actor.ts'
import { recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { conflict } from '../../platform/errors.ts'
import { AUTOMATION, currentAutomation } from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import { countAnsweredCalls } from '../bitrix24/calls.ts'
import { readingAs } from '../bitrix24/client.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import { hasSucceeded } from '../steps/step.ts'
import type { CandidateJson } from './schema.ts'

type Known = Omit<CandidateJson, 'answeredCalls30d' | 'suggestedDepartmentId'> & { likelyDepartmentId: string | null }

/** How long an owner waits for the counts of calls. */
const COUNT_SECONDS = 60
const CALL_DAYS = 30

/** Everybody of the CRM, with evidence for sales managers. @throws HttpError 409 */
export async function determineManagers(core: Core, actor: Actor): Promise<CandidateJson[]> {
  if ((await currentAutomation(core)).state !== 'on') throw conflict(crmMessages.waitsForAutomation())
  if (!(await hasSucceeded(core, 'users'))) throw conflict(crmMessages.readFirst())
  const known = await knownPeople(core)
  // Dismissed people come last, because time can run out.
  const userIds = known.toSorted((a, b) => Number(b.active) - Number(a.active)).map(({ userId }) => userId)
  const answered = await countAnswered(core, userIds)
  const details = { others: known.length }
  await recordChange(core.pool, actor, { action: 'crm.determine', object: AUTOMATION, details })
  return known
    .map(({ likelyDepartmentId, ...person }) => {
      const answeredCalls30d = answered.get(person.userId) ?? null
      const sells = person.inRoster || (person.active && (person.deals90d > 0 || (answeredCalls30d ?? 0) > 0))
      return { ...person, answeredCalls30d, suggestedDepartmentId: sells ? likelyDepartmentId : null }
    })
    .sort((a, b) => weight(b) - weight(a) || a.name.localeCompare(b.name))
}

const weight = ({ inRoster, deals90d, answeredCalls30d }: CandidateJson): number =>
  (inRoster ? 1_000_000 : 0) + deals90d * 5 + (answeredCalls30d ?? 0)

/** The department that a person probably sells for: by the roster, else by its name in the CRM, else by their deals. */
async function knownPeople(core: Core): Promise<Known[]> {
  const { rows } = await core.pool.query<Known>({
    text: `
      SELECT u.id AS "userId", u.name, u.position, u.active,
             ARRAY(SELECT d.name FROM crm_departments d WHERE d.id = ANY (u.department_ids) ORDER BY d.name) AS departments,
             coalesce(x.deals, 0)::int AS "deals90d", r.user_id IS NOT NULL AS "inRoster",
             coalesce(r.department_id,
               (SELECT o.id FROM (SELECT id, name AS shown, lower(btrim(name)) AS called FROM departments) o
                  JOIN (SELECT id, lower(btrim(name)) AS called FROM crm_departments) d USING (called)
                 WHERE d.id = ANY (u.department_ids) ORDER BY o.shown LIMIT 1),
               (SELECT o.id FROM departments o JOIN crm_deals d ON d.funnel_id = ANY (o.funnels)
                 WHERE d.responsible_id = u.id AND d.created_at > now() - interval '90 days' AND d.gone_at IS NULL
                 GROUP BY o.id ORDER BY count(*) DESC, o.id LIMIT 1)) AS "likelyDepartmentId"
        FROM crm_users u
        LEFT JOIN crm_roster r ON r.user_id = u.id
        LEFT JOIN (SELECT responsible_id, count(*) AS deals FROM crm_deals
                    WHERE created_at > now() - interval '90 days' AND gone_at IS NULL GROUP BY 1) x ON x.responsible_id = u.id
       WHERE u.gone_at IS NULL OR r.user_id IS NOT NULL
       ORDER BY u.name, u.id`,
  })
  return rows
}

/** Counts, in the portal, the answered calls of each user: before there is a roster, no call is stored here. */
async function countAnswered(core: Core, userIds: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const signal = AbortSignal.timeout(COUNT_SECONDS * 1000)
  const since = new Date(Date.now() - CALL_DAYS * 86_400_000)
  try {
    await countAnsweredCalls(core, readingAs(core, 'live', signal), userIds, since, counts)
  } catch (error) {
    // Deals alone are enough to determine managers.
    if (!(error instanceof PortalError || error instanceof CrmNotOn || signal.aborted)) throw error
  }
  return counts
}
