import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { SAMPLE_TRANSCRIPT_SEGMENTS } from '../../test/done-call.ts'
import { describeInBrowser } from '../../test/browser.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

describeInBrowser('panel: printed call page', (chrome) => {
  let app: TestPanel
  let id: string
  before(async () => {
    app = await startTestPanel()
    app.recognizer.answer = (one) => one.finish(SAMPLE_TRANSCRIPT_SEGMENTS)
    id = (await app.ida.upload(await readFile('samples/call.wav'), { managerName: 'Anna' })).json.id
    await waitUntil('done', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
  })
  after(() => app.stop())

  it('the printed page of a call contains the transcript but no controls', async () => {
    const { Cookie } = (await app.openOwnerBrowser()).headers
    const page = await chrome.open(`${app.panelUrl}/recordings/${id}`, { cookie: Cookie! })
    const tools = page.locator('main :is(#player, .menu, .swap, button, summary, input, select):visible')
    const transcriptTexts = page.locator('.lines [data-start]')
    const readVisibility = async () => [await tools.count(), await transcriptTexts.first().isVisible()]
    await page.locator('#player .own').waitFor()
    expect((await readVisibility())[0]).to.be.greaterThan(10)
    await page.emulateMedia({ media: 'print' })
    expect(await readVisibility()).to.deep.equal([0, true])
  })
})
