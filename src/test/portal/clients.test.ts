import https from 'node:https'
import { Bitrix } from '@2bad/bitrix'
import { B24Hook } from '@bitrix24/b24jssdk'
import { expect } from 'chai'
import { toPortalFault, PORTAL_ERRORS } from './faults.ts'
import { NO_PORTAL_LIMITS } from './limits.ts'
import { TestPortal } from './portal.ts'

/** Inserts 120 deals with their calls. */
function seedPortal({ data }: TestPortal): void {
  data.addUser('Anna', 'Kovaleva')
  data.addDepartment('Sales')
  data.addFunnel('General')
  for (let n = 1; n <= 120; n++) data.addCall({ dealIds: [data.addDeal(`Deal ${n}`)] })
}

describe('test portal with public clients', () => {
  describe('@bitrix24/b24jssdk over HTTPS', () => {
    const portal = new TestPortal()
    const trusted = https.globalAgent.options.ca
    let client: B24Hook
    before(async () => {
      portal.limits = { ...NO_PORTAL_LIMITS }
      seedPortal(portal)
      await portal.start({ secure: true })
      https.globalAgent.options.ca = portal.certificate!
      client = B24Hook.fromWebhookUrl(portal.readUrl)
    })
    after(async () => {
      client.destroy()
      https.globalAgent.options.ca = trusted
      await portal.stop()
    })

    const call = async <T = string[]>(method: string, params: Record<string, unknown> = {}) =>
      (await client.actions.v2.call.make<T>({ method, params })).getData()!

    it('b24jssdk can call methods of the test portal with JSON', async () => {
      const { result, time } = await call<object>('profile')
      expect(result).to.include({ ID: '1', ADMIN: true, NAME: 'Anna' })
      expect(time.operating).to.be.a('number')
      expect((await call('scope')).result).to.include('telephony')
    })

    it('b24jssdk can list deals and calls by page and by id', async () => {
      const list = await client.actions.v2.callList.make<{ id: number }>({
        method: 'crm.item.list',
        params: { entityTypeId: 2, select: ['id', 'title'] },
        customKeyForResult: 'items',
        idKey: 'id',
      })
      expect(list.getData()!.map(({ id }) => id)).to.deep.equal(Array.from({ length: 120 }, (_, n) => n + 1))
      const { result } = await call<{ ID: string }[]>('voximplant.statistic.get', {
        FILTER: { '>ID': 100 },
        SORT: 'ID',
        ORDER: 'ASC',
        start: -1,
      })
      expect(result.map(({ ID }) => Number(ID))).to.deep.equal(Array.from({ length: 20 }, (_, n) => n + 101))
    })

    it('b24jssdk can run batches whose commands refer to each other', async () => {
      const batch = await client.actions.v2.batch.make({
        calls: {
          deal: ['crm.deal.get', { id: 7 }],
          user: ['user.get', { FILTER: { ID: '$result[deal][ASSIGNED_BY_ID]' } }],
        },
        options: { isHaltOnError: true, returnAjaxResult: false },
      })
      expect(batch.isSuccess, batch.getErrorMessages().join()).to.equal(true)
      const { deal, user } = batch.getData() as { deal: { TITLE: string }; user: { LAST_NAME: string }[] }
      expect([deal.TITLE, user[0]!.LAST_NAME]).to.deep.equal(['Deal 7', 'Kovaleva'])
    })

    it('b24jssdk gets errors of the test portal and retries after a rate limit', async () => {
      const answer = await client.actions.v2.call.make({ method: 'no.such.method' }).catch((error: Error) => error)
      expect(answer instanceof Error ? answer.message : answer.getErrorMessages().join()).to.match(/method/i)
      portal.planFault({ method: 'scope', times: 1, fault: toPortalFault(PORTAL_ERRORS.tooMany) })
      expect((await call('scope')).result).to.include('crm')
      expect(portal.findRequests('scope').length).to.be.greaterThan(2)
    })
  })

  describe('@2bad/bitrix over HTTP', () => {
    const portal = new TestPortal()
    let client: ReturnType<typeof Bitrix>
    before(async () => {
      portal.limits = { ...NO_PORTAL_LIMITS }
      seedPortal(portal)
      await portal.start()
      client = Bitrix(portal.readUrl)
    })
    after(() => portal.stop())

    it('@2bad/bitrix can read deals and managers of the test portal', async () => {
      expect((await client.deals.get('7')).result).to.include({ TITLE: 'Deal 7', STAGE_ID: 'NEW', CLOSED: 'N' })
      const { result, total } = await client.deals.list({ select: ['ID', 'TITLE'] })
      expect([result.length, total]).to.deep.equal([120, 120])
      expect(new Set(result.map(({ ID }) => ID)).size).to.equal(120)
      expect((await client.users.get('1')).result.map(({ LAST_NAME }) => LAST_NAME)).to.deep.equal(['Kovaleva'])
    })
  })
})
