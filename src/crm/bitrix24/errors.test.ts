import { expect } from 'chai'
import { openAppCore, type CoreHandle } from '../../app/core.ts'
import { createLogger } from '../../platform/lib/log.ts'
import { toPortalFault, PortalError as Answered } from '../../test/portal/faults.ts'
import { NO_PORTAL_LIMITS } from '../../test/portal/limits.ts'
import { TestPortal } from '../../test/portal/portal.ts'
import { createTestDatabase, type TestDatabase } from '../../test/server.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { callPortalBatch, callPortalMethod, type PortalAccess, type PortalBatchCommand } from './client.ts'
import { CrmAutomationOffError, PortalError, type PortalErrorVerdict } from './errors.ts'
import { parsePortalWebhook } from './webhook.ts'

/** Error codes with their documented HTTP statuses. The portal can send each code with 200 too. */
const CODE_CASES: [code: string, statuses: number[], verdict: PortalErrorVerdict, words?: string][] = [
  ['QUERY_LIMIT_EXCEEDED', [503], 'limit'],
  ['OPERATION_TIME_LIMIT', [429], 'operating'],
  ['OVERLOAD_LIMIT', [503], 'blocked'],
  ['INVALID_CREDENTIALS', [401, 403], 'blocked'],
  ['insufficient_scope', [401, 403], 'blocked'],
  ['NO_AUTH_FOUND', [401], 'blocked'],
  ['expired_token', [401], 'blocked'],
  ['ACCESS_DENIED', [403], 'blocked', 'REST is available only on commercial plans.'],
  ['ACCESS_DENIED', [403], 'denied', 'Access denied!'],
  ['PORTAL_DELETED', [500, 403, 410], 'blocked'],
  ['ERROR_METHOD_NOT_FOUND', [404], 'attention'],
  ['INVALID_ARG_VALUE', [400], 'attention'],
  ['INVALID_REQUEST', [400], 'attention', 'Https required.'],
  ['ERROR_BATCH_LENGTH_EXCEEDED', [400, 405], 'attention'],
  ['ERROR_BATCH_METHOD_NOT_ALLOWED', [400, 405], 'attention'],
  ['NOT_FOUND', [400], 'item'],
  ['OWNER_NOT_FOUND', [400], 'item'],
  ['', [400], 'item', 'Not found'],
  ['0', [400], 'item'],
  ['INTERNAL_SERVER_ERROR', [500], 'retry'],
  ['ERROR_UNEXPECTED_ANSWER', [500], 'retry'],
]

/** The time limit of the portal for a request is 60 s; quick runs wait less. */
const MAX_RESPONSE_MS = chooseRepeatCount(1000, 60_000)

describe('portal errors', () => {
  const portal = new TestPortal()
  let database: TestDatabase
  let opened: CoreHandle
  let access: PortalAccess
  let making: NodeJS.Timeout
  before(async () => {
    await portal.start()
    database = await createTestDatabase({ CRM_WEBHOOK_URL: portal.readUrl, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    opened = await openAppCore(database.config, createLogger('silent', 'test'))
    access = {
      webhook: parsePortalWebhook(database.config, 'read')!,
      lane: 'sync',
      signal: new AbortController().signal,
    }
    // Clears the pauses of the limiter, so that tests need not wait.
    making = setInterval(
      () => void database.db.query('UPDATE crm_limiter SET free_at = now(), stopped_until = NULL'),
      20,
    )
  })
  after(async () => {
    clearInterval(making)
    await opened.close()
    await database.remove()
    await portal.stop()
  })
  beforeEach(async () => {
    Object.assign(portal, { faults: [], latencyMs: 0, limits: { ...NO_PORTAL_LIMITS } })
    portal.requests.length = 0
    for (const table of ['crm_automation', 'crm_lanes', 'crm_method_pauses'])
      await database.db.query(`DELETE FROM ${table}`)
    await database.db.query(`INSERT INTO crm_automation (state, host) VALUES ('on', $1)`, [new URL(portal.url).host])
  })

  const call = (method: string) => callPortalMethod(opened.core, access, method, {})
  const batch = (commands: Record<string, PortalBatchCommand>) => callPortalBatch(opened.core, access, commands)
  const state = async () => (await database.db.query('SELECT state FROM crm_automation')).rows[0].state
  const closed = async () => {
    const text = 'SELECT method FROM crm_method_pauses WHERE paused_until > now()'
    return (await database.db.query(text)).rows.map(({ method }) => method)
  }
  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'nothing',
      (error: unknown) => error,
    )

  for (const [code, statuses, verdict, words] of CODE_CASES) {
    const named = [code || 'an empty code', words && `“${words}”`].filter(Boolean).join(' ')
    it(`the client classifies ${named} as ${verdict}, with any status and inside a batch`, async () => {
      for (const status of [...statuses, 200]) {
        await database.db.query(`DELETE FROM crm_method_pauses; UPDATE crm_automation SET state = 'on'`)
        portal.faults = [{ method: 'user.get', fault: toPortalFault(new Answered(status, code, words)) }]
        const error = await failure(call('user.get'))
        expect(error, `${status}`).to.be.instanceOf(PortalError).with.property('verdict', verdict)
        expect([await state(), await closed()], `${status}`).to.deep.equal([
          verdict === 'blocked' ? 'blocked' : 'on',
          verdict === 'operating' ? ['user.get'] : [],
        ])
      }
      await database.db.query(`DELETE FROM crm_method_pauses; UPDATE crm_automation SET state = 'on'`)
      const commands = { bad: { method: 'user.get', params: {} }, good: { method: 'profile', params: {} } }
      const { bad, good } = await batch(commands)
      expect(bad).to.be.instanceOf(PortalError).with.property('verdict', verdict)
      expect(good, 'the other command').to.have.nested.property('result.ID')
      expect(await state()).to.equal(verdict === 'blocked' ? 'blocked' : 'on')
      expect(await closed()).to.deep.equal(verdict === 'operating' ? ['user.get'] : [])
      if (verdict === 'blocked') expect(await failure(call('profile'))).to.be.instanceOf(CrmAutomationOffError)
    })
  }

  it('the client does not retry a batch that is too large or nested', async () => {
    const commands = Array.from({ length: 51 }, (_, n) => [`c${n}`, { method: 'profile', params: {} }])
    expect(await failure(batch(Object.fromEntries(commands))))
      .to.be.instanceOf(PortalError)
      .with.property('verdict', 'attention')
    const { inner } = await batch({ inner: { method: 'batch', params: {} } })
    expect(inner).to.be.instanceOf(PortalError).with.property('verdict', 'attention')
    expect(portal.requests.filter(({ isNested }) => !isNested).length).to.equal(2)
  })

  for (const [batchBilling, method] of [
    ['nested', 'user.get'],
    ['batch', 'batch'],
  ] as const) {
    it(`if the portal bills a batch as ${method}, only ${method} is paused`, async () => {
      portal.limits = { ...NO_PORTAL_LIMITS, operatingSeconds: 1, operatingOf: () => 1, batchBilling }
      const users = { users: { method: 'user.get', params: {} } }
      const answers = [await batch(users), await batch(users).catch((error: unknown) => ({ users: error }))]
      expect(answers[0]!.users).to.have.property('result')
      expect(answers[1]!.users).to.be.instanceOf(PortalError).with.property('verdict', 'operating')
      expect(await closed()).to.deep.equal([method])
      const requestsBefore = portal.requests.length
      expect(await failure(batch(users)))
        .to.be.instanceOf(PortalError)
        .with.property('verdict', 'operating')
      expect(portal.requests.length).to.equal(requestsBefore)
      expect(await call('server.time')).to.have.property('result')
      portal.advanceClock(3600_000)
    })
  }

  it(`the client accepts a response after ${MAX_RESPONSE_MS / 1000} s and sends the request once`, async () => {
    for (let n = 0; n < 10; n++) portal.data.addUser(`User ${n}`, 'Slow')
    portal.planFault({ times: 1, fault: { kind: 'slow', ms: MAX_RESPONSE_MS } })
    const { result } = await call('user.get')
    expect(result).to.have.length(10)
    expect(portal.findRequests('user.get')).to.have.length(1)
  }).timeout(180_000)

  it('the client gives up on a silent portal within 100 s, with the verdict retry', async function () {
    // Only the full time limit can prove this.
    if (chooseRepeatCount(0, 1) === 0) this.skip()
    portal.planFault({ times: 1, fault: { kind: 'silent' } })
    const began = performance.now()
    const error = await failure(call('user.get'))
    expect(error).to.be.instanceOf(PortalError).and.deep.include({ verdict: 'retry', code: 'NO_ANSWER' })
    expect(performance.now() - began).to.be.within(60_000, 100_000)
    expect((await call('user.get')).result).to.be.an('array')
  }).timeout(180_000)
})
