import { expect } from 'chai'
import type { RuleAgreementJson } from '../../check/reviews/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { createPanelLanguages } from '../words.ts'
import { buildAgreementTable } from './agreement-table.ts'

const [english] = createPanelLanguages('UTC')
const createRow = (rule: string, judged: number, percent: number): RuleAgreementJson => ({
  ruleSet: { id: 's', key: 'sales', name: { en: 'Sales', ru: 'Продажи' } },
  rule,
  name: null,
  judged,
  agreed: Math.round((judged * percent) / 100),
  percent,
  flagged: false,
})

describe('panel: agreement with reviews', () => {
  const build = (query: Record<string, string>) =>
    buildAgreementTable([createRow('greeting', 20, 90), createRow('needs', 4, 50)], { reason: 'random' }, {
      ctx: { query },
      language: english,
    } as unknown as PageContext)

  it('each header sorts the table, and its link keeps the filters of the page', () => {
    const listRules = (query: Record<string, string>) => build(query).rows.map(({ rule }) => rule)
    expect(listRules({})).to.deep.equal(['greeting', 'needs'])
    expect(listRules({ sort: 'agreement.3', order: 'asc' })).to.deep.equal(['needs', 'greeting'])
    expect(build({}).headers[3]!.href).to.equal('/reviews?reason=random&sort=agreement.3&order=asc#agreement')
  })
})
