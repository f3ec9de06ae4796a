import { expect } from 'chai'
import { openAppCore, type CoreHandle } from '../app/core.ts'
import { callPortalMethod, type PortalAccess } from '../crm/bitrix24/client.ts'
import { PortalError } from '../crm/bitrix24/errors.ts'
import { parsePortalWebhook } from '../crm/bitrix24/webhook.ts'
import { createLogger } from '../platform/lib/log.ts'
import { NO_PORTAL_LIMITS } from './portal/limits.ts'
import { TestPortal } from './portal/portal.ts'
import { createTestDatabase, type TestDatabase } from './server.ts'

/** Calls TestPortal with the product's CRM client, a database and Redis, but without an API. */
export class TestPortalClient {
  readonly portal = new TestPortal()
  readonly logged: unknown[] = []
  database!: TestDatabase
  opened!: CoreHandle
  /** The requests use the webhook for reading and the lane `sync`. */
  callOptions!: PortalAccess

  async start(): Promise<void> {
    await this.portal.start()
    this.database = await createTestDatabase({
      CRM_WEBHOOK_URL: this.portal.readUrl,
      CRM_WRITE_WEBHOOK_URL: this.portal.writeUrl,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
    })
    const log = createLogger('silent', 'test')
    log.warn = (...line: unknown[]) => void this.logged.push(...line)
    this.opened = await openAppCore(this.database.config, log)
    const webhook = parsePortalWebhook(this.database.config, 'read')!
    this.callOptions = { webhook, lane: 'sync', signal: new AbortController().signal }
  }

  /** Restores the initial state of the portal and the limiter, with the automation enabled. */
  async reset(): Promise<void> {
    const { portal, database } = this
    Object.assign(portal, { limits: { ...NO_PORTAL_LIMITS }, faults: [], hasPlan: true, deleted: undefined })
    portal.requests.length = 0
    portal.read.state = 'valid'
    for (const table of ['crm_automation', 'crm_limiter', 'crm_method_pauses', 'crm_lanes'])
      await database.db.query(`DELETE FROM ${table}`)
    const insertAutomation = 'INSERT INTO crm_automation (state, host) VALUES ($1, $2)'
    await database.db.query(insertAutomation, ['on', new URL(portal.url).host])
  }

  async stop(): Promise<void> {
    await this.opened.close()
    await this.database.remove()
    await this.portal.stop()
  }

  call = (method: string, params: object = {}, changes: Partial<PortalAccess> = {}) =>
    callPortalMethod(this.opened.core, { ...this.callOptions, ...changes }, method, params as Record<string, unknown>)

  /** Loads the row of the limiter. `stop` is the remaining pause and `length` its total, in seconds. */
  loadLimiter = async () => {
    const text = `SELECT *, extract(epoch FROM stopped_until - now()) AS stop,
                         extract(epoch FROM stopped_until - rate_at)::float8 AS length FROM crm_limiter`
    return (await this.database.db.query(text)).rows[0]
  }

  /** Makes the limiter allow the next request immediately. */
  allowNextRequest = () => this.database.db.query('UPDATE crm_limiter SET free_at = now(), stopped_until = NULL')
}

/**
 * Returns the PortalError with which a request fails.
 * @throws AssertionError if the request succeeds; any other error unchanged
 */
export async function expectPortalError(work: Promise<unknown>): Promise<PortalError> {
  const error = await work.then(
    () => expect.fail('it should fail'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof PortalError)) throw error
  return error
}
