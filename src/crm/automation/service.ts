import type { Sql } from '../../platform/db/sql.ts'
import { SYSTEM_ACTOR, type Actor } from '../../platform/http/actor.ts'
import { enableAutomaticChecks } from '../../check/checks/service.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { conflictError } from '../../platform/errors.ts'
import { QUEUE_PROBE_INTERVAL_SECONDS } from '../../platform/queue/pauses.ts'
import { formatReason, toStoredReason } from '../../platform/lib/stored-reason.ts'
import { setCommentWritingEnabled } from '../comments/service.ts'
import { crmMessages } from '../messages.ts'
import { parsePortalWebhookHost } from '../bitrix24/webhook.ts'
import { listCrmSteps } from '../steps/service.ts'
import { checkPortalRights, type ConnectionCheckResult } from '../bitrix24/connection-check.ts'
import type { CrmAutomationChange, CrmAutomationJson, CrmConnectionJson } from './schema.ts'
import {
  CRM_AUTOMATION_AUDIT_OBJECT,
  loadEffectiveCrmAutomation,
  ensureCrmAutomationRow,
  isConnectionCheckCurrent,
  loadCrmAutomation,
  hashReadWebhook,
  type CrmAutomation,
} from './state.ts'

/** Loads the state of the connection and the result of its last check, without secrets. */
export async function loadCrmConnectionStatus(core: Core): Promise<CrmConnectionJson> {
  const row = await loadEffectiveCrmAutomation(core)
  const isCurrent = isConnectionCheckCurrent(row, core.config)
  const check = isCurrent
    ? { reason: formatReason(row.checkReason, row.checkMessageJson), code: row.checkCode }
    : { reason: null, code: null }
  return {
    configured: Boolean(core.config.CRM_WEBHOOK_URL),
    host: parsePortalWebhookHost(core.config, 'read'),
    state: row.state,
    reason: row.state === 'blocked' ? formatReason(row.reason, row.messageJson) : check.reason,
    reasonCode: row.state === 'blocked' ? row.reasonCode : check.code,
    user: isCurrent && row.userId !== null ? { id: row.userId, name: row.userName ?? row.userId } : null,
    scopes: (isCurrent && row.scopes) || [],
    missingScopes: (isCurrent && row.missingScopes) || [],
    checkedAt: (isCurrent && row.checkedAt?.toISOString()) || null,
    eventToken: core.config.CRM_EVENT_TOKEN ? 'set' : 'unset',
    writing: {
      configured: Boolean(core.config.CRM_WRITE_WEBHOOK_URL),
      on: row.writingOn,
      since: (row.writingOn && row.writingSince?.toISOString()) || null,
    },
  }
}

/** Checks the connection and stores the result. A successful check unblocks the automation. */
export async function checkCrmConnection(core: Core, actor: Actor): Promise<CrmConnectionJson> {
  const result = await checkPortalRights(core, await loadCrmAutomation(core.pool))
  await runInTransaction(core.db, async (sql) => {
    await ensureCrmAutomationRow(sql)
    const before = await loadCrmAutomation(sql, true)
    await storeCheckResult(sql, core.config, result)
    if (before.state === 'blocked' && result.code === null) await unblockAutomation(sql)
    const details = { passed: result.code === null, ...(result.code !== null && { reason: result.code }) }
    await recordAuditChange(sql, actor, { action: 'crm.check', object: CRM_AUTOMATION_AUDIT_OBJECT, details })
  })
  return loadCrmConnectionStatus(core)
}

/**
 * Stores the result of a check. Values that the check could not read remain if the webhook is the same.
 * Until the automation is first enabled, the check also stores the host of the portal.
 * If the check fails and another webhook caused the block, the block gets the reason of this check.
 */
async function storeCheckResult(sql: Sql, config: Config, result: ConnectionCheckResult): Promise<void> {
  const { host, user, scopes, missingScopes, code, reason } = result
  const webhookHash = hashReadWebhook(config)
  await sql.query({
    text: `UPDATE crm_automation SET user_id = NULL, user_name = NULL, scopes = NULL, missing_scopes = NULL
            WHERE check_cause <> $1`,
    values: [webhookHash],
  })
  await sql.query({
    text: `UPDATE crm_automation SET checked_at = now(), check_code = $1, check_reason = $2, check_message_json = $9, user_id = coalesce($3, user_id),
                  user_name = coalesce($4, user_name), scopes = coalesce($5, scopes),
                  missing_scopes = coalesce($6, missing_scopes),
                  host = CASE WHEN enabled_at IS NULL THEN $7 ELSE host END, check_cause = $8`,
    values: [
      code,
      reason?.text,
      user?.id,
      user?.name,
      scopes,
      missingScopes,
      host,
      webhookHash,
      reason && toStoredReason(reason),
    ],
  })
  if (code === null) return
  await sql.query({
    text: `UPDATE crm_automation SET reason_code = $1, reason = $2, reason_cause = $3, message_json = $4
            WHERE state = 'blocked' AND reason_cause IS DISTINCT FROM $3`,
    values: [code, reason?.text, webhookHash, reason && toStoredReason(reason)],
  })
}

async function unblockAutomation(sql: Sql): Promise<void> {
  await sql.query({
    text: `UPDATE crm_automation SET state = 'on', reason = NULL, reason_code = NULL, next_probe_at = NULL, changed_at = now()
            WHERE state = 'blocked'`,
  })
  await makeStepsDue(sql)
}

/** Also releases steps that wait for a missing right. */
async function makeStepsDue(sql: Sql): Promise<void> {
  await sql.query({
    text: `UPDATE crm_steps SET due_at = now(), hold = NULL WHERE lease_until IS NULL AND hold IS DISTINCT FROM 'attention'`,
  })
}

/** Makes the next probe of a blocked automation due now if another webhook caused the block. Call it at start. */
export async function schedulePortalProbeIfWebhookChanged({ pool, config }: Core): Promise<void> {
  await pool.query({
    text: `UPDATE crm_automation SET next_probe_at = now() WHERE state = 'blocked' AND reason_cause IS DISTINCT FROM $1`,
    values: [hashReadWebhook(config)],
  })
}

/** Checks the connection of a blocked automation if its hourly probe is due. */
export async function probeBlockedPortal(core: Core): Promise<void> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE crm_automation SET next_probe_at = now() + make_interval(secs => ${QUEUE_PROBE_INTERVAL_SECONDS})
            WHERE state = 'blocked' AND next_probe_at <= now()`,
  })
  if (rowCount) await checkCrmConnection(core, SYSTEM_ACTOR)
}

/** Applies a change that an owner requested. @throws HttpError 409 if the state does not allow the change */
export async function changeCrmAutomation(
  core: Core,
  actor: Actor,
  change: CrmAutomationChange,
): Promise<CrmAutomationJson> {
  await runInTransaction(core.db, async (sql) => {
    await ensureCrmAutomationRow(sql)
    const before = await loadCrmAutomation(sql, true)
    assertChangeAllowed(core, change, before)
    await sql.query({ text: CHANGE_STATEMENTS[change] })
    if (change === 'enable' || change === 'resume') await makeStepsDue(sql)
    if (change === 'enable' && before.state === 'off') await enableAutomaticChecks(sql, core.config, actor)
    if (change === 'disable' && before.writingOn) await setCommentWritingEnabled(sql, actor, false)
    const after = await loadCrmAutomation(sql)
    const details = { before: { state: before.state }, after: { state: after.state } }
    await recordAuditChange(sql, actor, { action: `crm.${change}`, object: CRM_AUTOMATION_AUDIT_OBJECT, details })
  })
  return loadCrmAutomationStatus(core)
}

/** Loads the state of the automation with its steps. */
export async function loadCrmAutomationStatus(core: Core): Promise<CrmAutomationJson> {
  const [{ state, reason, confirmedAt, enabledAt }, steps] = await Promise.all([
    loadEffectiveCrmAutomation(core),
    listCrmSteps(core),
  ])
  return {
    state,
    reason: state === 'blocked' ? reason : null,
    confirmedAt: confirmedAt?.toISOString() ?? null,
    enabledAt: enabledAt?.toISOString() ?? null,
    steps,
  }
}

const CHANGE_STATEMENTS: Record<CrmAutomationChange, string> = {
  confirm: 'UPDATE crm_automation SET confirmed_at = now(), changed_at = now()',
  // Only enabling from `off` sets a new start. Calls during a pause are still loaded automatically.
  enable: `UPDATE crm_automation SET state = 'on', enabled_at = CASE WHEN state = 'off' THEN now() ELSE coalesce(enabled_at, now()) END,
                  reason = NULL, reason_code = NULL, changed_at = now()`,
  pause: `UPDATE crm_automation SET state = 'paused', changed_at = now() WHERE state = 'on'`,
  resume: `UPDATE crm_automation SET state = 'on', changed_at = now() WHERE state = 'paused'`,
  disable: `UPDATE crm_automation SET state = 'off', reason = NULL, reason_code = NULL, next_probe_at = NULL, changed_at = now()`,
}

/** @throws HttpError 409 */
function assertChangeAllowed(core: Core, change: CrmAutomationChange, automation: CrmAutomation): void {
  const { state, checkedAt, checkCode, confirmedAt, host } = automation
  const hasPassed = checkedAt !== null && checkCode === null && isConnectionCheckCurrent(automation, core.config)
  if (change === 'confirm' && !hasPassed) throw conflictError(crmMessages.checkFirst())
  if (change === 'enable') {
    if (state === 'blocked') throw conflictError(crmMessages.blocked())
    if (!hasPassed) throw conflictError(crmMessages.checkFirst())
    if (confirmedAt === null) throw conflictError(crmMessages.confirmFirst())
  }
  if (
    (change === 'enable' || change === 'resume') &&
    host !== null &&
    host !== parsePortalWebhookHost(core.config, 'read')
  ) {
    throw conflictError(crmMessages.otherPortal({ host }))
  }
  if (change === 'pause' && state !== 'on') throw conflictError(crmMessages.notOn())
  if (change === 'resume' && state !== 'paused') throw conflictError(crmMessages.notPaused())
}
