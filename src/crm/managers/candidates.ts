import type { Actor } from '../../platform/http/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { conflictError } from '../../platform/errors.ts'
import { CRM_AUTOMATION_AUDIT_OBJECT, loadEffectiveCrmAutomation } from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import { fetchAnsweredCallCountsByUser } from '../bitrix24/calls.ts'
import { createPortalReadAccess } from '../bitrix24/client.ts'
import { CrmAutomationOffError, PortalError } from '../bitrix24/errors.ts'
import { hasCrmStepSucceeded } from '../steps/crm-step.ts'
import type { ManagerCandidateJson } from './schema.ts'

type CrmPerson = Omit<ManagerCandidateJson, 'answeredCalls30d' | 'suggestedDepartmentId'> & {
  likelyDepartmentId: string | null
}

/** The time limit for counting calls in the portal, because an owner waits for the result. */
const COUNT_TIMEOUT_SECONDS = 60
const COUNTED_CALL_DAYS = 30

/**
 * Lists the CRM users with their deals and answered calls, most likely sales managers first.
 * @throws HttpError 409 if the automation is not on or the users have not been read
 */
export async function listManagerCandidates(core: Core, actor: Actor): Promise<ManagerCandidateJson[]> {
  if ((await loadEffectiveCrmAutomation(core)).state !== 'on') throw conflictError(crmMessages.waitsForAutomation())
  if (!(await hasCrmStepSucceeded(core, 'users'))) throw conflictError(crmMessages.readFirst())
  const people = await listCrmPeople(core)
  // Count dismissed people last, because the time limit can end the counting.
  const userIds = people.toSorted((a, b) => Number(b.active) - Number(a.active)).map(({ userId }) => userId)
  const answered = await fetchAnsweredCounts(core, userIds)
  const details = { others: people.length }
  await recordAuditChange(core.pool, actor, { action: 'crm.determine', object: CRM_AUTOMATION_AUDIT_OBJECT, details })
  return people
    .map(({ likelyDepartmentId, ...person }) => {
      const answeredCalls30d = answered.get(person.userId) ?? null
      const isSeller = person.inRoster || (person.active && (person.deals90d > 0 || (answeredCalls30d ?? 0) > 0))
      return { ...person, answeredCalls30d, suggestedDepartmentId: isSeller ? likelyDepartmentId : null }
    })
    .sort((a, b) => rankCandidate(b) - rankCandidate(a) || a.name.localeCompare(b.name))
}

const rankCandidate = ({ inRoster, deals90d, answeredCalls30d }: ManagerCandidateJson): number =>
  (inRoster ? 1_000_000 : 0) + deals90d * 5 + (answeredCalls30d ?? 0)

/**
 * The likely department comes from the roster, or else from a CRM department of the same name, or else from the funnels of
 * deals.
 */
async function listCrmPeople(core: Core): Promise<CrmPerson[]> {
  const { rows } = await core.pool.query<CrmPerson>({
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

/** Counts answered calls in the portal, because no calls are stored before the first roster. */
async function fetchAnsweredCounts(core: Core, userIds: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const signal = AbortSignal.timeout(COUNT_TIMEOUT_SECONDS * 1000)
  const since = new Date(Date.now() - COUNTED_CALL_DAYS * 86_400_000)
  try {
    await fetchAnsweredCallCountsByUser(core, createPortalReadAccess(core, 'live', signal), userIds, since, counts)
  } catch (error) {
    // Deals alone suffice to find managers.
    if (!(error instanceof PortalError || error instanceof CrmAutomationOffError || signal.aborted)) throw error
  }
  return counts
}
