import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { CrmNotOn } from './errors.ts'
import { portalMessages } from './messages.ts'
import { webhookOf, type Webhook } from './webhook.ts'

/** What a request is for: `check` is an owner's click, or the hourly look whether a portal that blocked us is back. */
export type Purpose = 'work' | 'check'

/**
 * The one place that lets requests to the portal out: work only while the automation is on, for the portal that the data
 * is of, and to write only while writing is on.
 * @throws CrmNotOn
 */
export async function checkAllowed(core: Core, sql: Sql, webhook: Webhook, purpose: Purpose): Promise<void> {
  if (purpose === 'check') return
  const { rows } = await sql.query<{ state: string; host: string | null; writing_on: boolean }>({
    text: 'SELECT state, host, writing_on FROM crm_automation',
  })
  const row = rows[0]
  if (row?.state !== 'on') throw new CrmNotOn(portalMessages.notOn({ state: row?.state ?? 'off' }))
  const configured = webhookOf(core.config, 'read')
  if (row.host !== configured?.host || webhook.host !== row.host) throw new CrmNotOn(portalMessages.otherPortal())
  if (webhook.kind === 'write' && !row.writing_on) throw new CrmNotOn(portalMessages.mayNotWrite())
}
