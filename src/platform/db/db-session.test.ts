import { expect } from 'chai'
import { connectDatabase, poolOf } from './db.ts'
import { createDatabaseFromTemplate } from '../../test/server.ts'

describe('database session settings', () => {
  it('connections disable parallel query workers with a start-up parameter', async () => {
    const database = await createDatabaseFromTemplate()
    const db = await connectDatabase(database.url, {})
    try {
      const { rows } = await poolOf(db).query<{ setting: string; source: string }>({
        text: `SELECT setting, source FROM pg_settings WHERE name = 'max_parallel_workers_per_gather'`,
      })
      // The start-up parameter gives the source `client`; a SET gives `session`.
      expect(rows).to.deep.equal([{ setting: '0', source: 'client' }])
    } finally {
      await db.destroy()
      await database.drop()
    }
  })
})
