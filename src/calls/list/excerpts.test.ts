import { expect } from 'chai'
import { generateId } from '../../platform/lib/ids.ts'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

const LONG_TEXT = Array.from({ length: 60 }, (_, n) => `Фраза ${n} разговора о погоде.`).join('\n')
const TEXTS = {
  delivery: 'Добрый день, доставка будет завтра. О доставке сообщим.',
  english: 'Your deliveries were shipped yesterday, thank you',
  yo: 'Всё ещё едет на ёлочный базар',
  phrase: 'товара нет, а на складе пусто: нет на складе товара',
  hyphen: 'Он кое-что сказал из-за дождя, кое и что',
  emoji: '🚕🚕 такси 🚕 едет, такси!',
  markup: '<b>жирный</b> &amp; https://example.com/жирный?x=1 a@b.example -17.5 жирный\u202e <жирный>',
  control: 'такси\u0001едет\u0002 такси',
  long: `${LONG_TEXT}\nИ тут он спросил про страховку.\n${LONG_TEXT}\nСтраховка будет.`,
  empty: '',
}
type TextName = keyof typeof TEXTS

describe('GET /v1/recordings/excerpts', () => {
  let app: TestApp
  const ids = {} as Record<TextName, string>
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const names = Object.keys(TEXTS) as TextName[]
    const callIds = await insertCalls(
      app,
      names.map((name) => ({ text: TEXTS[name], manager: name === 'delivery' ? 'Max' : 'Otto' })),
    )
    names.forEach((name, n) => (ids[name] = callIds[n]!))
  })
  after(() => app.stop())

  const read = async (query: Record<string, string>, client = app.olga) =>
    client.get(`/v1/recordings/excerpts?${new URLSearchParams(query).toString()}`)
  const one = async (name: TextName, q?: string, full = true) => {
    const { status, json } = await read({ ids: ids[name], ...(q && { q }), ...(full && { full: 'true' }) })
    expect(status).to.equal(200)
    return json.items[0] as { id: string; text: string; matches: [number, number][]; more: number }
  }
  const findMarkedWords = async (name: TextName, q: string) => {
    const { text, matches, more } = await one(name, q)
    expect(text).to.equal(TEXTS[name])
    expect(more).to.equal(matches.length)
    return matches.map(([start, end]) => text.slice(start, end))
  }

  const rules: [rule: string, name: TextName, q: string, expected: string[]][] = [
    ['all forms of a Russian word', 'delivery', 'доставки', ['доставка', 'доставке']],
    ['forms of an English word', 'english', 'delivery', ['deliveries']],
    ['a text with ё for a query with е', 'yo', 'елочный все', ['Всё', 'ёлочный']],
    ['a text with ё for a query with ё', 'yo', 'Ёлочный', ['ёлочный']],
    ['an exact phrase as one match', 'phrase', '"нет на складе"', ['нет на складе']],
    ['every occurrence of a word', 'phrase', 'нет', ['нет', 'нет']],
    ['a phrase and a word within it once', 'phrase', '"на складе" складе', ['на складе', 'на складе']],
    ['the matching side of an or', 'delivery', 'жираф or завтра', ['завтра']],
    ['only words that are not excluded', 'delivery', 'день -завтра -"будет завтра"', ['день']],
    ['a word after an exclusion', 'delivery', '-"будет вчера" завтра', ['завтра']],
    ['a hyphenated word as one match', 'hyphen', 'кое-что', ['кое-что']],
    ['a part of a hyphenated word', 'hyphen', 'кое', ['кое', 'кое']],
    ['words after characters of two UTF-16 units', 'emoji', 'такси', ['такси', 'такси']],
    ['words beside control characters', 'control', 'такси', ['такси', 'такси']],
    ['words between tags, links and symbols', 'markup', 'жирный', ['жирный', 'жирный', 'жирный', 'жирный']],
    ['nothing for a word without a match', 'delivery', 'жираф', []],
    ['nothing for a query without words', 'delivery', '!!! ???', []],
    ['nothing in an empty text', 'empty', 'доставка', []],
  ]
  for (const [rule, name, q, expected] of rules) {
    it(`an excerpt marks ${rule}: ${q}`, async () => {
      expect(await findMarkedWords(name, q)).to.deep.equal(expected)
    })
  }

  it('an excerpt has a match for every call that the search finds', async () => {
    for (const q of ['доставки', 'invoice or thank', 'кое-что', '"ёлочный базар"', 'example.com', 'a@b.example']) {
      const { json } = await app.ida.get(`/v1/transcripts?q=${encodeURIComponent(q)}`)
      expect(json.total, q).to.equal(1)
      const { items } = (await read({ ids: json.items[0].id, q, full: 'true' })).json
      expect(items[0].matches, q).to.have.length.greaterThan(0)
    }
  })

  it('an excerpt has about 160 characters around the first match and counts all matches', async () => {
    const { text, matches, more } = await one('long', 'страховки', false)
    expect(text)
      .to.match(/^…\S.*\S…$/s)
      .and.have.length.within(120, 200)
    expect(TEXTS.long).to.include(text.slice(1, -1))
    expect(matches.map(([start, end]) => text.slice(start, end))).to.deep.equal(['страховку'])
    expect(more).to.equal(2)
  })

  it('without a match, an excerpt shows the start of the text', async () => {
    for (const q of [undefined, 'жираф']) {
      const { text, matches, more } = await one('long', q, false)
      expect(TEXTS.long.startsWith(text.slice(0, -1))).to.equal(true)
      expect(text).to.match(/\S…$/).and.have.length.within(120, 165)
      expect({ matches, more }).to.deep.equal({ matches: [], more: 0 })
    }
    expect((await one('delivery', undefined, false)).text).to.equal(TEXTS.delivery)
    expect((await one('empty', undefined, false)).text).to.equal('')
  })

  it('the API returns excerpts in the order of ids and skips calls without transcript', async () => {
    const [failed] = await insertCalls(app, [{ status: 'FAILED' }])
    const { emoji, yo } = ids
    const { json } = await read({ ids: [yo, failed, generateId(), emoji, yo.toUpperCase()].join() })
    expect(json.items.map(({ id }: { id: string }) => id)).to.deep.equal([yo, emoji])
  })

  it('a manager gets excerpts only of their own calls', async () => {
    const max = await createLoggedInManager(app, 'Max')
    const { json } = await read({ ids: Object.values(ids).join() }, max)
    expect(json.items.map(({ id }: { id: string }) => id)).to.deep.equal([ids.delivery])
  })

  it('the API rejects invalid parameters of excerpts with 400 and their rules', async () => {
    const refused: [Record<string, string>, string][] = [
      [{}, 'ids is required'],
      [{ ids: Array.from({ length: 101 }, generateId).join() }, 'ids must contain at most 100 items'],
      [{ ids: 'x' }, 'ids must contain only UUIDs'],
      [
        { ids: `${ids.yo},${ids.long}`, full: 'true' },
        'full can be requested for one call only: ids must contain one ID',
      ],
      [{ ids: ids.yo, full: 'yes' }, 'full must be a boolean'],
    ]
    for (const [query, message] of refused) {
      const { status, json } = await read(query)
      expect({ status, message: json.message }).to.deep.equal({ status: 400, message: [message] })
    }
  })
})
