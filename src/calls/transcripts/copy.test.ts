import { expect } from 'chai'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../test/server.ts'
import { copyRows } from './copy.ts'

describe('copyRows', () => {
  let database: TestDatabase
  let client: pg.Client

  before(async () => {
    database = await createTestDatabase()
    client = new pg.Client(database.config.DATABASE_URL)
    await client.connect()
  })
  after(async () => {
    await client.end()
    await database.remove()
  })

  async function copied(statement: string): Promise<(string | null)[][]> {
    const all = []
    for await (const { count, bytes, places } of copyRows(client, statement)) {
      const fields = Array.from({ length: places.length / 2 }, (_, n) => places.slice(2 * n, 2 * n + 2))
      const texts = fields.map(([from, to]) => (from! < 0 ? null : bytes.toString('utf8', from, to)))
      const columns = texts.length / count
      all.push(...Array.from({ length: count }, (_, n) => texts.slice(n * columns, (n + 1) * columns)))
    }
    return all
  }

  it('reads every field as it is: empty, absent, of many bytes a character, with line breaks and backslashes', async () => {
    const rows = await copied(
      String.raw`VALUES ('', NULL, 'ёж 🚕', E'a\n\\b\t'), (NULL, NULL, NULL, NULL), ('1', '2', '3', '4')`,
    )
    expect(rows).to.deep.equal([['', null, 'ёж 🚕', 'a\n\\b\t'], [null, null, null, null], ['1', '2', '3', '4']]) // prettier-ignore
    expect(await copied('SELECT 1::text WHERE false')).to.deep.equal([])
  })

  it('puts rows together wherever the network cuts them, of a byte or of megabytes', async () => {
    const length = '(n * 7919) % 70000 + CASE n % 97 WHEN 0 THEN 3000000 ELSE 0 END'
    const rows = await copied(`SELECT n::text, repeat(chr(97 + n % 26), ${length}) FROM generate_series(1, 700) AS n`)
    expect(rows).to.have.length(700)
    rows.forEach(([number, letters], index) => {
      const n = index + 1
      expect(number).to.equal(String(n))
      const expected = String.fromCharCode(97 + (n % 26)).repeat(((n * 7919) % 70000) + (n % 97 === 0 ? 3_000_000 : 0))
      expect(letters === expected, `row ${n}`).to.equal(true)
    })
  })

  it('throws what Postgres says, also in the middle, and leaves the connection usable', async () => {
    for (const wrong of ['SELECT nothing', 'SELECT (10 / (500 - n))::text FROM generate_series(1, 1000) AS n']) {
      let failure: unknown
      await copied(wrong).catch((error: unknown) => (failure = error))
      expect((failure as Error).message).to.match(/does not exist|division by zero/)
    }
    expect(await copied(`SELECT 'well'::text`)).to.deep.equal([['well']])
  })

  it('throws when the connection breaks', async () => {
    const other = new pg.Client(database.config.DATABASE_URL)
    other.on('error', () => undefined)
    await other.connect()
    const rows = copyRows(other, 'SELECT repeat(md5(n::text), 1000) FROM generate_series(1, 100000) AS n')
    await rows.next()
    const { rows: ended } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%'`,
    )
    expect(ended).to.have.length(1)
    let failure: unknown
    try {
      for await (const _ of rows);
    } catch (error) {
      failure = error
    }
    expect(failure).to.be.an('error')
  })
})
