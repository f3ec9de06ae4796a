import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

const TEXTS: Record<string, string> = {
  delivery: 'Добрый день, доставка будет завтра',
  reworded: 'мы доставили ваш заказ вчера',
  courier: 'Курьер всё ещё едет на ёлочный базар',
  english: 'Your deliveries were shipped yesterday, thank you',
  mixed: 'Перешлите invoice на почту, please',
  negation: 'товара нет на складе',
  stock: 'на складе товара нет',
}

describe('search in transcripts', () => {
  let app: TestApp
  const names = new Map<string, string>()
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const ids = await insertCalls(
      app,
      Object.values(TEXTS).map((text, n) => ({ text, at: `2026-02-0${n + 1}T00:00:00Z` })),
    )
    Object.keys(TEXTS).forEach((name, n) => names.set(ids[n]!, name))
  })
  after(() => app.stop())

  async function findNames(q: string): Promise<string[]> {
    const { status, json } = await app.ida.get(`/v1/transcripts?order=asc&q=${encodeURIComponent(q)}`)
    expect(status, q).to.equal(200)
    expect(json.total).to.equal(json.items.length)
    return json.items.map(({ id }: { id: string }) => names.get(id))
  }

  const rules: [rule: string, q: string, expected: string[]][] = [
    ['forms of a Russian word', 'доставке', ['delivery']],
    ['forms of a Russian verb', 'доставил', ['reworded']],
    ['forms of an English word', 'delivery', ['english']],
    ['English words in a Russian text', 'invoices', ['mixed']],
    ['both languages in one query', 'перешлите please', ['mixed']],
    ['upper and lower case', 'ДОБРЫЙ', ['delivery']],
    ['е in place of ё', 'елочный', ['courier']],
    ['ё in place of е', 'куръер or всё', ['courier']],
    ['ё in query and text', 'Ёлочный', ['courier']],
    ['a query whose words must all match', 'товар склад', ['negation', 'stock']],
    ['an exact phrase with stop words', '"нет на складе"', ['negation']],
    ['an exact phrase in another order', '"на складе товара нет"', ['stock']],
    ['an excluded phrase', 'складе -"товара нет"', []],
    ['an excluded word', 'завтра or вчера -заказ', ['delivery']],
    ['alternatives', 'курьер or invoice', ['courier', 'mixed']],
    ['a query of excluded words only', '-на -вы -заказ -день', ['english']],
    ['a word without matches', 'жираф', []],
    ['a query without words', '!!! ???', []],
    ['stop words', 'на', ['courier', 'mixed', 'negation', 'stock']],
  ]
  for (const [rule, q, expected] of rules) {
    it(`the search handles ${rule}: ${q}`, async () => {
      expect(await findNames(q)).to.deep.equal(expected)
    })
  }

  it('the search never fails, even for unusual input', async () => {
    const naughty = [
      '"', '""', '"""', "'", "''", '\\', '\\\\', '-', '--', '-"', '"-', 'or', 'or or or', '-or', 'OR -', '()', '((', '&', '|', '!', '<->', ':*', 'a:*',
      "';DROP TABLE recordings;--", '%', '_', '!%', '\u0000', '\u0001', "'\u000119000'", '\u000120000', '\ud800', '🚕🚕', '\u202e\u200b\ufeff', 'ﷺ', 'Z͑ͫ̓a̴͇l͎g͈o',
      'a'.repeat(500), 'я'.repeat(500), '𝕬'.repeat(250), '- '.repeat(250), '" '.repeat(250), 'a or '.repeat(100), '"a b" -'.repeat(70), '-a '.repeat(160),
      'http://example.com/?a=b&c', 'user@example.com', '1e309', '٠١٢', '<script>alert(1)</script>', '${jndi:ldap://x}', '\t\n\r', '\u00a0', 'ё'.repeat(499) + 'ж',
    ] // prettier-ignore
    for (const q of naughty) {
      for (const path of ['recordings', 'recordings/facets', 'transcripts']) {
        const { status } = await app.ida.get(`/v1/${path}?q=${encodeURIComponent(q.toWellFormed())}`)
        expect(status, `${path} ${JSON.stringify(q)}`).to.equal(200)
      }
    }
    expect((await app.ida.get('/v1/recordings?q=%ff%fe')).status).to.equal(200)
    expect((await app.ida.get(`/v1/recordings?q=${'a'.repeat(501)}`)).status).to.equal(400)
  })

  it('only the last unquoted word of a search matches as a prefix', async () => {
    for (const [q, expected] of [
      ['достав', ['delivery', 'reworded']],
      ['Перешл', ['mixed']],
      ['yesterd', ['english']],
      ['пере please', []],
      ['please пере', ['mixed']],
      ['"пере"', []],
      ['склад -пере', ['negation', 'stock']],
    ] as const) {
      expect(await findNames(q), q).to.deep.equal(expected)
    }
  })

  it('the search finds a call by its changed time', async () => {
    const [id] = await insertCalls(app, [{ text: 'попугай', at: '2026-02-01T00:00:00Z' }])
    await app.db.query(`UPDATE recordings SET call_started_at = '2025-01-01' WHERE id = $1`, [id])
    const { rows } = await app.db.query(`SELECT search::text FROM transcripts WHERE recording_id = $1`, [id])
    expect(rows[0].search).to.include(`\u0001${Date.UTC(2025, 0, 1) / 86_400_000}`)
    expect((await app.ida.get(`/v1/transcripts?q=${encodeURIComponent('попугаи')}`)).json.total).to.equal(1)
    expect(
      (await app.ida.get(`/v1/transcripts?q=${encodeURIComponent('попугаи')}&dateFrom=2026-01-01`)).json.total,
    ).to.equal(0)
  })

  it('a text that exceeds the index limit is stored and found', async () => {
    // Different words of letters only. Their terms would exceed the limit of a tsvector, which is one megabyte.
    const letters = 'абвгдежзиклмнопр'
    const wordOf = (n: number) => [0, 4, 8, 12].map((shift) => letters[(n >> shift) % 16]).join('') + 'ъ'.repeat(20)
    const words = Array.from({ length: 10_000 }, (_, n) => wordOf(n))
    const [id] = await insertCalls(app, [{ text: words.join(' ') }])
    expect((await app.ida.get(`/v1/recordings/${id}`)).json.status).to.equal('DONE')
    expect((await app.ida.get(`/v1/transcripts?q=${encodeURIComponent(words[77]!)}`)).json.total).to.equal(1)
  })
})

describe('search in /v1/recordings, catalog and facets', () => {
  let app: TestApp
  const names = new Map<string, string>()
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const calls = {
      anna: {
        manager: 'Анна Ковалёва',
        phone: '+375 29 100-00-00',
        externalCallId: 'call--17-a',
        fileName: 'long.wav',
      },
      jon: { manager: 'Jonas van Berger', phone: '8 (029) 765-43-21', externalCallId: 'Order_1', fileName: null },
      ida: { manager: 'И. Берёзкина', phone: null, externalCallId: '1000000', status: 'FAILED' },
      text: {
        manager: null,
        phone: '100',
        text: 'your password and Ковалёва, berger too',
        fileName: 'Иван_Сидоров_in.mp3',
      },
    }
    const ids = await insertCalls(app, Object.values(calls))
    Object.keys(calls).forEach((name, n) => names.set(ids[n]!, name))
  })
  after(() => app.stop())

  async function findNames(query: string): Promise<string[]> {
    const { status, json } = await app.ida.get(`/v1/recordings?${query}`)
    expect(status, query).to.equal(200)
    expect(json.total, query).to.equal(json.items.length)
    const facets = await app.ida.get(`/v1/recordings/facets?${query.replace(/&order=.*/, '')}`)
    expect(facets.json.total, query).to.equal(json.total)
    return json.items.map(({ id }: { id: string }) => names.get(id))
  }

  const rules: [rule: string, q: string, expected: string[]][] = [
    ['a whole name with ё', 'Анна Ковалёва', ['anna']],
    ['a whole name with е in place of ё', 'анна ковалева', ['anna']],
    ['a name with ё in place of е', 'Бёрёзкина', ['ida']],
    ['the words of a name in another order', 'Ковалёва Анна', ['anna']],
    ['the second word of a name, listed before texts', 'berger', ['jon', 'text']],
    ['the beginning of a word of a name', 'ковал', ['anna', 'text']],
    ['beginnings of several words', 'ван бер', []],
    ['beginnings of several words of a name', 'jon ber', ['jon']],
    ['the middle of a word', 'алёва', []],
    ['digits within a phone number', '0000', ['anna']],
    ['a formatted phone number', '29 100-00-00', ['anna']],
    ['seven digits, with call ids before phone numbers', '1000000', ['ida', 'anna']],
    ['digits across the punctuation of a phone number', '6543', ['jon']],
    ['three digits, which are too few for a phone number', '543', []],
    ['the beginning of a numeric call id', '100', ['ida']],
    ['a call id', 'order_1', ['jon']],
    ['the beginning of a call id', 'call--17', ['anna']],
    ['a file name', 'long.wav', ['anna']],
    ['a word of a file name', 'сидоров', ['text']],
    ['the beginning of a word of the text', 'passw', ['text']],
    ['alternative names', 'ковалёва or берёзкина', ['ida', 'anna', 'text']],
    ['a query of symbols only', '%', []],
    ['a backslash and quotes', '\\ \' "', []],
  ]
  for (const [rule, q, expected] of rules) {
    it(`the search handles ${rule}: ${q}`, async () => {
      const calls = await findNames(`q=${encodeURIComponent(q)}`)
      // Calls of one kind are in the order of their ids, newest first.
      expect(calls.toSorted()).to.deep.equal([...expected].toSorted())
      if (expected.includes('text')) expect(calls.at(-1), 'texts come last').to.equal('text')
    })
  }

  it('the list orders matches by rank, or by time on request', async () => {
    expect(await findNames('q=berger')).to.deep.equal(['jon', 'text'])
    expect(await findNames('q=berger&order=best')).to.deep.equal(['jon', 'text'])
    expect(await findNames('q=berger&order=desc')).to.deep.equal(['text', 'jon'])
    expect(await findNames('q=1000000')).to.deep.equal(['ida', 'anna'])
    const second = await app.ida.get('/v1/recordings?q=berger&pageSize=1&page=2')
    expect(second.json.items.map(({ id }: { id: string }) => names.get(id))).to.deep.equal(['text'])
  })

  it('the manager filter treats е and ё alike and limits the search', async () => {
    expect(await findNames('manager=ковалева')).to.deep.equal(['anna'])
    expect(await findNames(`manager=${encodeURIComponent('Бёрез')}`)).to.deep.equal(['ida'])
    expect(await findNames('q=berger&status=FAILED')).to.deep.equal([])
    expect(await findNames('q=wav&manager=Анна')).to.deep.equal(['anna'])
  })

  it('/v1/transcripts searches only texts', async () => {
    for (const [q, total] of [['long.wav', 0], ['6543', 0], ['анна', 0], ['ковал', 1]] as const) {
      expect((await app.ida.get(`/v1/transcripts?q=${encodeURIComponent(q)}`)).json.total, q).to.equal(total)
    }
  }) // prettier-ignore
})

describe('limit of 2000 matches', () => {
  let app: TestApp
  const DAYS = 30
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const calls = Array.from({ length: 6000 }, (_, n) => ({
      at: new Date(Date.UTC(2026, 0, 1) + (n % DAYS) * 86_400_000 + n).toISOString(),
      manager: n % 10 === 0 ? 'Редкий' : 'Частый',
      text: `слово ${n % 100 === 0 ? 'сотое' : 'другое'} ${n % 3 === 0 ? 'третье' : ''} ${n === 77 ? 'единственное' : ''}`,
    }))
    await insertCalls(app, calls)
  })
  after(() => app.stop())

  const total = async (query: string) => (await app.ida.get(`/v1/transcripts?${query}`)).json.total as number

  it('a search returns all matches if there are fewer than 2000', async () => {
    expect(await total('q=сотое')).to.equal(60)
    expect(await total('q=единственное')).to.equal(1)
    expect(await total('q=слово&manager=редкий')).to.equal(600)
    expect(await total('q=слово&dateFrom=2026-01-02T00:00:00Z&dateTo=2026-01-03T00:00:00Z')).to.equal(200)
    expect(await total('q=третье')).to.equal(2000)
    expect(await total('q=единств')).to.equal(1)
    expect(await total('q=-другое')).to.equal(60)
  })

  it('a search with more matches returns the same 2000 in every order', async () => {
    expect(await total('q=слово')).to.equal(2000)
    expect((await app.ida.get('/v1/recordings?q=слово')).json.total).to.equal(2000)
    expect((await app.ida.get('/v1/recordings/facets?q=слово')).json.total).to.equal(2000)
    const read = async (order: string) => {
      const ids: string[] = []
      for (let page = 1; page <= 20; page++) {
        const { json } = await app.ida.get(`/v1/recordings?q=слово&pageSize=100&page=${page}&order=${order}`)
        ids.push(...json.items.map(({ id }: { id: string }) => id))
      }
      return ids
    }
    const [up, down] = [await read('asc'), await read('desc')]
    expect(new Set(up).size).to.equal(2000)
    expect(down.toReversed()).to.deep.equal(up)
  })

  it('a search returns the matches with the best rank', async () => {
    const calls = Array.from({ length: 2100 }, (_, n) => ({
      at: new Date(Date.UTC(2026, 5, 1) + n).toISOString(),
      text: n < 50 ? 'редиска редиска редиска редиска' : 'здесь редиска только раз и ещё много других слов',
    }))
    const ids = await insertCalls(app, calls)
    const findNames = new Set<string>()
    for (let page = 1; page <= 20; page++) {
      const { json } = await app.ida.get(`/v1/transcripts?q=редиска&pageSize=100&page=${page}`)
      json.items.forEach(({ id }: { id: string }) => findNames.add(id))
    }
    expect(findNames.size).to.equal(2000)
    for (const id of ids.slice(0, 50)) expect(findNames.has(id)).to.equal(true)
    for (const id of ids.slice(50, 150)) expect(findNames.has(id)).to.equal(false) // The oldest calls that have no better match.
  })

  it('a search ranks an old call among the newest 20,000 matches first', async () => {
    const [id] = await insertCalls(app, [{ at: '2025-12-31T00:00:00Z', text: 'арбуз арбуз арбуз арбуз арбуз' }])
    await insertCalls(
      app,
      Array.from({ length: 6000 }, (_, n) => ({
        at: new Date(Date.UTC(2026, 6, 1 + (n % 20)) + n).toISOString(),
        text: `здесь арбуз один раз и ещё много слов`,
      })),
    )
    const { json } = await app.ida.get('/v1/recordings?q=арбуз&pageSize=1')
    expect(json.total).to.equal(2000)
    expect(json.items[0].id).to.equal(id)
    const { json: filtered } = await app.ida.get('/v1/recordings?q=арбуз&pageSize=1&source=upload')
    expect(filtered.items[0].id, 'with a filter').to.equal(id)
  })

  it('a search ranks the newest 20,000 matches and reads no earlier day', async () => {
    const [later, best] = await insertCalls(app, [
      { at: '2027-01-01T00:00:00Z', text: 'редис редис редис редис редис' },
      { at: '2027-01-02T00:00:00Z', text: 'редис редис редис' },
    ])
    await insertCalls(
      app,
      Array.from({ length: 19_999 }, (_, n) => ({ at: `2027-01-0${3 + (n % 3)}T00:00:00Z`, text: 'один редис' })),
    )
    // The index cannot find texts that lack a word, so the search never reads the remaining days at once.
    const { json } = await app.ida.get(`/v1/recordings?pageSize=1&q=${encodeURIComponent('редис or -дыня')}`)
    expect(json.items[0].id).to.equal(best).and.not.equal(later)
  })
})
