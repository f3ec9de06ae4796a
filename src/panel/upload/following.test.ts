import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { parseCallRowIds } from '../../test/list-page.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'
import { createLoggedInPerson } from '../../test/people.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments } from '../../test/transcripts.ts'

describe('panel: states of uploaded calls', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    olga = await app.openOwnerBrowser()
    await createPublishedRuleSet(app.olga, 'manners')
  })
  after(() => app.stop())
  afterEach(() => app.db.query('DELETE FROM recordings'))

  it('the ids filter lists exactly the chosen calls, up to 100', async () => {
    const ids: string[] = []
    for (let n = 0; n < 100; n++) ids.push((await app.ida.upload(`sound ${n}`)).json.id)
    await app.ida.upload('another')
    const list = await olga.open(`/recordings?ids=${ids.join()}&pageSize=100`)
    expect(parseCallRowIds(list.text)).to.have.members(ids)
    expect(list.text).to.contain('Selected calls: 100')
  })

  it('the states of uploaded calls are visible only to people who can see the calls', async () => {
    const { id } = (await app.ida.upload('sound', { managerName: 'Anna' })).json
    const max = app.browser({
      Cookie: (await createLoggedInPerson(app, 'Max', { rights: { manageRecordings: true } })).headers.Cookie!,
    })
    const row = `data-call="${id}"`
    expect((await olga.open(`/upload/calls?ids=${id}`)).text).to.contain(row)
    expect((await max.open(`/upload/calls?ids=${id}`)).text).not.to.contain(row)
    expect((await max.open(`/upload?calls=${id}`)).text).not.to.contain(row)
  })

  describeInBrowser('in a browser', (chrome) => {
    const openPage = () => chrome.open(`${app.panelUrl}/upload`, { cookie: olga.headers.Cookie! })
    const chooseFiles = (page: Page, ...names: string[]) =>
      page
        .getByLabel('Files')
        .setInputFiles(names.map((name) => ({ name, mimeType: 'audio/wav', buffer: Buffer.from(name) })))

    it('the upload page follows calls to a score or failure and links to the list', async () => {
      const page = await openPage()
      await chooseFiles(page, 'good.wav', 'broken.wav', 'last.wav') // the first of three clicks opens the file chooser
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByText('3 of 3 uploaded.').waitFor()
      const row = (name: string) => page.locator('#files > li', { hasText: name })
      const { height } = (await row('good.wav').boundingBox())!
      const good = await app.recognizer.waitForRecognition('good.wav')
      good.progress(43, 100)
      await row('good.wav').getByText('43').waitFor()
      good.finish(makeTurnSegments('Так', 'Это дорого', 'Добрый день', 'Да', 'Заткнитесь'))
      await row('good.wav').locator('.score-low', { hasText: '0' }).waitFor()
      const broken = await app.recognizer.waitForRecognition('broken.wav')
      broken.fail('UNSUPPORTED_AUDIO', 'no audio')
      await row('broken.wav').locator('.badge.failed').waitFor()
      await row('broken.wav').getByText('The file is damaged or has no audio.').waitFor()
      for (const name of ['good.wav', 'broken.wav'])
        expect((await row(name).boundingBox())!.height, `the row of ${name} keeps its height`).to.equal(height)
      await page.reload()
      await page.locator('.results > .files > li', { hasText: 'broken.wav' }).locator('.badge.failed').waitFor()
      const last = await app.recognizer.waitForRecognition('last.wav')
      last.progress(50, 100)
      const lastRow = page.locator('.files > li', { hasText: 'last.wav' })
      await lastRow.getByText('50').waitFor()
      last.finish(makeTurnSegments('Добрый день', 'Да', 'До свидания'))
      await lastRow.locator('.score-good').waitFor()
      await page.getByRole('link', { name: 'Show in the list (3)' }).click()
      await page.getByText('Selected calls: 3').waitFor()
      expect(parseCallRowIds(await page.content())).to.have.length(3)
    })

    it('the upload page explains a missing score, and an owner can enable automatic checks', async () => {
      await app.olga.put('/v1/analysis/settings', { agentChannel: { default: 0 }, automatic: false })
      const page = await openPage()
      await chooseFiles(page, 'unchecked.wav')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      const recognition = await app.recognizer.waitForRecognition('unchecked.wav')
      recognition.finish(makeTurnSegments('Добрый день', 'Да'))
      await page.locator('#files').getByText('Automatic checks are off.').waitFor()
      await page.locator('#files').getByRole('link', { name: 'Turn on' }).click()
      await page.getByRole('button', { name: 'Turn on' }).click()
      await page.getByText('Automatic checks are on for new calls.').waitFor()
      const [set] = (await app.olga.get('/v1/rule-sets')).json.items
      await app.olga.patch(`/v1/rule-sets/${set.id}`, { applies: { minDurationSeconds: 30 } })
      const later = await openPage()
      await chooseFiles(later, 'short.wav')
      await later.getByRole('button', { name: 'Upload', exact: true }).click()
      const second = await app.recognizer.waitForRecognition('short.wav')
      second.finish(makeTurnSegments('Добрый день', 'Да'))
      await later.locator('#files').getByText('Not checked: shorter than 30 s').waitFor()
      await app.olga.patch(`/v1/rule-sets/${set.id}`, { applies: {} })
    })

    it('a repeated file is accepted with a link to the first call', async () => {
      const first = (await app.ida.upload('same.wav', {}, 'first.wav')).json
      const page = await openPage()
      await chooseFiles(page, 'same.wav')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      const warning = page.locator('#files .doubt', { hasText: 'Same recording as' })
      await warning.waitFor()
      expect(await warning.getByRole('link').getAttribute('href')).to.equal(`/recordings/${first.id}`)
      expect(await warning.innerText()).to.contain('first.wav')
    })
  })
})
