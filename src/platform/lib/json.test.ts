import { expect } from 'chai'
import { JsonTooComplexError, MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson } from './json.ts'

const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`
const list = (values: number): string => `[${'0,'.repeat(values - 1)}0]`

describe('parseJson()', () => {
  it('parseJson() returns the same values as JSON.parse()', () => {
    for (const value of [null, 1, 'a', '"[{,', '\\', '\\"', [], {}, [[{ 'a,[': '}' }]], { a: { b: [1, 'ы', false] } }])
      expect(parseJson(JSON.stringify(value))).to.deep.equal(value)
    for (const text of ['', '{', ']', '"', '"\\', '{"a":1,}', '[1 2]'])
      expect(() => parseJson(text), text).to.throw(SyntaxError)
  })

  it('parseJson() rejects JSON above the limits of depth and values', () => {
    for (const text of [nested(MAX_JSON_DEPTH), list(MAX_JSON_VALUES)]) expect(() => parseJson(text)).not.to.throw()
    for (const text of [nested(MAX_JSON_DEPTH + 1), '{"a":'.repeat(MAX_JSON_DEPTH + 1), list(MAX_JSON_VALUES + 1)])
      expect(() => parseJson(text)).to.throw(JsonTooComplexError)
  })

  it('parseJson() ignores brackets and commas in strings', () => {
    const text = '[{,"\\'.repeat(MAX_JSON_VALUES)
    expect(parseJson(JSON.stringify([text]))).to.deep.equal([text])
  })
})
