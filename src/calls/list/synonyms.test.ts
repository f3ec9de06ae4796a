import { expect } from 'chai'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import { createLoggedInPerson } from '../../test/people.ts'
import type { TestClient } from '../../test/client.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

const GROUPS = [
  ['договор', 'контракт', 'Соглашение'],
  ['коммерческое предложение', 'прайс'],
  ['phone', 'mobile number'],
]

const TEXTS = {
  contract: 'мы подпишем контракты завтра',
  agreement: 'два дополнительных соглашения готовы',
  offer: 'я жду коммерческого предложения до вечера',
  price: 'пришлите прайс на почту',
  mobile: 'give me your mobile number please',
  mobileOnly: 'the mobile is in the car, a number is not',
}

describe('search synonyms', () => {
  let app: TestApp
  let max: TestClient
  const ids: Record<string, string> = {}
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const calls = Object.entries(TEXTS).map(([name, text]) => ({ text, manager: name === 'contract' ? 'Max' : 'Otto' }))
    const callIds = await insertCalls(app, calls)
    Object.keys(TEXTS).forEach((name, n) => (ids[name] = callIds[n]!))
    max = await createLoggedInManager(app, 'Max', { export: true })
  })
  beforeEach(() => putSynonyms(GROUPS))
  after(() => app.stop())

  const putSynonyms = (groups: unknown, client = app.olga) => client.put('/v1/search/synonyms', { groups })
  const readSynonyms = async () => (await app.olga.get('/v1/search/synonyms')).json
  const fetchPath = (path: string, query: Record<string, string>, client: TestClient) =>
    client.get(`/v1/${path}?${new URLSearchParams(query).toString()}`)
  /** Returns the names of the texts that a query finds. Also checks that recordings and transcripts agree. */
  async function findNames(q: string, client = app.olga): Promise<string[]> {
    const lists = await Promise.all(['recordings', 'transcripts'].map((path) => fetchPath(path, { q }, client)))
    const [names, again] = lists.map(({ json }) =>
      Object.keys(TEXTS).filter((name) => json.items.some(({ id }: { id: string }) => id === ids[name])),
    )
    expect(names).to.deep.equal(again)
    return names!
  }
  /** Returns the marked words of a text, each with the words of which it is a synonym. */
  async function findMarkedWords(name: keyof typeof TEXTS, q: string): Promise<[string, string | null][]> {
    const { json } = await fetchPath('recordings/excerpts', { ids: ids[name]!, q, full: 'true' }, app.olga)
    const { text, matches, synonymOf } = json.items[0]
    return matches.map(([start, end]: [number, number], n: number) => [text.slice(start, end), synonymOf[n]])
  }

  const searches: [rule: string, q: string, expected: string[]][] = [
    ['a query with any form of a word finds all forms of its synonyms', 'договора', ['contract', 'agreement']],
    ['each word of a group finds the other words', 'соглашение', ['contract', 'agreement']],
    ['a word finds a synonymous phrase', 'прайсы', ['offer', 'price']],
    ['a phrase in any form finds a synonymous word', 'коммерческих предложений', ['offer', 'price']],
    ['a synonym of two words matches only as a phrase', 'phone', ['mobile']],
    ['synonyms apply in queries with other words', 'договор завтра', ['contract']],
    ['synonyms apply to each part of an or', 'договор or phone', ['contract', 'agreement', 'mobile']],
    ['words in quotation marks have no synonyms', '"договор"', []],
    ['excluded words have no synonyms', 'завтра -договор', ['contract']],
    ['an excluded word stays a synonym of other words', 'контракт -договор', ['contract', 'agreement']],
  ]
  for (const [rule, q, expected] of searches) {
    it(`${rule} (${q})`, async () => {
      expect(await findNames(q)).to.deep.equal(expected)
    })
  }

  it('excerpts name the words that a match is a synonym of', async () => {
    expect(await findMarkedWords('contract', 'договоров')).to.deep.equal([['контракты', 'договоров']])
    expect(await findMarkedWords('offer', 'прайс')).to.deep.equal([['коммерческого предложения', 'прайс']])
    expect(await findMarkedWords('mobile', 'phone')).to.deep.equal([['mobile number', 'phone']])
    expect(await findMarkedWords('contract', 'контракт')).to.deep.equal([['контракты', null]])
  })

  it('words of a query are not marked as synonyms of its other words', async () => {
    expect(await findMarkedWords('contract', 'договор контракт')).to.deep.equal([['контракты', null]])
  })

  it('a manager finds only their own calls by synonyms', async () => {
    expect(await findNames('договор', max)).to.deep.equal(['contract'])
    const { json } = await fetchPath('recordings/excerpts', { ids: Object.values(ids).join(), q: 'договор' }, max)
    expect(json.items.map(({ id }: { id: string }) => id)).to.deep.equal([ids.contract])
  })

  it('a change of synonyms applies to the next search', async () => {
    expect(await findNames('договор')).to.deep.equal(['contract', 'agreement'])
    await putSynonyms([['договор', 'прайс']])
    expect(await findNames('договор')).to.deep.equal(['price'])
    await putSynonyms([])
    expect(await findNames('договор')).to.deep.equal([])
  })

  it('the API trims entries of synonyms and stores them as typed', async () => {
    const { status, json } = await putSynonyms([[' Договор ', 'Дог-р  №1', 'c++']])
    expect(status).to.equal(200)
    expect(json).to.deep.equal({ groups: [['Договор', 'Дог-р  №1', 'c++']] })
    expect(await readSynonyms()).to.deep.equal(json)
  })

  it('a new installation has no synonyms', async () => {
    await app.db.query(`DELETE FROM settings WHERE name = 'search-synonyms'`)
    expect(await readSynonyms()).to.deep.equal({ groups: [] })
  })

  const many = (count: number) => Array.from({ length: count }, (_, n) => [`left ${n}`, `right ${n}`])
  const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`)
  it('the API accepts 200 synonym groups of 10 entries with 64 characters each', async () => {
    const entry = (n: number) => `a b c ${String(n).padStart(58, 'x')}`
    const groups = Array.from({ length: 200 }, (_, n) => Array.from({ length: 10 }, (_, m) => entry(n * 10 + m)))
    expect((await putSynonyms(groups)).status).to.equal(200)
    expect((await app.olga.get('/v1/search/synonyms')).json.groups).to.deep.equal(groups)
  })

  const refusals: [rule: string, groups: unknown, expected: string[]][] = [
    ['more than 200 groups', many(201), ['groups must contain at most 200 items']],
    ['a group of one entry', [...many(1), ['a']], ['groups.1 must contain 2 or more items']],
    ['a group of eleven entries', [words(11)], ['groups.0 must contain at most 10 items']],
    ['a group that is not a list', [...many(1), 'a, b'], ['groups.1 must be an array']],
    ['groups that are not a list', 'a, b', ['groups must be an array']],
    ['an entry that is not text', [['a', 1]], ['groups.0.1 must be a string']],
    ['an empty entry', [['a', '']], ['groups.0.1 must not be empty']],
    ['a blank entry', [['a', ' ']], ['groups.0.1 must be text without control characters, and not blank']],
    ['an entry with a control character', [['a', 'b\nc']], ['groups.0.1 must be text without control characters, and not blank']],
    ['an entry of 65 characters', [...many(1), ['a', 'x'.repeat(65)]], ['groups.1.1 must have at most 64 characters']],
    ['an entry of symbols only', [['a', '?!', '+']], [1, 2].map((n) => `groups.0.${n} must contain a letter or a digit`)],
    ['an entry of five words', [['a', 'one two three  four five']], ['groups.0.1 must have at most 4 words']],
    ['a repeated entry in a group', [['Ёлка', 'сосна', ' елка']], [0, 2].map((n) => `groups.0.${n} must not be repeated in its group`)],
    [
      'an entry in two groups',
      [...many(2), ['Price  offer', 'a'], ['b', 'price OFFER ']],
      ['groups.2.0', 'groups.3.1'].map((field) => `${field} must be in one group only`),
    ],
  ] // prettier-ignore
  for (const [rule, groups, expected] of refusals) {
    it(`the API rejects ${rule} and keeps the synonyms`, async () => {
      const { status, json } = await putSynonyms(groups)
      expect([status, json.message]).to.deep.equal([400, expected])
      expect(await readSynonyms()).to.deep.equal({ groups: GROUPS })
    })
  }

  it('the API rejects synonyms in Russian if the client asks for Russian', async () => {
    const headers = { 'Content-Type': 'application/json', 'Accept-Language': 'ru' }
    const body = JSON.stringify({ groups: [['цена', '?']] })
    const { json } = await app.olga.send('/v1/search/synonyms', { method: 'PUT', headers, body })
    expect(json.message).to.deep.equal(['groups.0.1: Нужна хотя бы одна буква или цифра.'])
  })

  it('the audit log records the synonym groups that a change adds and removes', async () => {
    await putSynonyms([GROUPS[0], ['цена', 'стоимость'], GROUPS[2]])
    const { items } = (await app.olga.get('/v1/audit?action=settings.change')).json
    const { object, details } = items[0]
    expect([object.type, object.id]).to.deep.equal(['settings', 'search-synonyms'])
    expect(details).to.deep.equal({ added: [['цена', 'стоимость']], removed: [GROUPS[1]] })
  })

  it('the audit log records no PUT of unchanged synonyms', async () => {
    const count = async () => (await app.olga.get('/v1/audit?action=settings.change')).json.total
    const before = await count()
    await putSynonyms(GROUPS)
    expect(await count()).to.equal(before)
  })

  it('only owners can read and change synonyms', async () => {
    const hanna = await createLoggedInPerson(app, 'Hanna', { role: 'head' })
    for (const [client, expected] of [[hanna, 403], [max, 403], [app.ida, 403], [app.nobody, 401]] as const) {
      expect((await client.get('/v1/search/synonyms')).status).to.equal(expected)
      expect((await putSynonyms([], client)).status).to.equal(expected)
    }
    expect(await readSynonyms()).to.deep.equal({ groups: GROUPS })
  }) // prettier-ignore
})
