import { expect } from 'chai'
import { generateId } from '../../platform/lib/ids.ts'
import { insertCalls, createLoggedInManager, type TestCallRow } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

/** Calls by the names that the tests use. Later names are later calls. */
const CALLS: Record<string, TestCallRow> = {
  anna: {
    at: '2026-03-01T07:00:00Z', createdAt: '2026-03-05T00:00:00Z', manager: 'Анна Ковалёва', phone: '+375 (29) 123-45-67',
    direction: 'INBOUND', duration: 60, score: 70, externalCallId: 'pbx-1', text: 'добрый день',
  },
  boris: {
    at: '2026-03-01T21:00:00Z', createdAt: '2026-03-05T00:00:01Z', manager: 'Борис', phone: '80291234567',
    direction: 'OUTBOUND', duration: 60.5, score: 69.9, source: 'url', externalCallId: 'PBX-1', text: 'доброе утро',
  },
  // The call has no time, so its creation time counts.
  clara: { createdAt: '2026-03-06T00:00:00Z', manager: 'clara_100%', source: 'crm', status: 'FAILED', duration: 10 },
  david: { at: '2026-03-07T00:00:00Z', manager: ' анна ковалёва ', phone: '100', status: 'QUEUED', source: 'inbox' },
  emma: { at: '2026-03-08T00:00:00Z', status: 'CANCELLED', source: 'storage', score: 0 },
} // prettier-ignore

describe('list of recordings', () => {
  let app: TestApp
  let max: TestClient
  const names = new Map<string, string>()

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const ids = await insertCalls(app, Object.values(CALLS))
    Object.keys(CALLS).forEach((name, n) => names.set(ids[n]!, name))
    max = await createLoggedInManager(app, 'Анна Ковалёва', { export: true })
  })
  after(() => app.stop())

  /** Returns the names of the calls that a filter finds. Also checks that catalog, facets and transcripts agree with the list. */
  async function findNames(filter: string, client: TestClient = app.ida): Promise<string[]> {
    const { status, json } = await client.get(`/v1/recordings?order=asc&${filter}`)
    expect(status, JSON.stringify(json)).to.equal(200)
    expect(json.total).to.equal(json.items.length)
    const catalog = (await client.get(`/v1/recordings/catalog?${filter}`)).json
    const facets = (await client.get(`/v1/recordings/facets?${filter}`)).json
    expect(catalog.years.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).to.equal(json.total)
    expect(facets.total).to.equal(json.total)
    if (!/status=/.test(filter)) {
      const done = json.items.filter((item: { status: string }) => item.status === 'DONE')
      const transcripts = (await client.get(`/v1/transcripts?order=asc&${filter}`)).json
      expect(transcripts.items.map(({ id }: { id: string }) => id)).to.deep.equal(
        done.map(({ id }: { id: string }) => id),
      )
      expect(transcripts.total).to.equal(done.length)
    }
    return json.items.map(({ id }: { id: string }) => names.get(id))
  }

  const ALL = Object.keys(CALLS)
  const rules: [filter: string, expected: string[]][] = [
    ['', ALL],
    ['status=DONE', ['anna', 'boris']],
    ['status=FAILED,QUEUED', ['clara', 'david']],
    ['source=crm', ['clara']],
    ['source=url,inbox,url', ['boris', 'david']],
    ['direction=INBOUND', ['anna']],
    ['direction=OUTBOUND', ['boris']],
    // The lower bound is inclusive, the upper bound is exclusive.
    ['dateFrom=2026-03-01T21:00:00Z', ['boris', 'clara', 'david', 'emma']],
    ['dateFrom=2026-03-01T21:00:00.001Z', ['clara', 'david', 'emma']],
    ['dateTo=2026-03-01T21:00:00Z', ['anna']],
    ['dateTo=2026-03-01T21:00:00.001Z', ['anna', 'boris']],
    ['dateFrom=2026-03-01T07:00:00Z&dateTo=2026-03-07T00:00:00Z', ['anna', 'boris', 'clara']],
    ['dateFrom=2026-03-01T06:59:59Z&dateTo=2026-03-01T07:00:01Z', ['anna']],
    ['dateFrom=2026-03-09T00:00:00Z', []],
    ['dateFrom=2026-03-08T00:00:00Z&dateTo=2026-03-01T00:00:00Z', []],
    // Times with an offset, with an unescaped plus, and days and times in APP_TIMEZONE.
    ['dateFrom=2026-03-02T00:00:00%2B03:00', ['boris', 'clara', 'david', 'emma']],
    ['dateFrom=2026-03-02T00:00:00+03:00', ['boris', 'clara', 'david', 'emma']],
    ['dateFrom=2026-03-02T00:00:00', ['boris', 'clara', 'david', 'emma']],
    ['dateFrom=2026-03-02', ['boris', 'clara', 'david', 'emma']],
    ['dateTo=2026-03-02', ['anna']],
    ['createdFrom=2026-03-05T00:00:01Z', ['boris', 'clara']],
    ['createdFrom=2026-03-05T00:00:00Z&createdTo=2026-03-05T00:00:01Z', ['anna']],
    ['createdTo=2026-01-01T00:00:00Z', []],
    // Both bounds are inclusive. A call of unknown length is in no range.
    ['minDurationSeconds=60', ['anna', 'boris']],
    ['minDurationSeconds=60.5', ['boris']],
    ['maxDurationSeconds=60', ['anna', 'clara']],
    ['maxDurationSeconds=60.4', ['anna', 'clara']],
    ['minDurationSeconds=10&maxDurationSeconds=10', ['clara']],
    ['minDurationSeconds=60.1&maxDurationSeconds=60.6', ['boris']],
    ['minDurationSeconds=0', ['anna', 'boris', 'clara']],
    // Matches a part of the name in any case. Wildcards of LIKE are plain text.
    ['manager=КОВАЛ', ['anna', 'david']],
    ['manager=анна', ['anna', 'david']],
    ['manager=_100%25', ['clara']],
    ['manager=%25', ['clara']],
    ['manager=x_1', []],
    ['manager=!', []],
    // Only digits count.
    ['phone=123-45', ['anna', 'boris']],
    ['phone=%2B375(29)', ['anna']],
    ['phone=100', ['david']],
    ['phone=9999', []],
    // The id must be equal.
    ['externalCallId=pbx-1', ['anna']],
    ['externalCallId=pbx', []],
    ['scoreBelow=70', ['boris', 'emma']],
    ['scoreBelow=69.9', ['emma']],
    ['scoreBelow=69.95', ['boris', 'emma']],
    ['scoreBelow=0', []],
    ['scoreBelow=101', ['anna', 'boris', 'emma']],
    [`department=${generateId()}`, []],
    // Several filters together.
    ['manager=анна&status=DONE', ['anna']],
    ['manager=анна&dateFrom=2026-03-02', ['david']],
    ['manager=анна&minDurationSeconds=1', ['anna']],
    ['direction=INBOUND&dateTo=2026-03-02&source=upload,url&scoreBelow=71&phone=29', ['anna']],
    ['dateFrom=2026-03-01&createdFrom=2026-03-05T00:00:01Z', ['boris', 'clara']],
    ['q=добрый&direction=INBOUND', ['anna']],
    ['q=добрый&direction=OUTBOUND', ['boris']],
  ] // prettier-ignore
  for (const [filter, expected] of rules) {
    it(`the list with ${filter || 'no filter'} has ${expected.join(', ') || 'no calls'}`, async () => {
      expect(await findNames(filter)).to.deep.equal(expected)
    })
  }

  it('lists, catalog and facets name every invalid and unknown parameter at once', async () => {
    for (const path of ['/v1/recordings', '/v1/recordings/catalog', '/v1/recordings/facets']) {
      const query =
        'status=DONE,NEW&source=&dateFrom=yesterday&dateTo=2026-02-30&minDurationSeconds=-1&maxDurationSeconds=x&direction=in' +
        '&manager=&phone=abc&externalCallId=%00&scoreBelow=Infinity&department=1&q=&colour=red'
      const { status, json } = await app.ida.get(`${path}?${query}`)
      expect(status).to.equal(400)
      expect(json.message.map((text: string) => text.split(' ')[0]).sort()).to.deep.equal(
        ['colour', 'dateFrom', 'dateTo', 'department', 'direction', 'externalCallId', 'manager', 'maxDurationSeconds',
          'minDurationSeconds', 'phone', 'q', 'scoreBelow', 'source', 'status'],
      ) // prettier-ignore
      expect(json.message).to.include('status must be one of QUEUED, PROCESSING, DONE, FAILED, CANCELLED')
      expect(json.message).to.include('phone must have at least one digit')
    }
  })

  it('lists reject parameters that belong to other lists', async () => {
    const refused = ['/v1/transcripts?status=DONE', '/v1/transcripts/export?status=DONE', '/v1/transcripts/export?page=1',
      '/v1/recordings/catalog?page=1', '/v1/recordings/facets?order=asc', '/v1/transcripts?format=csv', '/v1/recordings?source=a&source=b'] // prettier-ignore
    for (const path of refused) expect((await app.ida.get(path)).status, path).to.equal(400)
  })

  it('a manager sees only their own calls in every list', async () => {
    expect(await findNames('', max)).to.deep.equal(['anna', 'david'])
    expect(await findNames('manager=борис', max)).to.deep.equal([])
    expect(await findNames('status=DONE', max)).to.deep.equal(['anna'])
    expect(await findNames('dateFrom=2026-03-02', max)).to.deep.equal(['david'])
    expect(await findNames('q=добрый', max)).to.deep.equal(['anna'])
    expect((await max.get('/v1/recordings?q=PBX-1')).json.total).to.equal(1)
    expect((await app.ida.get('/v1/recordings?q=PBX-1')).json.total).to.equal(2)
    const { json } = await max.get('/v1/recordings/facets')
    expect(json.managers.map(({ name }: { name: string }) => name.trim().toLowerCase())).to.deep.equal([
      'анна ковалёва',
    ])
    expect((await max.get('/v1/transcripts/export?format=jsonl')).text.trim().split('\n')).to.have.length(1)
  })

  it('a list and GET return the score of a call', async () => {
    const { json } = await app.ida.get('/v1/recordings?externalCallId=PBX-1')
    expect(json.items[0].score).to.equal(69.9)
    const { json: one } = await app.ida.get(`/v1/recordings/${json.items[0].id}`)
    expect(one.score).to.equal(69.9)
  })

  it('the list of transcripts returns recordings with transcripts, ordered by call time', async () => {
    const { json } = await app.ida.get('/v1/transcripts?order=asc&pageSize=1&page=2')
    expect(json).to.include({ total: 2, page: 2, pageSize: 1 })
    expect(names.get(json.items[0].id)).to.equal('boris')
    expect(json.items[0].transcript).to.deep.equal({
      text: 'доброе утро', model: 'm', decoder: 'greedy', language: 'ru', timing: null,
      segments: [{ start: 0, end: 1, channel: 0, speaker: null, speakerConfidence: null, text: 'доброе утро' }],
    }) // prettier-ignore
    expect((await app.ida.get('/v1/transcripts?page=3&pageSize=1')).json).to.deep.equal({
      items: [],
      total: 2,
      page: 3,
      pageSize: 1,
    })
    expect((await app.ida.get('/v1/transcripts?pageSize=101')).status).to.equal(400)
    expect((await app.nobody.get('/v1/transcripts')).status).to.equal(401)
  })
})
