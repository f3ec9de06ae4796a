import { expect } from 'chai'
import type { CoreHandle } from '../../app/core.ts'
import { toPortalFault, PORTAL_ERRORS, type PortalFault } from '../../test/portal/faults.ts'
import { expectPortalError, TestPortalClient } from '../../test/portal-client.ts'
import type { TestDatabase } from '../../test/server.ts'
import { callPortalBatch, callPortalMethod, type PortalAccess } from './client.ts'
import { openPortalFile } from './download.ts'
import { CrmAutomationOffError, PortalError } from './errors.ts'
import { fetchPortalRowsAfterId } from './rows.ts'
import { parsePortalWebhook, PortalWebhookError } from './webhook.ts'

describe('Bitrix24 client', () => {
  const client = new TestPortalClient()
  const { portal } = client
  let database: TestDatabase
  let opened: CoreHandle
  let access: PortalAccess
  before(async () => {
    await client.start()
    ;({ database, opened, callOptions: access } = client)
  })
  beforeEach(() => client.reset())
  after(() => client.stop())

  const { call, loadLimiter: limiter, allowNextRequest: makeWay } = client
  const automation = async () => (await database.db.query('SELECT * FROM crm_automation')).rows[0]

  it('the client sends no request unless the automation is on for the same portal', async () => {
    for (const [state, host] of [
      ['off', portal.url],
      ['paused', portal.url],
      ['blocked', portal.url],
      ['on', 'http://other.example'],
    ]) {
      await database.db.query('UPDATE crm_automation SET state = $1, host = $2', [state, new URL(host!).host])
      const refused = await call('profile').catch((error: unknown) => error)
      expect(refused, state).to.be.instanceOf(CrmAutomationOffError)
    }
    await database.db.query('DELETE FROM crm_automation')
    expect(await call('profile').catch((error: unknown) => error)).to.be.instanceOf(CrmAutomationOffError)
    const write = parsePortalWebhook(database.config, 'write')!
    const refused = await call('profile', {}, { webhook: write }).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(CrmAutomationOffError)
    expect(portal.requests).to.deep.equal([])
  })

  it('the client accepts only webhook addresses, and http only if private addresses are allowed', () => {
    const of = (CRM_WEBHOOK_URL: string, allowed = true) =>
      parsePortalWebhook({ ...database.config, CRM_WEBHOOK_URL, ALLOW_PRIVATE_NETWORK_DOWNLOADS: allowed }, 'read')
    expect(of('https://my.bitrix24.by/rest/1/s3cret')).to.deep.include({
      base: 'https://my.bitrix24.by/rest/1/s3cret/',
      host: 'my.bitrix24.by',
      userId: '1',
    })
    for (const [link, allowed] of [
      ['http://my.bitrix24.by/rest/1/s3cret/', false],
      ['https://my.bitrix24.by/rest/s3cret/', true],
      ['https://my.bitrix24.by/rest/1/s3cret/profile/x', true],
      ['https://my.bitrix24.by/', true],
    ] as const) {
      expect(() => of(link, allowed), link)
        .to.throw(PortalWebhookError)
        .with.property('message')
        .that.does.not.contain('s3cret')
    }
  })

  it('the client sends secret URLs over plain http only to private addresses', async () => {
    const config = { ...database.config, CRM_WEBHOOK_URL: 'http://8.8.8.8/rest/1/s3cret/' }
    const webhook = parsePortalWebhook(config, 'read')!
    await database.db.query('UPDATE crm_automation SET host = $1', [webhook.host])
    const core = { ...opened.core, config }
    const open = { ...access, webhook }
    const refused = await expectPortalError(callPortalMethod(core, open, 'profile', {}))
    expect(refused.message).to.equal(
      'profile: the portal’s address must use https, unless it points to a private address',
    )
    const file = await expectPortalError(openPortalFile(core, open, 'http://8.8.8.8/rest/1/s3cret/download/', 1000))
    expect(file.message).to.contain('the file’s address must use https').and.not.contain('s3cret')
  })

  it('paging by id returns each row once, and treats PHP’s empty values as empty pages', async () => {
    for (let n = 0; n < 120; n++) portal.data.addCall()
    const list = {
      method: 'voximplant.statistic.get', params: {}, filter: 'FILTER', id: 'ID',
    } as const // prettier-ignore
    const ids: number[] = []
    for (let last = 0; ; last = ids.at(-1)!) {
      const { rows } = await fetchPortalRowsAfterId(opened.core, access, list, last)
      ids.push(...rows.map(({ ID }) => Number(ID)))
      if (rows.length < 50) break
    }
    expect(ids).to.deep.equal(portal.data.calls.rows.map(({ ID }) => Number(ID)))
    expect(portal.requests).to.have.length(3)
    for (const result of [[], {}, [[]], null]) {
      portal.planFault({ times: 1, fault: { kind: 'result', result } })
      expect((await fetchPortalRowsAfterId(opened.core, access, list, 0)).rows).to.deep.equal([])
    }
  })

  it('paging by id skips pages of hidden rows, and rejects rows from before the id', async () => {
    for (let n = 0; n < 120; n++) portal.data.addDeal(`Deal ${n}`)
    portal.tellsHiddenItems = true
    portal.sees = (kind, row) => kind !== 'deal' || Number(row.id) > 110 || Number(row.id) === 3
    const params = { entityTypeId: 2 }
    const list = {
      method: 'crm.item.list', params, filter: 'filter', id: 'id', within: 'items',
    } as const // prettier-ignore
    const ids: number[] = []
    for (let [last, isLast] = [0, false]; !isLast;) {
      const page = await fetchPortalRowsAfterId(opened.core, access, list, last)
      ids.push(...page.rows.map(({ id }) => Number(id)))
      ;({ lastId: last, isLast } = page)
    }
    expect(ids).to.deep.equal([3, ...Array.from({ length: 10 }, (_, n) => n + 111)])
    portal.sees = () => true
    portal.tellsHiddenItems = false
    portal.planFault({ times: 1, fault: { kind: 'result', result: { items: [{ id: 7 }] } } })
    expect((await expectPortalError(fetchPortalRowsAfterId(opened.core, access, list, 7))).verdict).to.equal(
      'attention',
    )
  })

  it('the client rejects pages with extra rows and responses above the size limit', async () => {
    const list = {
      method: 'voximplant.statistic.get', params: {}, filter: 'FILTER', id: 'ID',
    } as const // prettier-ignore
    const rows = Array.from({ length: 51 }, (_, n) => ({ ID: `${n + 1}` }))
    portal.planFault({ times: 1, fault: { kind: 'result', result: rows } })
    const more = await expectPortalError(fetchPortalRowsAfterId(opened.core, access, list, 0))
    expect([more.verdict, more.message]).to.deep.equal([
      'attention',
      'voximplant.statistic.get: the portal returned more rows than requested',
    ])
    const deep = Array.from({ length: 40 }).reduce<unknown>((value) => [value], 0)
    for (const result of [Array.from({ length: 50_000 }, () => ({})), deep, 'x'.repeat(9_000_000)]) {
      portal.planFault({ times: 1, fault: { kind: 'result', result } })
      const large = await expectPortalError(call('user.get'))
      expect([large.code, large.verdict]).to.deep.equal(['ANSWER_TOO_LARGE', 'retry'])
      expect(large.message).to.equal('user.get: the portal’s response is too large')
    }
  })

  it('commands of a batch fail independently and can refer to earlier results', async () => {
    const answers = await callPortalBatch(opened.core, access, {
      who: { method: 'profile', params: {} },
      them: { method: 'user.get', params: { FILTER: { ID: '$result[who][ID]' } } },
      none: { method: 'crm.nothing.at.all', params: {} },
    })
    expect(answers.who).to.have.nested.property('result.ID', '1')
    expect(answers.them).to.have.property('result').that.is.an('array')
    expect(answers.none).to.be.instanceOf(PortalError).with.property('verdict', 'attention')
    expect((await automation()).state).to.equal('on')
  })

  const VERDICTS: [string, { status?: number; code: string | number; description?: string }, string][] = [
    ['a missing right', { status: 403, code: 'ACCESS_DENIED', description: 'Access denied!' }, 'denied'],
    ['an unknown method', { status: 404, code: 'ERROR_METHOD_NOT_FOUND' }, 'attention'],
    ['an invalid argument', { status: 400, code: 'INVALID_ARG_VALUE' }, 'attention'],
    ['a deleted item', { status: 400, code: 'NOT_FOUND' }, 'item'],
    ['a deleted owner', { status: 400, code: 'OWNER_NOT_FOUND' }, 'item'],
    ['an empty code with status 400', { status: 400, code: '', description: 'Not found' }, 'item'],
    ['an empty code with status 200', { status: 200, code: '', description: 'Access denied.' }, 'item'],
    ['the code 0', { status: 200, code: 0 }, 'item'],
    ['a server error', { status: 500, code: 'INTERNAL_SERVER_ERROR' }, 'retry'],
    ['an unknown code', { status: 418, code: 'TEAPOT' }, 'retry'],
  ]
  for (const [what, error, verdict] of VERDICTS) {
    it(`the client classifies ${what} as ${verdict} and does not retry`, async () => {
      portal.planFault({ method: 'user.get', fault: { kind: 'error', ...error } })
      expect((await expectPortalError(call('user.get'))).verdict).to.equal(verdict)
      expect(portal.requests).to.have.length(1)
      expect((await automation()).state).to.equal('on')
    })
  }

  it('a fatal portal error blocks the automation, and no more requests are sent', async () => {
    const fatal = [
      PORTAL_ERRORS.noAuth,
      PORTAL_ERRORS.credentials,
      PORTAL_ERRORS.expired,
      PORTAL_ERRORS.scope,
      PORTAL_ERRORS.plan,
      PORTAL_ERRORS.overload,
    ]
    const deleted = [500, 403, 410].map((status) => toPortalFault({ status, code: 'PORTAL_DELETED' } as never))
    for (const fault of [...fatal.map(toPortalFault), ...deleted]) {
      await database.db.query(`UPDATE crm_automation SET state = 'on'`)
      portal.faults = [{ fault }]
      expect((await expectPortalError(call('user.get'))).verdict).to.equal('blocked')
      const { state, reason, reason_code: code } = await automation()
      expect([state, reason]).to.deep.equal(['blocked', `user.get: ${code}: ${reason.split(': ').slice(2).join(': ')}`])
      const requestsBefore = portal.requests.length
      expect(await call('user.get').catch((error: unknown) => error)).to.be.instanceOf(CrmAutomationOffError)
      expect(portal.requests).to.have.length(requestsBefore)
    }
  })

  it('a write webhook error blocks reading only if the whole portal is affected', async () => {
    await database.db.query('UPDATE crm_automation SET writing_on = true')
    const webhook = parsePortalWebhook(database.config, 'write')!
    portal.faults = [{ fault: toPortalFault(PORTAL_ERRORS.expired) }]
    await expectPortalError(call('crm.timeline.comment.list', {}, { webhook, lane: 'write' }))
    expect((await automation()).state).to.equal('on')
    portal.faults = [{ fault: toPortalFault(PORTAL_ERRORS.overload) }]
    await expectPortalError(call('crm.timeline.comment.list', {}, { webhook, lane: 'write' }))
    expect((await automation()).state).to.equal('blocked')
  })

  it('the client reports HTML pages, broken and missing responses as retryable, without retrying itself', async () => {
    for (const fault of [
      { kind: 'html' },
      { kind: 'html', status: 302 },
      { kind: 'html', status: 403 },
      { kind: 'html', status: 500 },
      { kind: 'cut' },
      { kind: 'drop-before' },
      { kind: 'drop-after' },
    ] as const) {
      portal.faults = [{ times: 1, fault }]
      portal.requests.length = 0
      const error = await expectPortalError(call('crm.timeline.comment.add', { fields: {} }))
      expect(error.verdict).to.equal('retry')
      expect(portal.requests).to.have.length(1)
    }
  })

  it('the client downloads a file, and rejects HTML pages and files that are too large', async () => {
    const { ID } = portal.data.addCall({ audio: Buffer.from('sound') })
    const file = portal.data.calls.get(ID)!.RECORD_FILE_ID
    const told = (await call('disk.file.get', { id: file })).result as { DOWNLOAD_URL: string }
    const download = await openPortalFile(opened.core, access, told.DOWNLOAD_URL, 1000)
    expect(Buffer.concat(await download.body.toArray()).toString()).to.equal('sound')
    await download.close()
    for (const fault of [{ kind: 'html' }, { kind: 'html', status: 404 }, { kind: 'drop-before' }] as const) {
      portal.faults = [{ method: 'download', times: 1, fault }]
      expect((await expectPortalError(openPortalFile(opened.core, access, told.DOWNLOAD_URL, 1000))).verdict).to.equal(
        'retry',
      )
    }
    const large = openPortalFile(opened.core, access, told.DOWNLOAD_URL, 3).then(({ body }) => body.toArray())
    expect((await expectPortalError(large)).code).to.equal('FILE_TOO_LARGE')
    const page = portal.data.addCall({ audio: Buffer.from('\n<!DOCTYPE html><html>Log in</html>') }).RECORD_FILE_ID
    const asSound = (await call('disk.file.get', { id: page })).result as { DOWNLOAD_URL: string }
    expect((await expectPortalError(openPortalFile(opened.core, access, asSound.DOWNLOAD_URL, 1000))).code).to.equal(
      'NO_JSON',
    )
  })

  it('a portal error in place of a file has the same effect as elsewhere', async () => {
    const url = `${portal.readUrl}download/?token=x`
    portal.faults = [{ method: 'download', times: 1, fault: toPortalFault(PORTAL_ERRORS.tooMany) }]
    expect((await expectPortalError(openPortalFile(opened.core, access, url, 1000))).verdict).to.equal('limit')
    expect(Number((await limiter()).stop)).to.be.greaterThan(0)
    await makeWay()
    portal.faults = [{ method: 'download', times: 1, fault: toPortalFault(PORTAL_ERRORS.expired) }]
    expect((await expectPortalError(openPortalFile(opened.core, access, url, 1000))).verdict).to.equal('blocked')
    expect((await automation()).state).to.equal('blocked')
  })

  it('the client redacts our secrets in portal errors, in every encoding and when truncated', async () => {
    const token = 'event/t0ken of ours'
    const core = { ...opened.core, config: { ...database.config, CRM_EVENT_TOKEN: token } }
    const written = [portal.readUrl, portal.writeUrl].flatMap((link) => [
      link,
      encodeURIComponent(link),
      link.replaceAll('/', String.raw`\/`),
    ])
    const secrets = [portal.read.code, portal.write.code, token, encodeURIComponent(token)]
    const begins = (text: string) => secrets.some((secret) => text.includes(secret.slice(0, 6)))
    for (const errorText of [...written, ...secrets, `${'x'.repeat(290)}${portal.read.code}`]) {
      const fault: PortalFault = {
        kind: 'error',
        status: 400,
        code: `WRONG ${portal.read.code}`,
        description: errorText,
      }
      for (const method of ['user.get', 'download']) portal.planFault({ method, times: 1, fault })
      const url = `${portal.readUrl}download/?token=x`
      const commands = { user: { method: 'user.get', params: {} } }
      const errors = [
        await expectPortalError(callPortalMethod(core, access, 'user.get', {})),
        await expectPortalError(openPortalFile(core, access, url, 1000)),
      ]
      portal.planFault({ method: 'user.get', times: 1, fault })
      errors.push((await callPortalBatch(core, access, commands)).user as PortalError)
      const told = errors.map(({ stack, ...rest }) => [stack, JSON.stringify(rest)].join(' '))
      expect(told.filter(begins), errorText).to.deep.equal([])
      expect(told.join(' ')).to.contain('WRONG …')
    }
    portal.planFault({
      times: 1,
      fault: { kind: 'error', code: 'TEAPOT', description: `No route ${portal.readUrl}user.get` },
    })
    expect((await expectPortalError(call('user.get'))).message).to.equal(
      `user.get: TEAPOT: No route ${portal.url}/rest/…/…/user.get`,
    )
  })

  it('webhook secrets appear in no error, log line or database row', async () => {
    const secrets = [portal.read.code, portal.write.code]
    const { ID } = portal.data.addCall({ audio: Buffer.from('sound') })
    const file = portal.data.calls.get(ID)!.RECORD_FILE_ID
    const errors: unknown[] = []
    for (const kind of ['html', 'drop-before', 'cut'] as const) {
      portal.faults = [{ times: 1, fault: { kind } }]
      errors.push(await expectPortalError(call('user.get')))
      const url = `${portal.readUrl}download/?token=${file}`
      portal.faults = [{ times: 1, fault: { kind } }]
      errors.push(
        await expectPortalError(openPortalFile(opened.core, access, url, 1000).then(({ body }) => body.toArray())),
      )
    }
    portal.faults = [{ fault: toPortalFault(PORTAL_ERRORS.overload) }]
    errors.push(await expectPortalError(call('user.get')))
    const { rows } = await database.db.query(
      `SELECT to_jsonb(a)::text AS told FROM crm_automation a UNION ALL SELECT to_jsonb(l)::text FROM crm_limiter l
       UNION ALL SELECT to_jsonb(p)::text FROM crm_method_pauses p`,
    )
    const told = errors.map((error) => {
      const { stack, cause, ...rest } = error as Error
      return [stack, JSON.stringify(rest), JSON.stringify(cause ?? null)].join(' ')
    })
    const all = [...told, JSON.stringify(client.logged), ...rows.map((row) => row.told)].join(' ')
    expect(all).to.contain('OVERLOAD_LIMIT')
    for (const secret of secrets) expect(all).not.to.contain(secret)
  })
})
