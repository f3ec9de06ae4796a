import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../../test/server.ts'
import { listPage } from './page.ts'
import type { Sql } from './sql.ts'

describe('listPage()', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.remove())

  it('listPage() returns items and total in one statement, even past the end', async () => {
    let statements = 0
    const query = (statement: { text: string }) => {
      statements++
      return database.db.query(statement)
    }
    const list = { select: 'n, NULL AS total', from: 'generate_series(1, 5) AS n', order: 'n DESC' }
    const read = (page: number) => listPage({ query } as Sql, list, { page, pageSize: 3 })
    const items = [2, 1].map((n) => ({ n, total: null }))
    expect(await read(2)).to.deep.equal({ items, total: 5, page: 2, pageSize: 3 })
    expect(await read(3)).to.deep.equal({ items: [], total: 5, page: 3, pageSize: 3 })
    expect(statements).to.equal(2)
  })
})
