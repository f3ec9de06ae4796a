import { expect } from 'chai'
import { buildSortHeader, parseTableSort, sortRows } from './sortable.ts'

describe('panel: sortable tables', () => {
  const buildHeader = (current: { sort?: string; order: string }) =>
    buildSortHeader(
      { title: 'Score', name: 'score', first: 'asc' },
      current,
      ({ sort, order }) => `/list?sort=${sort}&order=${order}`,
    )

  it('the first click on a header sorts in the first order of its column', () => {
    const header = { title: 'Score', href: '/list?sort=score&order=asc', sorted: null }
    expect(buildHeader({ sort: 'name', order: 'desc' })).to.deep.equal(header)
    expect(buildHeader({ order: 'best' })).to.deep.equal(header)
  })

  it('a click on the header of the sorted column reverses the order', () => {
    const [up, down] = ['asc', 'desc'].map((order) => buildHeader({ sort: 'score', order }))
    expect(up).to.include({ href: '/list?sort=score&order=desc', sorted: 'ascending' })
    expect(down).to.include({ href: '/list?sort=score&order=asc', sorted: 'descending' })
  })

  it('a query with an unknown column gets the default order', () => {
    const fallback = { sort: 'calls', order: 'desc' } as const
    const parse = (query: Record<string, string>) => parseTableSort(query, ['calls', 'score'], fallback)
    expect(parse({})).to.equal(fallback)
    expect(parse({ sort: 'x', order: 'asc' })).to.equal(fallback)
    expect(parse({ sort: 'score', order: 'asc' })).to.deep.equal({ sort: 'score', order: 'asc' })
    expect(parse({ sort: 'score', order: 'x' })).to.deep.equal({ sort: 'score', order: 'desc' })
  })

  it('rows are sorted by number or name, those without a value last in both orders', () => {
    const sort = (values: (number | string | null)[], order: 'asc' | 'desc') =>
      sortRows(values, order, (value) => value, 'ru')
    expect(sort([5, null, 10, 0], 'asc')).to.deep.equal([0, 5, 10, null])
    expect(sort([5, null, 10, 0], 'desc')).to.deep.equal([10, 5, 0, null])
    expect(sort(['Ёлкин', 'Жуков', 'Егоров', null], 'asc')).to.deep.equal(['Егоров', 'Ёлкин', 'Жуков', null])
  })
})
