import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { PORTAL_NOT_CONFIGURED_CODE, OTHER_PORTAL_CODE, type CrmAutomation } from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import { toPortalObject, callPortalBatch, callPortalMethod, type PortalAccess } from './client.ts'
import { PortalError } from './errors.ts'
import { portalMessages } from './messages.ts'
import { PORTAL_ORDER_BY_ID } from './rows.ts'
import { parsePortalId, parsePortalText } from './values.ts'
import { parsePortalWebhook, PortalWebhookError } from './webhook.ts'

/** The rights that the webhook for reading needs. One right of each line suffices. */
const REQUIRED_SCOPES: readonly (readonly string[])[] = [
  ['crm'],
  ['telephony'],
  ['user_basic', 'user', 'user_brief'],
  ['department'],
  ['disk'],
]

/** The result of a connection check. `code` and `reason` are null if it succeeded. */
export interface ConnectionCheckResult {
  host: string | null
  user: { id: string; name: string } | null
  scopes: string[] | null
  missingScopes: string[] | null
  code: string | null
  reason: Message | null
}

const EMPTY_RESULT = { host: null, user: null, scopes: null, missingScopes: null }

const CHECK_TIMEOUT_SECONDS = 80

/**
 * Checks the address and the rights of the webhook for reading, in every state of the automation.
 * Errors of the portal and a timeout are a result, not an exception.
 */
export async function checkPortalRights(core: Core, automation: CrmAutomation): Promise<ConnectionCheckResult> {
  try {
    const webhook = parsePortalWebhook(core.config, 'read')
    if (!webhook) return { ...EMPTY_RESULT, code: PORTAL_NOT_CONFIGURED_CODE, reason: crmMessages.notSet() }
    const { host } = webhook
    if (automation.enabledAt !== null && automation.host !== host) {
      const reason = crmMessages.leadsElsewhere({ configured: host, host: String(automation.host) })
      return { ...EMPTY_RESULT, code: OTHER_PORTAL_CODE, reason }
    }
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_SECONDS * 1000)
    return { ...(await fetchCheckResult(core, { webhook, lane: 'live', purpose: 'check', signal })), host }
  } catch (error) {
    if (error instanceof PortalError) return { ...EMPTY_RESULT, code: error.code || 'ERROR', reason: error.reason }
    if (error instanceof PortalWebhookError)
      return { ...EMPTY_RESULT, code: PORTAL_NOT_CONFIGURED_CODE, reason: error.reason }
    if ((error as Error).name !== 'TimeoutError') throw error
    return { ...EMPTY_RESULT, code: 'NO_ANSWER', reason: portalMessages.noAnswer() }
  }
}

async function fetchCheckResult(core: Core, access: PortalAccess): Promise<Omit<ConnectionCheckResult, 'host'>> {
  const { result } = await callPortalMethod(core, access, 'scope', {})
  const scopes = Object.values(toPortalObject(result)).filter((scope) => typeof scope === 'string')
  const missingScopes = REQUIRED_SCOPES.filter((names) => !names.some((name) => scopes.includes(name))).map(
    ([name]) => name!,
  )
  const responses = await callPortalBatch(core, access, {
    profile: { method: 'profile', params: {} },
    calls: { method: 'voximplant.statistic.get', params: { FILTER: { ID: 0 }, ...PORTAL_ORDER_BY_ID, start: -1 } },
    disk: { method: 'method.get', params: { name: 'disk.file.get' } },
  })
  if (responses.profile instanceof PortalError) throw responses.profile
  const profile = toPortalObject(responses.profile.result)
  const id = parsePortalId(profile.ID) ?? access.webhook.userId
  const name = [parsePortalText(profile.NAME), parsePortalText(profile.LAST_NAME)].filter(Boolean).join(' ') || id
  const details = { user: { id, name }, scopes, missingScopes }
  const failure = findFailure(missingScopes, responses.calls, responses.disk)
  return { ...details, code: failure?.code ?? null, reason: failure?.reason ?? null }
}

type BatchResponse = Awaited<ReturnType<typeof callPortalBatch>>[string]

function findFailure(
  missing: string[],
  calls: BatchResponse,
  disk: BatchResponse,
): { code: string; reason: Message } | undefined {
  if (missing.length > 0) {
    return { code: 'MISSING_SCOPES', reason: crmMessages.lacksRights({ scopes: missing.join(', ') }) }
  }
  if (calls instanceof PortalError) {
    if (calls.verdict !== 'denied') return calls
    return { code: 'STATISTICS_DENIED', reason: crmMessages.statisticsDenied() }
  }
  if (disk instanceof PortalError || toPortalObject(disk.result).isAvailable !== false) return undefined
  return { code: 'DISK_MISSING', reason: crmMessages.noDisk() }
}
