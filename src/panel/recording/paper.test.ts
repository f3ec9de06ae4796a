import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { SEGMENTS } from '../../test/done-call.ts'
import { describeInBrowser } from '../../test/browser.ts'
import { until } from '../../test/wait.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

describeInBrowser('panel: one recording on paper', (chrome) => {
  let app: TestPanel
  let id: string
  before(async () => {
    app = await startTestPanel()
    app.recognizer.answer = (one) => one.finish(SEGMENTS)
    id = (await app.ida.upload(await readFile('samples/call.wav'), { managerName: 'Anna' })).json.id
    await until('done', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
  })
  after(() => app.stop())

  it('tells what was said, without the player, menus, fields and whatever else one does with it', async () => {
    const { Cookie } = (await app.olgasBrowser()).headers
    const page = await chrome.open(`${app.panelUrl}/recordings/${id}`, { cookie: Cookie! })
    const tools = page.locator('main :is(#player, .menu, .swap, button, summary, input, select):visible')
    const said = page.locator('li[data-start] .text')
    const looks = async () => [await tools.count(), await said.first().isVisible()]
    await page.locator('#player .own').waitFor()
    expect((await looks())[0]).to.be.greaterThan(10)
    await page.emulateMedia({ media: 'print' })
    expect(await looks()).to.deep.equal([0, true])
  })
})
