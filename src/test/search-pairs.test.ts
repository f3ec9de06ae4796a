import { expect } from 'chai'
import searchPairs from './search-pairs.json' with { type: 'json' }

const mustMatch = searchPairs.groups.flatMap(({ pairs }) => pairs)
const { mustNotMatch } = searchPairs
const allPairs = [...mustMatch, ...mustNotMatch]

describe('search pairs', () => {
  it('the search pairs have at least 300 matches and 100 mismatches', () => {
    expect(mustMatch.length).to.be.at.least(300)
    expect(mustNotMatch.length).to.be.at.least(100)
  })

  it('each search pair has a text and a query that are not blank', () => {
    const invalid = allPairs.filter((pair) => pair.length !== 2 || pair.some((part) => part.trim() === ''))
    expect(invalid).to.deep.equal([])
  })

  it('no search pair occurs twice', () => {
    const seen = new Set<string>()
    const repeated: string[][] = []
    for (const pair of allPairs) {
      const key = JSON.stringify(pair)
      if (seen.has(key)) repeated.push(pair)
      seen.add(key)
    }
    expect(repeated).to.deep.equal([])
  })

  it('each group of search pairs has its own name and at least one pair', () => {
    const kinds = searchPairs.groups.map(({ kind }) => kind)
    expect(new Set(kinds).size).to.equal(kinds.length)
    expect(searchPairs.groups.filter(({ pairs }) => pairs.length === 0)).to.deep.equal([])
  })
})
