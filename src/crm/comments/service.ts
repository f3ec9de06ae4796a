import { getCurrentLanguage } from '../../platform/lib/log.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { recordingMessages } from '../../calls/recordings/messages.ts'
import { presentQueuePause, loadQueuePauses } from '../../platform/queue/pauses.ts'
import { PORTAL_NOT_CONFIGURED_CODE, loadCrmAutomation } from '../automation/state.ts'
import { parsePortalWebhookHost, parsePortalWebhook, PortalWebhookError } from '../bitrix24/webhook.ts'
import { commentWritingMessages } from './messages.ts'
import { CRM_WRITE_QUEUE_NAME } from './rejection.ts'
import type { CommentWritingJson } from './schema.ts'
import { loadCrmCommentText } from './text.ts'

/** Loads the state of comment writing, with the counts of sent, failed and waiting comments. */
export async function loadCommentWritingStatus(core: Core): Promise<CommentWritingJson> {
  const [{ writingOn, writingSince }, pauses] = await Promise.all([loadCrmAutomation(core.pool), loadQueuePauses(core)])
  const pause = pauses.get(CRM_WRITE_QUEUE_NAME)
  const { rows } = await core.pool.query<Pick<CommentWritingJson, 'sent' | 'failed' | 'waiting'>>({
    text: `SELECT count(*) FILTER (WHERE status = 'SENT')::int AS sent, count(*) FILTER (WHERE status = 'FAILED')::int AS failed,
                  count(*) FILTER (WHERE status IN ('QUEUED', 'PROCESSING'))::int AS waiting FROM crm_comments`,
  })
  const configured = Boolean(core.config.CRM_WRITE_WEBHOOK_URL)
  const since = writingOn ? (writingSince?.toISOString() ?? null) : null
  const fault = configured ? findWebhookFault(core.config) : undefined
  const reasons = fault
    ? { reason: fault.format(getCurrentLanguage()), reasonCode: PORTAL_NOT_CONFIGURED_CODE }
    : { reason: pause?.reason ?? null, reasonCode: pause?.reasonCode ?? null }
  return { configured, on: writingOn, since, ...reasons, pause: presentQueuePause(pause), ...rows[0]! }
}

/** Returns the reason if the address of the webhook for writing is invalid. */
function findWebhookFault(config: Config): Message | undefined {
  try {
    parsePortalWebhook(config, 'write')
    return undefined
  } catch (error) {
    if (error instanceof PortalWebhookError) return error.reason
    throw error
  }
}

/**
 * Turns the writing of comments on or off. While writing is off, planned comments stay queued.
 * @throws HttpError 409 when turned on, if the webhook is missing, invalid or of another portal, or the automation is not on
 */
export async function changeCommentWriting(core: Core, actor: Actor, on: boolean): Promise<CommentWritingJson> {
  await runInTransaction(core.db, async (sql) => {
    const { state, host, writingOn } = await loadCrmAutomation(sql, true)
    if (on && !core.config.CRM_WRITE_WEBHOOK_URL) throw conflictError(commentWritingMessages.notConfigured())
    if (on && state !== 'on') throw conflictError(commentWritingMessages.notOn())
    const fault = on && findWebhookFault(core.config)
    if (fault) throw conflictError(fault)
    if (on && parsePortalWebhookHost(core.config, 'write') !== host)
      throw conflictError(commentWritingMessages.otherPortal({ host: host ?? '' }))
    if (on !== writingOn) await setCommentWritingEnabled(sql, actor, on)
  })
  return loadCommentWritingStatus(core)
}

/**
 * Stores whether comments are written, and ends an automatic pause so that the first comment is sent at once.
 * The caller must hold the lock of the automation's row.
 */
export async function setCommentWritingEnabled(sql: Sql, actor: Actor, on: boolean): Promise<void> {
  await sql.query({
    text: `UPDATE crm_automation SET writing_on = $1, changed_at = now(),
                  writing_since = CASE WHEN $1 THEN now() ELSE writing_since END`,
    values: [on],
  })
  await sql.query({
    text: 'DELETE FROM paused_queues WHERE name = $1 AND cause IS NOT NULL',
    values: [CRM_WRITE_QUEUE_NAME],
  })
  await recordAuditChange(sql, actor, { action: 'crm.writing', details: { before: { on: !on }, after: { on } } })
}

/** Loads the text of the comment for a call, and one deal that would get it, null if none would. @throws HttpError 404 */
export async function loadCrmCommentPreview(core: Core, recordingId: string) {
  const text = await loadCrmCommentText(core.pool, core.config, recordingId)
  if (text === undefined) throw notFoundError(recordingMessages.noRecording())
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT l.deal_id AS id FROM crm_call_deals l JOIN crm_deals d ON d.id = l.deal_id
            WHERE l.recording_id = $1 AND NOT l.ambiguous ORDER BY l.deal_id LIMIT 1`,
    values: [recordingId],
  })
  return { dealId: rows[0]?.id ?? null, text }
}
