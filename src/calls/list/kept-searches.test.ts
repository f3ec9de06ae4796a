import { expect } from 'chai'
import pg from 'pg'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('a search that is asked again, as for the next page', () => {
  let app: TestApp
  let searches = 0

  const query = Reflect.get(pg.Client.prototype, 'query') as (...words: unknown[]) => unknown
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]) {
      const { text = '' } = words[0] as { text?: string }
      if (text.includes('WITH matched')) searches++
      return query.apply(this, words)
    } as typeof pg.Client.prototype.query
  })
  after(async () => {
    pg.Client.prototype.query = query as typeof pg.Client.prototype.query
    await app.stop()
  })
  beforeEach(() => (searches = 0))

  const found = async (q: string, more = ''): Promise<string[]> => {
    const { json } = await app.ida.get(`/v1/recordings?q=${encodeURIComponent(q)}${more}`)
    return json.items.map(({ id }: { id: string }) => id)
  }
  const call = (text: string, n = 1) => ({ text, at: `2026-03-0${n}T10:00:00Z` })

  it('is not carried out again: pages, and what comes at the same moment, share one', async () => {
    await insertCalls(app, [call('вишня', 1), call('вишня', 2), call('вишня', 3)])
    const pages = await Promise.all([1, 2, 3].map((page) => found('вишня', `&pageSize=1&page=${page}`)))
    expect(new Set(pages.flat()).size).to.equal(3)
    expect(await found('вишня')).to.have.length(3)
    expect(searches).to.equal(1)
  })

  it('finds a text that has become ready since, at its rank', async () => {
    const [often] = await insertCalls(app, [call('груша, груша и ещё раз груша')])
    const [once] = await insertCalls(app, [call('одна груша и много других слов в этом тексте')])
    expect(await found('груша')).to.deep.equal([often, once])
    const [twice] = await insertCalls(app, [call('груша или груша')])
    expect(await found('груша')).to.deep.equal([often, twice, once])
    expect(searches).to.equal(1)
  })

  it('finds no text that is gone, or that another has replaced', async () => {
    const [gone, replaced, left] = await insertCalls(app, [call('слива'), call('слива'), call('слива')])
    expect(await found('слива')).to.have.members([gone, replaced, left])
    const remove = (id?: string) =>
      app.db.query('DELETE FROM transcripts WHERE recording_id = $1 RETURNING model, decoder, language, segments', [id])
    await remove(gone)
    const [row] = (await remove(replaced)).rows
    await app.db.query(
      `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments)
       VALUES ($1, 'ничего такого', $2, $3, $4, $5)`,
      [replaced, row.model, row.decoder, row.language, JSON.stringify(row.segments)],
    )
    expect(await found('слива')).to.have.members([left])
    expect(searches).to.equal(1)
  })

  it('is carried out for each selection by itself, so that nobody sees what others may', async () => {
    const [mine] = await insertCalls(app, [call('дыня')])
    expect(await found('дыня')).to.deep.equal([mine])
    expect(await found('дыня', '&status=FAILED')).to.deep.equal([])
    expect(await found('дыня', '&source=upload')).to.deep.equal([mine])
    expect(searches).to.equal(3)
  })
})
