import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { PROBE_INTERVAL_SECONDS } from '../../platform/queue/pauses.ts'
import { toStoredReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import type { PortalError } from '../bitrix24/errors.ts'
import type { AutomationJson } from './schema.ts'
import { crmMessages } from '../messages.ts'
import { parseWebhookHost } from '../bitrix24/webhook.ts'

export const AUTOMATION_AUDIT_OBJECT = { type: 'settings', id: 'crm' } as const

/** The state of the automation, as stored. */
export interface Automation {
  state: AutomationJson['state']
  reasonCode: string | null
  reason: string | null
  messageJson: StoredReason | null
  host: string | null
  userId: string | null
  userName: string | null
  scopes: string[] | null
  missingScopes: string[] | null
  checkCode: string | null
  checkReason: string | null
  checkMessageJson: StoredReason | null
  checkedAt: Date | null
  confirmedAt: Date | null
  enabledAt: Date | null
  rosterAppliedAt: Date | null
  writingOn: boolean
  writingSince: Date | null
  /** Hash of the configuration of the last check, and of the block; null from an earlier release. */
  checkCause: string | null
  reasonCause: string | null
}

/** A release that must read the CRM anew raises this: its first start resets the read positions once. */
export const POSITIONS_RELEASE = 1

/** Our codes of blocks. */
export const OTHER_PORTAL = 'OTHER_PORTAL'
export const NOT_CONFIGURED = 'NOT_CONFIGURED'

/** Loads the automation, even if it has no row yet; with `lock`, its row is locked until the transaction ends. */
export async function loadAutomation(sql: Sql, lock = false): Promise<Automation> {
  if (lock) await sql.query({ text: 'SELECT FROM crm_automation FOR UPDATE' })
  const { rows } = await sql.query<Automation>({
    text: `SELECT coalesce(state, 'off') AS state, reason_code AS "reasonCode", reason, host, user_id AS "userId",
                  user_name AS "userName", scopes, missing_scopes AS "missingScopes", check_code AS "checkCode",
                  check_reason AS "checkReason", checked_at AS "checkedAt", confirmed_at AS "confirmedAt",
                  enabled_at AS "enabledAt", roster_applied_at AS "rosterAppliedAt", coalesce(writing_on, false) AS "writingOn",
                  writing_since AS "writingSince", check_cause AS "checkCause", reason_cause AS "reasonCause",
                  message_json AS "messageJson", check_message_json AS "checkMessageJson"
             FROM (SELECT) AS one LEFT JOIN crm_automation ON true`,
  })
  return rows[0]!
}

/** Hashes the webhook for reading, to which the result of a check and a block belong. */
export const hashReadWebhook = ({ CRM_WEBHOOK_URL = '' }: Config): string => sha256(CRM_WEBHOOK_URL).toString('hex')

/** Whether the last check used the configured webhook. Successful checks of earlier releases stored none, and count. */
export function isCheckCurrent({ checkCause, checkCode }: Automation, config: Config): boolean {
  return checkCause === null ? checkCode === null : checkCause === hashReadWebhook(config)
}

/** Loads the automation as it works: a webhook of another portal than that of the data blocks it. */
export async function loadEffectiveAutomation(core: Core): Promise<Automation> {
  const row = await loadAutomation(core.pool)
  if (row.state !== 'on' && row.state !== 'paused') return row
  const configured = parseWebhookHost(core.config, 'read')
  if (configured === row.host) return row
  const [reasonCode, reason] =
    configured === null
      ? [NOT_CONFIGURED, crmMessages.notSetAnyMore()]
      : [OTHER_PORTAL, crmMessages.leadsElsewhere({ configured, host: String(row.host) })]
  return { ...row, state: 'blocked', reasonCode, reason: reason.text, messageJson: toStoredReason(reason) }
}

/** Whether work with the portal can run. Each request checks again when it is sent (bitrix24/limiter.ts). */
export const isAutomationOn = async (core: Core): Promise<boolean> =>
  (await loadEffectiveAutomation(core)).state === 'on'

/** Whether comments can be written to deals now. */
export async function isWritingOn(core: Core): Promise<boolean> {
  const { state, writingOn } = await loadEffectiveAutomation(core)
  return state === 'on' && writingOn
}

/** Blocks the automation because the portal rejects our credentials; a check by an owner or the hourly probe lifts it. */
export async function blockAutomation(core: Core, { code, message, reason }: PortalError): Promise<void> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE crm_automation SET state = 'blocked', reason_code = $1, reason = $2, message_json = $4, changed_at = now(),
                  next_probe_at = now() + make_interval(secs => ${PROBE_INTERVAL_SECONDS}), reason_cause = $3
            WHERE state = 'on'`,
    values: [code, message, hashReadWebhook(core.config), toStoredReason(reason)],
  })
  if (!rowCount) return
  core.log.warn({ reason: message }, 'the CRM rejects our credentials')
}

/** Inserts the row of the automation if it is missing. */
export async function ensureAutomationRow(sql: Sql): Promise<void> {
  await sql.query({
    text: 'INSERT INTO crm_automation (positions_release) VALUES ($1) ON CONFLICT DO NOTHING',
    values: [POSITIONS_RELEASE],
  })
}
