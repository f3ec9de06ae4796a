import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { NOT_CONFIGURED, OTHER_PORTAL, type Automation } from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import { asObject, callBatch, callPortal, type Asking } from './client.ts'
import { PortalError } from './errors.ts'
import { portalMessages } from './messages.ts'
import { BY_ID } from './rows.ts'
import { idOf, textOf } from './values.ts'
import { webhookOf, WebhookError } from './webhook.ts'

/** The rights that the webhook for reading needs; any name of a line is enough. */
const SCOPES: readonly (readonly string[])[] = [
  ['crm'],
  ['telephony'],
  ['user_basic', 'user', 'user_brief'],
  ['department'],
  ['disk'],
]

/** The result of a check; `code` is null if it passed. */
export interface CheckResult {
  host: string | null
  user: { id: string; name: string } | null
  scopes: string[] | null
  missingScopes: string[] | null
  code: string | null
  reason: Message | null
}

const nothing = { host: null, user: null, scopes: null, missingScopes: null }

const CHECK_SECONDS = 80

/** Checks our rights in the portal; allowed in every state of the automation. */
export async function checkPortal(core: Core, before: Automation): Promise<CheckResult> {
  try {
    const webhook = webhookOf(core.config, 'read')
    if (!webhook) return { ...nothing, code: NOT_CONFIGURED, reason: crmMessages.notSet() }
    const { host } = webhook
    if (before.enabledAt !== null && before.host !== host) {
      const reason = crmMessages.leadsElsewhere({ configured: host, host: String(before.host) })
      return { ...nothing, code: OTHER_PORTAL, reason }
    }
    const signal = AbortSignal.timeout(CHECK_SECONDS * 1000)
    return { ...(await ask(core, { webhook, lane: 'live', purpose: 'check', signal })), host }
  } catch (error) {
    if (error instanceof PortalError) return { ...nothing, code: error.code || 'ERROR', reason: error.reason }
    if (error instanceof WebhookError) return { ...nothing, code: NOT_CONFIGURED, reason: error.reason }
    if ((error as Error).name !== 'TimeoutError') throw error
    return { ...nothing, code: 'NO_ANSWER', reason: portalMessages.noAnswer() }
  }
}

async function ask(core: Core, asking: Asking): Promise<Omit<CheckResult, 'host'>> {
  const { result } = await callPortal(core, asking, 'scope', {})
  const scopes = Object.values(asObject(result)).filter((scope) => typeof scope === 'string')
  const missingScopes = SCOPES.filter((names) => !names.some((name) => scopes.includes(name))).map(([name]) => name!)
  const answers = await callBatch(core, asking, {
    profile: { method: 'profile', params: {} },
    calls: { method: 'voximplant.statistic.get', params: { FILTER: { ID: 0 }, ...BY_ID, start: -1 } },
    disk: { method: 'method.get', params: { name: 'disk.file.get' } },
  })
  if (answers.profile instanceof PortalError) throw answers.profile
  const profile = asObject(answers.profile.result)
  const id = idOf(profile.ID) ?? asking.webhook.userId
  const name = [textOf(profile.NAME), textOf(profile.LAST_NAME)].filter(Boolean).join(' ') || id
  const found = { user: { id, name }, scopes, missingScopes }
  const failure = failureOf(missingScopes, answers.calls, answers.disk)
  return { ...found, code: failure?.code ?? null, reason: failure?.reason ?? null }
}

type Answer = Awaited<ReturnType<typeof callBatch>>[string]

function failureOf(missing: string[], calls: Answer, disk: Answer): { code: string; reason: Message } | undefined {
  if (missing.length > 0) {
    return { code: 'MISSING_SCOPES', reason: crmMessages.lacksRights({ scopes: missing.join(', ') }) }
  }
  if (calls instanceof PortalError) {
    if (calls.verdict !== 'denied') return calls
    return { code: 'STATISTICS_DENIED', reason: crmMessages.statisticsDenied() }
  }
  if (disk instanceof PortalError || asObject(disk.result).isAvailable !== false) return undefined
  return { code: 'DISK_MISSING', reason: crmMessages.noDisk() }
}
