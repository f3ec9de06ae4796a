import { expect } from 'chai'
import { PORTAL_ERRORS } from './faults.ts'
import { BITRIX_LIMITS, NO_PORTAL_LIMITS } from './limits.ts'
import { TestPortal } from './portal.ts'

interface PortalResponse<Result> {
  status: number
  result: Result
  error?: string
  next?: number
  total?: number
  time: { operating: number; operating_reset_at: number }
}

describe('test portal', () => {
  let portal: TestPortal
  beforeEach(async () => {
    portal = await new TestPortal().start()
    portal.limits = { ...NO_PORTAL_LIMITS }
  })
  afterEach(() => portal.stop())

  const callMethod = async <Result = { [field: string]: string }[]>(
    method: string,
    parameters: object = {},
    base = portal.readUrl,
  ): Promise<PortalResponse<Result>> => {
    const answer = await fetch(base + method, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(parameters),
    })
    return { status: answer.status, ...((await answer.json()) as Omit<PortalResponse<Result>, 'status'>) }
  }
  const addCalls = (count: number) => Array.from({ length: count }, () => portal.data.addCall())
  const idsOf = ({ result }: { result: { [field: string]: string }[] }) => result.map(({ ID }) => Number(ID))

  it('the test portal returns pages of 50 rows with next and total', async () => {
    addCalls(120)
    const page = await callMethod('voximplant.statistic.get', { FILTER: {}, SORT: 'ID', ORDER: 'ASC', start: 50 })
    expect([idsOf(page)[0], page.result.length, page.next, page.total]).to.deep.equal([51, 50, 100, 120])
    const keyset = await callMethod('voximplant.statistic.get', {
      FILTER: { '>ID': 110 },
      SORT: 'ID',
      ORDER: 'ASC',
      start: -1,
    })
    expect([idsOf(keyset).length, keyset.next, keyset.total]).to.deep.equal([10, undefined, 0])
  })

  it('the test portal ignores unknown call filters and rejects unknown deal filters', async () => {
    addCalls(60)
    const dropped = await callMethod('voximplant.statistic.get', {
      FILTER: { RECORD_FILE_ID: 1 },
      ORDER: { ID: 'ASC' },
    })
    expect([dropped.total, idsOf(dropped)[0]]).to.deep.equal([60, 60])
    const lower = await callMethod('voximplant.statistic.get', { filter: { ID: 7 } })
    expect(lower.total).to.equal(60)
    const strict = await callMethod('crm.item.list', { entityTypeId: 2, filter: { DATE_MODIFY: 1 } })
    expect([strict.status, strict.error]).to.deep.equal([400, 'INVALID_ARG_VALUE'])
  })

  it('without full statistics rights, a webhook gets only its own calls or none', async () => {
    portal.data.addCall({ userId: 1 })
    portal.data.addCall({ userId: 2 })
    portal.statisticsRights = 'own'
    const answer = await callMethod('voximplant.statistic.get', { FILTER: { PORTAL_USER_ID: 2 } })
    expect(answer.result.map(({ PORTAL_USER_ID }) => PORTAL_USER_ID)).to.deep.equal(['1'])
    portal.statisticsRights = 'none'
    expect((await callMethod('voximplant.statistic.get')).error).to.equal('ACCESS_DENIED')
  })

  it('the test portal blocks an address after 50 requests, independent of the webhook', async () => {
    portal.limits = { ...BITRIX_LIMITS }
    // The clock is stopped, so no request leaves the bucket during the test.
    const now = Date.now()
    portal.clock = () => now
    for (let n = 0; n < 25; n++) await Promise.all([callMethod('scope'), callMethod('scope', {}, portal.writeUrl)])
    const refused = await callMethod('scope')
    expect([refused.status, refused.error]).to.deep.equal([503, 'QUERY_LIMIT_EXCEEDED'])
    portal.advanceClock(1000)
    expect((await callMethod('scope')).status).to.equal(200)
  })

  it('the test portal blocks a method for a webhook after its operating time', async () => {
    portal.limits = { ...NO_PORTAL_LIMITS, operatingSeconds: 480, operatingOf: () => 240 }
    const [first, second] = [await callMethod('crm.deal.list'), await callMethod('crm.deal.list')]
    expect(second.time.operating).to.equal(480)
    expect(await callMethod('crm.deal.list')).to.include({ status: 429, error: 'OPERATION_TIME_LIMIT' })
    expect((await callMethod('user.get')).status).to.equal(200)
    portal.shiftMs = first.time.operating_reset_at * 1000 - Date.now() + 1000
    expect((await callMethod('crm.deal.list')).status).to.equal(200)
  })

  it('the test portal rejects nested batches and batches over 50 commands', async () => {
    const batch = await callMethod<Record<string, Record<string, { error: string }>>>('batch', {
      halt: 0,
      cmd: { a: 'scope', b: 'batch?cmd[a]=scope', c: 'no.method' },
    })
    expect(Object.keys(batch.result.result!)).to.deep.equal(['a'])
    expect(batch.result.result_error!.b!.error).to.equal('ERROR_BATCH_METHOD_NOT_ALLOWED')
    expect(batch.result.result_error!.c!.error).to.equal('ERROR_METHOD_NOT_FOUND')
    expect(batch.result.result_next).to.deep.equal([])
    const long = await callMethod('batch', { cmd: Array.from({ length: 51 }, () => 'scope') })
    expect(long).to.include({ status: 400, error: 'ERROR_BATCH_LENGTH_EXCEEDED' })
  })

  it('the test portal sends recordings only to requests with browser headers', async () => {
    const call = portal.data.addCall({ audio: Buffer.from('sound') })
    const { result } = await callMethod<{ DOWNLOAD_URL: string }>('disk.file.get', { id: call.RECORD_FILE_ID })
    expect(result.DOWNLOAD_URL).to.contain(portal.read.code)
    expect((await fetch(result.DOWNLOAD_URL)).status).to.equal(404)
    const headers = { 'User-Agent': 'x', Accept: '*/*', 'Accept-Language': 'en', Referer: portal.url }
    expect(await (await fetch(result.DOWNLOAD_URL, { headers })).text()).to.equal('sound')
    portal.planFault({ method: 'download', times: 1, fault: { kind: 'html' } })
    expect(await (await fetch(result.DOWNLOAD_URL, { headers })).text()).to.contain('<html>')
  })

  it('the test portal stores a comment even if its response is lost', async () => {
    const deal = portal.data.addDeal('Windows')
    const fields = { ENTITY_ID: deal, ENTITY_TYPE: 'deal', COMMENT: 'Well done' }
    expect((await callMethod('crm.timeline.comment.add', { fields })).error).to.equal(undefined)
    portal.planFault({ method: 'crm.timeline.comment.add', times: 1, fault: { kind: 'drop-after' } })
    await callMethod('crm.timeline.comment.add', { fields }, portal.writeUrl).catch(() => undefined)
    const filter = { ENTITY_ID: deal, ENTITY_TYPE: 'deal' }
    const { result } = await callMethod('crm.timeline.comment.list', { filter, order: { ID: 'DESC' } })
    expect(idsOf({ result })).to.deep.equal([2, 1])
    expect(await callMethod('crm.timeline.comment.list', { filter: { ENTITY_TYPE: 'deal' } })).to.include({
      status: 400,
    })
    expect(await callMethod('crm.deal.get', { id: 99 })).to.include({ status: 400, error: '' })
  })

  it("the test portal rejects webhooks, scopes and plans with Bitrix24's errors", async () => {
    const errors: unknown[] = []
    const note = async (base?: string) => {
      const { status, error } = await callMethod('user.get', {}, base)
      errors.push([status, error])
    }
    await note(`${portal.url}/rest/1/another/`)
    await note(portal.writeUrl)
    portal.hasPlan = false
    await note()
    portal.deleted = 410
    await note()
    expect(errors).to.deep.equal([
      [401, 'INVALID_CREDENTIALS'],
      [401, 'insufficient_scope'],
      [403, 'ACCESS_DENIED'],
      [410, 'PORTAL_DELETED'],
    ])
  })

  it('the test portal produces planned faults', async () => {
    portal.planFault({ method: 'scope', times: 1, fault: { kind: 'html', status: 500 } })
    expect((await fetch(`${portal.readUrl}scope`)).headers.get('content-type')).to.contain('html')
    portal.planFault({ method: 'scope', times: 1, fault: { kind: 'error', code: PORTAL_ERRORS.internal.code } })
    expect(await callMethod('scope')).to.include({ status: 200, error: 'INTERNAL_SERVER_ERROR' })
    for (const kind of ['drop-before', 'cut'] as const) {
      portal.planFault({ method: 'scope', times: 1, fault: { kind } })
      expect(await callMethod('scope').catch((error: Error) => error)).to.be.instanceOf(Error)
    }
    expect((await callMethod('scope')).result).to.include('crm')
  })
})
