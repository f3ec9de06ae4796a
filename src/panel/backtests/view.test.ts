import { expect } from 'chai'
import { exampleBacktest } from '../../check/backtests/schema.ts'
import { createPanelLanguages } from '../words.ts'
import { buildBacktestResult } from './view.ts'

const [english] = createPanelLanguages('UTC')

describe('panel: the result of a test run', () => {
  it('its rules sort by a column, and rules without a value come last', () => {
    const [rule] = exampleBacktest.rules
    const rules = [
      { ...rule!, rule: 'new', name: { en: 'New', ru: 'Новое' }, old: null, oldRate: null, judged: 0 },
      { ...rule!, rule: 'high', name: { en: 'High', ru: 'Высокое' }, oldRate: 90 },
      { ...rule!, rule: 'low', name: { en: 'Low', ru: 'Низкое' }, oldRate: 40 },
    ]
    const listNames = (order: string) =>
      buildBacktestResult(
        { ...exampleBacktest, rules },
        { query: { sort: 'of-rules.1', order }, formatHref: () => '/run', language: english! },
      ).rules.rows.map(({ name }) => name)
    expect(listNames('asc')).to.deep.equal(['Low', 'High', 'New'])
    expect(listNames('desc')).to.deep.equal(['High', 'Low', 'New'])
  })
})
