import { expect } from 'chai'
import { toPortalFault, PORTAL_ERRORS } from '../../test/portal/faults.ts'
import { BITRIX_LIMITS, NO_PORTAL_LIMITS } from '../../test/portal/limits.ts'
import { expectPortalError, TestPortalClient } from '../../test/portal-client.ts'
import type { TestDatabase } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { callPortalBatch, type PortalAccess, type PortalBatchCommand } from './client.ts'
import type { PortalError } from './errors.ts'

describe('rate limiter of portal requests', () => {
  const client = new TestPortalClient()
  const { portal, call, loadLimiter: limiter, allowNextRequest: makeWay } = client
  let database: TestDatabase
  before(async () => {
    await client.start()
    ;({ database } = client)
  })
  beforeEach(() => client.reset())
  after(() => client.stop())

  it('after too many requests, the limiter pauses all lanes and reduces the rate, which recovers', async () => {
    portal.faults = [{ times: 1, fault: toPortalFault(PORTAL_ERRORS.tooMany) }]
    const calls = call('profile')
    await waitUntil('it stands', async () => (await limiter())?.stop > 0)
    const first = await limiter()
    expect(first.length).to.equal(2)
    expect(first.rate).to.be.closeTo(1.52, 0.01)
    const other = call('profile', {}, { lane: 'live' })
    await makeWay()
    expect((await calls).result).to.have.property('ID')
    await other
    expect(await limiter()).to.include({ stops: 0, stopped_until: null })
    await database.db.query(`UPDATE crm_limiter SET stops = 7, rate_at = now() - interval '2 minutes'`)
    portal.faults = [{ times: 1, fault: toPortalFault(PORTAL_ERRORS.tooMany) }]
    const slow = call('profile')
    await waitUntil('it stands again', async () => (await limiter())?.stop > 0)
    expect((await limiter()).length).to.equal(60)
    expect((await limiter()).rate).to.be.closeTo(1.52 * 1.05 ** 2 * 0.8, 0.01)
    await makeWay()
    await slow
  })

  it('a response to an earlier request does not end the limiter’s pause', async () => {
    portal.planFault({ method: 'user.get', times: 1, fault: { kind: 'slow', ms: 700 } })
    const before = call('user.get', {}, { lane: 'history' })
    await waitUntil('it is on its way', () => portal.findRequests('user.get').length === 1)
    portal.planFault({ method: 'profile', times: 1, fault: toPortalFault(PORTAL_ERRORS.tooMany) })
    const refused = call('profile')
    await waitUntil('it stands', async () => (await limiter()).stops === 1)
    await database.db.query(`UPDATE crm_limiter SET stopped_until = now() + interval '1 minute'`)
    await before
    const { stops, stop } = await limiter()
    expect([stops, stop > 0]).to.deep.equal([1, true])
    await makeWay()
    await refused
    expect(await limiter()).to.include({ stops: 0, stopped_until: null })
  })

  it('the limiter pauses a closed method until its reset time or for doubling times', async () => {
    const pauses = async () =>
      (
        await database.db.query(
          `SELECT (ceil(extract(epoch FROM paused_until - now()) / 10) * 10)::int AS seconds FROM crm_method_pauses
            WHERE pauses > 0`,
        )
      ).rows.map(({ seconds }) => seconds)
    portal.limits = { ...NO_PORTAL_LIMITS, tellsOperating: false }
    const found: number[] = []
    for (let n = 0; n < 6; n++) {
      portal.faults = [{ method: 'user.get', fault: toPortalFault(PORTAL_ERRORS.operating) }]
      expect((await expectPortalError(call('user.get'))).verdict).to.equal('operating')
      found.push(...(await pauses()))
      await database.db.query(`UPDATE crm_method_pauses SET paused_until = now()`)
    }
    expect(found).to.deep.equal([60, 120, 240, 480, 600, 600])
    await database.db.query(`UPDATE crm_method_pauses SET paused_until = now() + interval '5 minutes'`)
    const requestsBefore = portal.findRequests('user.get').length
    const closed = await expectPortalError(call('user.get'))
    expect(closed.until!.getTime() - Date.now()).to.be.within(290_000, 300_000)
    expect(portal.findRequests('user.get')).to.have.length(requestsBefore)
    expect((await call('profile')).result).to.have.property('ID')
    portal.faults = []
    portal.limits = { ...NO_PORTAL_LIMITS, tellsOperating: true, operatingSeconds: 1, operatingOf: () => 1 }
    portal.shiftMs = 3600_000
    await call('department.get')
    await expectPortalError(call('department.get'))
    portal.shiftMs = 0
    const { rows } = await database.db.query(
      `SELECT extract(epoch FROM paused_until - now())::float8 AS left FROM crm_method_pauses WHERE method = 'department.get'`,
    )
    expect(rows[0].left, 'by its own clock').to.be.within(530, 602)
  })

  /** Requests users in one batch. The portal rejects some with OPERATION_TIME_LIMIT. */
  const askUsers = (ids: number[], refused: number[]) => {
    const when = ({ ID }: Record<string, unknown>) => refused.includes(Number(ID))
    portal.planFault({ method: 'user.get', when, fault: toPortalFault(PORTAL_ERRORS.operating) })
    const commands = ids.map((ID): [string, PortalBatchCommand] => [`u${ID}`, { method: 'user.get', params: { ID } }])
    return callPortalBatch(client.opened.core, client.callOptions, Object.fromEntries(commands))
  }
  const pauseOf = async () => {
    const { rows } = await database.db.query(
      `SELECT pauses, extract(epoch FROM paused_until - now())::float8 AS seconds,
              extract(epoch FROM reset_at - now())::float8 AS reset FROM crm_method_pauses WHERE method = 'user.get'`,
    )
    return rows[0]
  }

  it('several rejections of a method in one batch pause it once, for a minute', async () => {
    portal.limits = { ...NO_PORTAL_LIMITS, tellsOperating: false }
    const answers = await askUsers([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    expect(Object.values(answers).map((answer) => (answer as PortalError).verdict)).to.deep.equal(
      Array.from({ length: 5 }, () => 'operating'),
    )
    const { pauses, seconds } = await pauseOf()
    expect([pauses, Math.ceil(seconds / 10)]).to.deep.equal([1, 6])
  })

  it('a method that fails in part of a batch is paused until its reset time', async () => {
    const answers = await askUsers([1, 2], [2])
    expect(answers.u1).to.have.property('result')
    const { seconds, reset } = await pauseOf()
    expect(seconds - reset).to.be.closeTo(1, 0.001)
    expect(reset).to.be.greaterThan(500)
    expect((await expectPortalError(call('user.get'))).verdict).to.equal('operating')
  })

  it('the limiter stays below the portal’s rate limit, and the lane history has no burst', async () => {
    portal.limits = { ...BITRIX_LIMITS }
    const began = performance.now()
    const lanes = ['live', 'write', 'sync'] as const
    await Promise.all(Array.from({ length: 24 }, (_, n) => call('profile', {}, { lane: lanes[n % 3]! })))
    expect(performance.now() - began).to.be.greaterThan(2000)
    expect((await limiter()).stops).to.equal(0)
    const waited = performance.now()
    await database.db.query(`UPDATE crm_limiter SET free_at = now() + interval '1 second'`)
    await call('profile', {}, { lane: 'history' })
    expect(performance.now() - waited).to.be.greaterThan(900)
    expect(portal.requests).to.have.length(25)
  })

  it('the limiter lets urgent lanes go first, with one request per lane at a time', async () => {
    await call('profile')
    await database.db.query(`UPDATE crm_limiter SET free_at = now() + interval '12 seconds'`)
    portal.requests.length = 0
    const ask = (lane: PortalAccess['lane']) => call('profile', { lane }, { lane })
    const all = [ask('sync'), ask('write'), ask('live')]
    await waitUntil('all wait', async () => {
      const { rowCount } = await database.db.query('SELECT FROM crm_lanes WHERE wanted_until > now()')
      return rowCount === 3
    })
    await makeWay()
    await Promise.all(all)
    // Compare the arrival of requests, because responses can overtake each other.
    expect(portal.requests.map(({ parameters }) => parameters.lane)).to.deep.equal(['live', 'write', 'sync'])
    portal.latencyMs = 300
    const began = performance.now()
    await Promise.all([call('profile'), call('profile'), call('profile')])
    expect(performance.now() - began).to.be.greaterThan(900)
    portal.latencyMs = 0
  })
})
