import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { QUEUE_PROBE_INTERVAL_SECONDS } from '../../platform/queue/pauses.ts'
import { toStoredReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import type { PortalError } from '../bitrix24/errors.ts'
import type { CrmAutomationJson } from './schema.ts'
import { crmMessages } from '../messages.ts'
import { parsePortalWebhookHost } from '../bitrix24/webhook.ts'

export const CRM_AUTOMATION_AUDIT_OBJECT = { type: 'settings', id: 'crm' } as const

/** The stored state of the CRM automation. It has the defaults of a new installation if nothing is stored. */
export interface CrmAutomation {
  state: CrmAutomationJson['state']
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
  /** The webhook hash of the last check, and of the block; null if an earlier release stored them. */
  checkCause: string | null
  reasonCause: string | null
}

/** Raise this in a release that must read the CRM from the beginning. Its first start resets all read positions once. */
export const CRM_POSITIONS_RELEASE = 1

/** Codes of our own reasons for a block, in addition to the codes of the portal. */
export const OTHER_PORTAL_CODE = 'OTHER_PORTAL'
export const PORTAL_NOT_CONFIGURED_CODE = 'NOT_CONFIGURED'

/**
 * Loads the stored automation.
 * @param lock locks the row, if it exists, until the transaction ends
 */
export async function loadCrmAutomation(sql: Sql, lock = false): Promise<CrmAutomation> {
  if (lock) await sql.query({ text: 'SELECT FROM crm_automation FOR UPDATE' })
  const { rows } = await sql.query<CrmAutomation>({
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

/** Hashes CRM_WEBHOOK_URL. The result of a check and a block are valid only for the webhook with this hash. */
export const hashReadWebhook = ({ CRM_WEBHOOK_URL = '' }: Config): string => sha256(CRM_WEBHOOK_URL).toString('hex')

/** Returns true if the last check used the configured webhook. Earlier releases stored no hash; their successful checks count. */
export function isConnectionCheckCurrent({ checkCause, checkCode }: CrmAutomation, config: Config): boolean {
  return checkCause === null ? checkCode === null : checkCause === hashReadWebhook(config)
}

/**
 * Loads the automation. If it is on or paused, but no webhook or one of another portal is configured, the state is `blocked`.
 */
export async function loadEffectiveCrmAutomation(core: Core): Promise<CrmAutomation> {
  const row = await loadCrmAutomation(core.pool)
  if (row.state !== 'on' && row.state !== 'paused') return row
  const configured = parsePortalWebhookHost(core.config, 'read')
  if (configured === row.host) return row
  const [reasonCode, reason] =
    configured === null
      ? [PORTAL_NOT_CONFIGURED_CODE, crmMessages.notSetAnyMore()]
      : [OTHER_PORTAL_CODE, crmMessages.leadsElsewhere({ configured, host: String(row.host) })]
  return { ...row, state: 'blocked', reasonCode, reason: reason.text, messageJson: toStoredReason(reason) }
}

/** Returns true if work with the portal can run. The limiter checks the state again before each request. */
export const isCrmAutomationOn = async (core: Core): Promise<boolean> =>
  (await loadEffectiveCrmAutomation(core)).state === 'on'

/** Returns true if the automation is on and an owner turned on the writing of comments. */
export async function isCommentWritingOn(core: Core): Promise<boolean> {
  const { state, writingOn } = await loadEffectiveCrmAutomation(core)
  return state === 'on' && writingOn
}

/**
 * Blocks an automation that is on, after an error with the verdict `blocked`. A successful check by an owner or the hourly
 * probe unblocks it.
 */
export async function blockCrmAutomation(core: Core, { code, message, reason }: PortalError): Promise<void> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE crm_automation SET state = 'blocked', reason_code = $1, reason = $2, message_json = $4, changed_at = now(),
                  next_probe_at = now() + make_interval(secs => ${QUEUE_PROBE_INTERVAL_SECONDS}), reason_cause = $3
            WHERE state = 'on'`,
    values: [code, message, hashReadWebhook(core.config), toStoredReason(reason)],
  })
  if (!rowCount) return
  core.log.warn({ reason: message }, 'the CRM rejects our credentials')
}

/** Inserts the row of the automation if it is missing. Call it before locking or changing the row. */
export async function ensureCrmAutomationRow(sql: Sql): Promise<void> {
  await sql.query({
    text: 'INSERT INTO crm_automation (positions_release) VALUES ($1) ON CONFLICT DO NOTHING',
    values: [CRM_POSITIONS_RELEASE],
  })
}
