import { expect } from 'chai'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { loadTranscriptWords } from './vocabulary.ts'

describe('GET /v1/search/suggestions', () => {
  let app: TestApp
  let max: TestClient
  let hanna: TestClient
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    await insertCalls(app, [
      { text: 'Доставка будет завтра, счёт пришлём', manager: 'Max' },
      { text: 'Договор подписан, доставка завтра', manager: 'Max' },
      { text: 'Договоры и скидка, скидки, 250 рублей', manager: 'Otto' },
      { text: 'Электробритва', manager: 'Otto' },
      { text: 'Скупка', manager: 'Otto' },
      { text: 'Скидка', manager: 'Otto' },
    ])
    await app.db.query(`UPDATE transcripts SET search_terms = NULL WHERE text = 'Электробритва'`)
    max = await createLoggedInManager(app, 'Max')
    const support = await createDepartment(app, 'Support', ['Otto'])
    hanna = await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [support] })
  })
  after(() => app.stop())

  const suggest = async (q: string, client = app.olga) => {
    const { status, json } = await client.get(`/v1/search/suggestions?${new URLSearchParams({ q }).toString()}`)
    expect(status, q).to.equal(200)
    return json.items as { query: string; word: string; suggestion: string }[]
  }
  const queries = async (q: string, client?: TestClient) => (await suggest(q, client)).map(({ query }) => query)

  it('a suggestion replaces an unknown word within two edits, or one if short', async () => {
    expect(await suggest('достувка')).to.deep.equal([{ query: 'доставка', word: 'достувка', suggestion: 'доставка' }])
    expect(await queries('Дастафка')).to.deep.equal(['доставка'])
    expect(await queries('дастафко')).to.deep.equal([])
    expect(await queries('счот')).to.deep.equal(['счет'])
    expect(await queries('щчот')).to.deep.equal([])
  })

  it('the API suggests the nearest word first, then the more frequent one', async () => {
    expect(await queries('скудка')).to.deep.equal(['скидка', 'скупка', 'скидки'])
  })

  it('a suggestion replaces each unknown word and keeps the rest', async () => {
    expect(await queries('дастафка  зовтра')).to.deep.equal(['доставка  завтра'])
    expect(await suggest('Зовтра -"нету тут" OR достувка, "будет" -скудка')).to.deep.equal([
      {
        query: 'завтра -"нету тут" OR доставка, "будет" -скудка',
        word: 'Зовтра',
        suggestion: 'завтра',
      },
    ])
  })

  it('the API suggests nothing for words that the search finds', async () => {
    for (const q of ['доставка', 'ДОГОВОРУ', 'счёт', 'дост', 'двести пятьдесят', 'Электробритва', 'Max']) {
      expect(await suggest(q), q).to.deep.equal([])
    }
  })

  it('the API suggests nothing for quoted, excluded and short words and numbers', async () => {
    for (const q of ['"достувка"', '-достувка', '251', 'сч', 'or', '()']) expect(await suggest(q), q).to.deep.equal([])
  })

  it('a suggestion replaces a prefix only if it is not the last word', async () => {
    expect(await queries('достав завтра')).to.deep.equal(['доставка завтра'])
    expect(await queries('завтра достав')).to.deep.equal([])
  })

  it('the API suggests only queries that have matches', async () => {
    expect(await queries('скупка дагавор')).to.deep.equal([])
    expect(await queries('скидка договары')).to.deep.equal(['скидка договоры', 'скидка договор'])
  })

  it('a manager and a head get suggestions only from calls they can see', async () => {
    expect(await queries('скудка', max)).to.deep.equal([])
    expect(await queries('скудка or доставка', max), 'which has matches').to.deep.equal([])
    expect(await queries('достувка', max)).to.deep.equal(['доставка'])
    expect(await queries('скудка', hanna)).to.include('скидка')
    expect(await queries('достувка', hanna)).to.deep.equal([])
  })

  it('a reloaded vocabulary has no words of deleted calls', async () => {
    const [id] = await insertCalls(app, [{ text: 'Криптография' }])
    expect([...(await loadTranscriptWords(app.db, []))]).to.include('криптография')
    expect((await app.olga.delete(`/v1/recordings/${id}`)).status).to.equal(204)
    expect([...(await loadTranscriptWords(app.db, []))])
      .to.include('доставка')
      .and.not.include('криптография')
  })

  it('the API suggests no words of deleted calls, even from its cached vocabulary', async () => {
    const vera = await createLoggedInPerson(app, 'Vera', {
      role: 'head',
      departments: [await createDepartment(app, 'Sales', ['Vera'])],
    })
    const [id] = await insertCalls(app, [
      { text: 'Стенография', manager: 'Vera' },
      { text: 'доставка', manager: 'Vera' },
    ])
    expect(await queries('стеногрофия or доставка', vera)).to.deep.equal(['стенография or доставка'])
    expect((await app.olga.delete(`/v1/recordings/${id}`)).status).to.equal(204)
    expect(await queries('стеногрофия or доставка', vera)).to.deep.equal([])
  })

  it('the vocabulary has spoken words by frequency, without forms, days and numbers', async () => {
    const words = [...(await loadTranscriptWords(app.db, [{ sql: "r.manager_name = 'Otto'", values: [] }]))]
    expect(words[0]).to.equal('скидка')
    expect(words.slice(1)).to.have.members(['договоры', 'и', 'рублей', 'скидки', 'скупка'])
  })

  it('the API accepts queries of 500 characters and 250 words', async () => {
    for (const q of [
      'ъ'.repeat(500),
      'ъ '.repeat(250).trim(),
      'ъьъ '.repeat(125).trim(),
      '-'.repeat(500),
      '"'.repeat(500),
    ]) {
      expect(await suggest(q), q.slice(0, 20)).to.deep.equal([])
    }
    const unknown = Array.from(
      { length: 60 },
      (_, n) => `зовтр${String.fromCharCode(0x430 + (n % 32))}${n < 32 ? '' : 'ъ'}`,
    )
    expect(await suggest(unknown.join(' '))).to.deep.equal([])
    expect((await app.olga.get(`/v1/search/suggestions?q=${'a'.repeat(501)}`)).status).to.equal(400)
    expect((await app.olga.get('/v1/search/suggestions')).status).to.equal(400)
  })
})
