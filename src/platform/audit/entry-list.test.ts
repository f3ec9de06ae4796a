import { expect } from 'chai'
import { generateId } from '../lib/ids.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

const LISTED_ACTIONS = ['login', 'recording.read', 'key.create', 'recordings.list']

describe('GET /v1/audit and /v1/audit/export', () => {
  let app: TestApp
  const [anna, max] = [generateId(), generateId()]
  const objects = [generateId(), generateId()]
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Minsk' })
    // Insert 2500 entries, ten seconds apart, from the first moment of May in APP_TIMEZONE.
    await app.db.query(
      `INSERT INTO audit (id, at, action, person_id, person_name, person_email, object_type, object_id, object_name, details)
       SELECT gen_random_uuid(), timestamptz '2026-05-01T00:00:00+03:00' + n * interval '10 seconds',
              ($1::text[])[n % 4 + 1], CASE WHEN n % 5 = 0 THEN $2::uuid ELSE $3::uuid END,
              CASE WHEN n % 5 = 0 THEN 'Anna' ELSE 'Max' END, 'somebody@example.com',
              CASE WHEN n % 3 < 2 THEN 'recording' END, ($4::text[])[n % 3 + 1], CASE WHEN n % 3 < 2 THEN n::text END, jsonb_build_object('n', n)
         FROM generate_series(0, 2499) n`,
      [LISTED_ACTIONS, anna, max, objects],
    )
  })
  after(() => app.stop())

  const MAY = 'to=2026-06-01'
  const fetchPage = async (query: string) => (await app.olga.get(`/v1/audit?${query}`)).json
  const numbersOf = (items: { details: { n: number } }[]) => items.map(({ details }) => details.n)

  it('the API lists audit entries page by page in both orders', async () => {
    const first = await fetchPage(`${MAY}&pageSize=3`)
    expect(first).to.include({ total: 2500, page: 1, pageSize: 3 })
    expect(numbersOf(first.items)).to.deep.equal([2499, 2498, 2497])
    expect(numbersOf((await fetchPage(`${MAY}&pageSize=3&page=834`)).items)).to.deep.equal([0])
    expect(numbersOf((await fetchPage(`${MAY}&pageSize=2&page=2&order=asc`)).items)).to.deep.equal([2, 3])
    expect(await fetchPage(`${MAY}&page=1000`)).to.deep.equal({ items: [], total: 2500, page: 1000, pageSize: 25 })
  })

  it('the API filters audit entries by person, action, object and time', async () => {
    const all = Array.from({ length: 2500 }, (_, n) => n)
    const cases: [string, (n: number) => boolean][] = [
      [`person=${anna}`, (n) => n % 5 === 0],
      [`person=${generateId()}`, () => false],
      ['action=login', (n) => n % 4 === 0],
      ['action=login,key.create', (n) => n % 2 === 0],
      [`object=${objects[1]}`, (n) => n % 3 === 1],
      ['from=2026-05-01T01:00:00Z', (n) => n >= (4 * 3600) / 10],
      [`person=${max}&action=recording.read&object=${objects[0]}`, (n) => n % 5 !== 0 && n % 4 === 1 && n % 3 === 0],
      ['from=2026-05-01&to=2026-05-01T00:01', (n) => n < 6],
      ['from=2026-05-01T00:00:10&action=login', (n) => n > 0 && n % 4 === 0],
    ]
    for (const [filter, matches] of cases) {
      const { total, items } = await fetchPage(
        `${filter}${filter.includes('to=') ? '' : `&${MAY}`}&order=asc&pageSize=100`,
      )
      const expected = all.filter(matches)
      expect(total, filter).to.equal(expected.length)
      expect(numbersOf(items), filter).to.deep.equal(expected.slice(0, 100))
    }
  })

  it('the API rejects an invalid filter and names the field', async () => {
    for (const query of [
      'person=Anna',
      'action=login,fly',
      'from=yesterday',
      'to=1',
      'object=',
      'order=up',
      'page=0',
      'who=x',
    ]) {
      const { status, json } = await app.olga.get(`/v1/audit?${query}`)
      expect(status, query).to.equal(400)
      expect(json.message[0], query).to.match(new RegExp(`^${query.split('=')[0]} `))
    }
  })

  it('the CSV export has all entries that match the filters', async () => {
    const { headers, text } = await app.olga.get(`/v1/audit/export?${MAY}&order=asc`)
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).to.match(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
    const lines = text.split('\r\n')
    const columns = 'id,at,person,email,key,action,objectType,objectId,objectName,details,address,requestId'
    expect(lines[0]!.replace('\ufeff', '').replaceAll('"', '')).to.equal(columns)
    expect(lines.slice(1, -1)).to.have.length(2500)
    lines.slice(1, -1).forEach((line, n) => expect(line).to.include(`"{""n"":${n}}"`))
    const few = await app.olga.get(`/v1/audit/export?${MAY}&person=${anna}&action=login`)
    expect(few.text.split('\r\n')).to.have.length(125 + 2)
  })

  it('the CSV export begins with a byte order mark and escapes formulas', async () => {
    await app.olga.post('/v1/api-keys', { name: '=HYPERLINK("http://evil.example")' })
    const response = await fetch(`${app.url}/v1/audit/export?action=key.create&from=2026-06-01`, {
      headers: { Cookie: app.olga.headers.Cookie! },
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.subarray(0, 3).toString('hex')).to.equal('efbbbf')
    expect(bytes.toString())
      .to.include(`'=HYPERLINK`)
      .and.not.match(/(^|,)"?=/m)
  })

  it('audit entries keep special characters, but replace NUL', async () => {
    const name = `<b>"\u202e' hx-get ${'\ud83d\ude00'.repeat(9)}`
    await app.olga.post('/v1/api-keys', { name })
    await app.olga.get(`/v1/recordings?q=${encodeURIComponent('nul \0 here')}`)
    const [search, key] = (await fetchPage('action=recordings.list,key.create&pageSize=2')).items
    expect(key.object.name).to.equal(name)
    expect(search.details.q).to.equal('nul � here')
  })

  it('Postgres uses an index for each filter of the audit log', async () => {
    const filters = [
      `person_id = '${anna}'`,
      `action = 'login'`,
      `object_id = '${objects[0]}'`,
      `at > now() - interval '1 day'`,
    ]
    await app.db.query('VACUUM ANALYZE audit')
    for (const filter of filters) {
      const { rows } = await app.db.query(
        `EXPLAIN (COSTS off) SELECT a.id FROM audit a WHERE a.${filter} ORDER BY a.at DESC, a.id DESC LIMIT 25`,
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan, filter)
        .to.match(/Index (Only )?Scan/)
        .and.not.match(/Sort|Seq Scan/)
    }
  })
})
