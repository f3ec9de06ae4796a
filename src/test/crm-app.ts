import type { Config } from '../platform/config/config.ts'
import { openAppCore, type AppCore, type CoreHandle } from '../app/core.ts'
import { dealMatchBacklogStep, dealMatchesStep } from '../crm/deals/matches-step.ts'
import { CRM_STEPS } from '../crm/steps/all-steps.ts'
import type { CrmStepName } from '../crm/steps/schema.ts'
import { toSchedulerStep } from '../crm/steps/crm-step.ts'
import { generateId } from '../platform/lib/ids.ts'
import { createLogger } from '../platform/lib/log.ts'
import { resolveCallManager } from '../people/managers/service.ts'
import { createQueueWork } from '../platform/queue/attempts.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { runStep, type Step } from '../platform/queue/steps.ts'
import { DISABLE_LIMITER_SQL, NO_PORTAL_LIMITS } from './portal/limits.ts'
import { TestPortal } from './portal/portal.ts'
import { startTestApp, type TestApp } from './server.ts'

/** A test app whose CRM is TestPortal. Steps and queues run only when a test calls them. */
export class TestCrmApp {
  portal = new TestPortal()
  app!: TestApp
  private opened!: CoreHandle

  async start(overrides: Partial<Config> = {}): Promise<this> {
    await this.portal.start()
    this.portal.limits = { ...NO_PORTAL_LIMITS }
    this.app = await startTestApp({
      API_RUN_MODE: 'api',
      CRM_WEBHOOK_URL: this.portal.readUrl,
      CRM_WRITE_WEBHOOK_URL: this.portal.writeUrl,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
      CRM_SYNC_PAUSE_SECONDS: 0,
      CRM_EXPORT_PAUSE_SECONDS: 0,
      ...overrides,
    })
    this.opened = await openAppCore(this.app.config, createLogger('silent', 'test'))
    return this
  }

  get core(): AppCore {
    return this.opened.core
  }

  /** Replaces the portal and deletes the CRM data, which is faster than a restart. */
  async reset(): Promise<void> {
    this.portal = new TestPortal().replacePortal(this.portal)
    this.portal.limits = { ...NO_PORTAL_LIMITS }
    const tables = await this.sql(`SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'crm\\_%'`)
    await this.sql(`TRUNCATE departments, ${tables.map(({ name }) => name).join()} CASCADE`)
  }

  async stop(): Promise<void> {
    await this.opened.close()
    await this.app.stop()
    await this.portal.stop()
  }

  /** Removes the pauses of the rate limiter, for tests that do not measure time. */
  async disableLimiter(): Promise<void> {
    await this.sql(DISABLE_LIMITER_SQL)
  }

  /** Makes queued sync jobs due. Skips rows that a worker has locked, to avoid a deadlock. */
  async makeJobsDue(): Promise<void> {
    await this.sql(`UPDATE crm_sync_jobs SET next_attempt_at = now() WHERE id IN (
      SELECT id FROM crm_sync_jobs WHERE status = 'QUEUED' FOR UPDATE SKIP LOCKED)`)
  }

  sql = async (text: string, values: unknown[] = []) => (await this.app.db.query(text, values)).rows

  /** Enables the automation through the API, like an owner. */
  async enableAutomation(): Promise<void> {
    for (const path of ['connection/check', 'automation/confirm', 'automation/enable']) {
      const { status, text } = await this.app.olga.post(`/v1/crm/${path}`)
      if (status !== 200) throw new Error(`${path}: ${text}`)
    }
  }

  /** Assigns funnels to all departments. Creates a department if there is none. */
  async chooseFunnels(funnels: number[]): Promise<void> {
    await this.sql(
      `INSERT INTO departments (id, name) SELECT gen_random_uuid(), 'Sales' WHERE NOT EXISTS (SELECT FROM departments)`,
    )
    await this.sql('UPDATE departments SET funnels = $1', [funnels])
  }

  /** Runs each step once, even if it is not due, unless the step is on hold or not ready. */
  async runSteps(...names: CrmStepName[]): Promise<void> {
    for (const name of names) {
      await this.sql('UPDATE crm_steps SET due_at = now() WHERE name = $1 AND hold IS NULL', [name])
      const step = toSchedulerStep(CRM_STEPS.find((one) => one.name === name)!)
      if ((await step.isReady?.(this.core)) !== false) await runStep(this.core, step)
    }
  }

  /** Links calls to deals: runs the steps for new calls and for the backlog once, even if they are not due. */
  async linkDeals(): Promise<void> {
    for (const step of [dealMatchesStep, dealMatchBacklogStep]) await this.runBackground(step)
  }

  /** Runs a background step once, even if it is not due. */
  async runBackground(step: Step): Promise<void> {
    await this.sql(`UPDATE crm_steps SET due_at = now() WHERE 'crm ' || name = $1`, [step.name])
    if ((await step.isReady?.(this.core)) !== false) await runStep(this.core, step)
  }

  /** Claims and runs the due jobs of a queue one after another, until none is due. */
  async runDueJobs(queue: Queue): Promise<void> {
    const worker = createQueueWork(this.core, queue)
    for (;;) {
      const attempt = await worker.claim()
      if (!attempt) return
      await worker.run(attempt, new AbortController().signal)
      await worker.store(attempt)
    }
  }

  /** Adds a user of the portal to the roster of a department with the funnel 0, so that the automation loads their calls. */
  async addToRoster(userId: number, name: string): Promise<void> {
    await this.chooseFunnels([0])
    const { id } = await resolveCallManager(this.app.db, { name, crmUserId: String(userId) })
    await this.sql(
      'INSERT INTO crm_roster (user_id, department_id, manager_id) SELECT $1, id, $2 FROM departments LIMIT 1',
      [String(userId), id],
    )
  }

  /** Inserts a transcribed call with an unambiguous link to a deal, for which the automation writes a comment. */
  async addTranscribedCall(dealId: number): Promise<string> {
    const id = generateId()
    await this.sql(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status, call_started_at, manager_name)
       VALUES ($1, 'upload', $2, 1, 'DONE', now(), 'Anna Kovaleva')`,
      [id, id],
    )
    const link = `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, $2, 'activity')`
    await this.sql(link, [id, dealId])
    await this.sql(`INSERT INTO crm_matches (recording_id, state, due_at) VALUES ($1, 'linked', NULL)`, [id])
    return id
  }

  async fetchStep(name: CrmStepName) {
    const { json } = await this.app.olga.get('/v1/crm/steps')
    return json.find((step: { name: string }) => step.name === name)
  }
}
