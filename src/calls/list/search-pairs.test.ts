import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import searchPairs from '../../test/search-pairs.json' with { type: 'json' }
import { startTestApp, type TestApp } from '../../test/server.ts'

const groups: { kind: string; pairs: string[][] }[] = searchPairs.groups
const pairs = [...groups.flatMap((group) => group.pairs), ...searchPairs.mustNotMatch]

describe('search for word forms', () => {
  let app: TestApp
  const ids = new Map<string, string>()
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const texts = [...new Set(pairs.map(([text]) => text!))]
    const callIds = await insertCalls(
      app,
      texts.map((text) => ({ text })),
    )
    texts.forEach((text, n) => ids.set(text, callIds[n]!))
  })
  after(() => app.stop())

  /** Returns true if a list finds a text by a query, on any page. */
  async function isFound(list: string, [text, q]: string[]): Promise<boolean> {
    for (let page = 1; ; page++) {
      const query = new URLSearchParams({ q: q!, page: String(page), pageSize: '100' })
      const { status, json } = await app.ida.get(`/v1/${list}?${query.toString()}`)
      expect(status, q).to.equal(200)
      if (json.items.some(({ id }: { id: string }) => id === ids.get(text!))) return true
      if (json.items.length < 100) return false
    }
  }
  const filter = async (list: string, some: string[][], wanted: boolean) => {
    const results = await Promise.all(some.map((pair) => isFound(list, pair)))
    return some.filter((_, n) => results[n] === wanted)
  }

  for (const { kind, pairs: some } of groups) {
    it(`the search finds: ${kind}`, async () => {
      expect(await filter('transcripts', some, false)).to.deep.equal([])
      expect(await filter('recordings', some, false)).to.deep.equal([])
    })
  }

  it('the search does not find different words', async () => {
    expect(await filter('transcripts', searchPairs.mustNotMatch, true)).to.deep.equal([])
    expect(await filter('recordings', searchPairs.mustNotMatch, true)).to.deep.equal([])
  })

  it('an excerpt marks a match in every text that the search finds', async () => {
    const findMarkedWords = async ([text, q]: string[]) => {
      const query = new URLSearchParams({ ids: ids.get(text!)!, q: q!, full: 'true' })
      return (await app.olga.get(`/v1/recordings/excerpts?${query.toString()}`)).json.items[0].matches.length > 0
    }
    const wanted = groups.flatMap((group) => group.pairs).filter(([, q]) => !q!.startsWith('-'))
    const results = await Promise.all(wanted.map(findMarkedWords))
    expect(wanted.filter((_, n) => !results[n])).to.deep.equal([])
  })
})
