import { expect } from 'chai'
import { buildSortHeader, parseTableSort, sortRows } from './sortable.ts'

describe('panel: sortable tables', () => {
  const buildHeader = (current: { sort?: string; order: string }) =>
    buildSortHeader(
      { title: 'Score', name: 'score', first: 'asc' },
      current,
      ({ sort, order }) => `/list?sort=${sort}&order=${order}`,
    )

  it('sorts in the first order of a column at the first click', () => {
    const header = { title: 'Score', href: '/list?sort=score&order=asc', sorted: null }
    expect(buildHeader({ sort: 'name', order: 'desc' })).to.deep.equal(header)
    expect(buildHeader({ order: 'best' })).to.deep.equal(header)
  })

  it('reverses the order of the column that sorts the table', () => {
    const [up, down] = ['asc', 'desc'].map((order) => buildHeader({ sort: 'score', order }))
    expect(up).to.include({ href: '/list?sort=score&order=desc', sorted: 'ascending' })
    expect(down).to.include({ href: '/list?sort=score&order=asc', sorted: 'descending' })
  })

  it('falls back to the default for an unknown column', () => {
    const fallback = { sort: 'calls', order: 'desc' } as const
    const parse = (query: Record<string, string>) => parseTableSort(query, ['calls', 'score'], fallback)
    expect(parse({})).to.equal(fallback)
    expect(parse({ sort: 'x', order: 'asc' })).to.equal(fallback)
    expect(parse({ sort: 'score', order: 'asc' })).to.deep.equal({ sort: 'score', order: 'asc' })
    expect(parse({ sort: 'score', order: 'x' })).to.deep.equal({ sort: 'score', order: 'desc' })
  })

  it('sorts numbers and names, rows without a value last in both orders', () => {
    const sort = (values: (number | string | null)[], order: 'asc' | 'desc') =>
      sortRows(values, order, (value) => value, 'ru')
    expect(sort([5, null, 10, 0], 'asc')).to.deep.equal([0, 5, 10, null])
    expect(sort([5, null, 10, 0], 'desc')).to.deep.equal([10, 5, 0, null])
    expect(sort(['Ёлкин', 'Жуков', 'Егоров', null], 'asc')).to.deep.equal(['Егоров', 'Ёлкин', 'Жуков', null])
  })
})
