import { expect } from 'chai'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

describe('panel: rule names in filters', () => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', ANALYSIS_SEED_RULES: false })
    await createPublishedRuleSet(app.olga, 'manners', { name: { en: 'Good manners', ru: 'Манеры' } })
  })
  after(() => app.stop())

  it('the list of calls names the rule in the language of the reader', async () => {
    const olga = await app.openOwnerBrowser()
    const address = '/recordings?rule=manners/greeting:missed'
    expect((await olga.open(address)).text).to.contain('Rule: Greets, missed')
    const russian = await olga.open(address, { 'Accept-Language': 'ru' })
    expect(russian.text).to.contain('Правило: Поздоровался, ')
  })

  it('an unknown rule is shown by its key', async () => {
    const olga = await app.openOwnerBrowser()
    expect((await olga.open('/recordings?rule=manners/gone')).text).to.contain('Rule: gone, missed')
    expect((await olga.open('/recordings?rule=gone/greeting')).text).to.contain('Rule: greeting, missed')
  })

  it('the list of deals names the filtered rule and the rule set of the scores', async () => {
    const olga = await app.openOwnerBrowser()
    const { text } = await olga.open('/analytics/deals?said=manners/greeting&scoredBy=manners/1')
    expect(text).to.contain(': Greets').and.contain('“Good manners”, version 1')
  })
})
