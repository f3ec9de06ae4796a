import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { waitUntil } from '../../test/wait.ts'

const SEGMENTS = [{ start: 0, end: 1, channel: 0, text: 'Hello there' }]
const WORDS = [[[0, 0.5, 0.9], [0.5, 1, 0.9]]] // prettier-ignore
const AUDIO = { channels: 1, speechSeconds: [1], silent: [false], identical: false, clipped: false }
const NONE = { method: 'none', confidence: null }

describeInBrowser('panel: speaker separation for a period', (chrome) => {
  let app: TestPanel
  let cookie: string

  before(async () => {
    app = await startTestPanel()
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
  })
  after(() => app.stop())

  it('an owner can estimate, start and stop the separation of a period', async () => {
    app.recognizer.answer = (recognition) =>
      recognition.finish(SEGMENTS, { words: WORDS, audio: AUDIO, speakers: NONE })
    await app.submitCall('DONE')
    app.recognizer.answer = undefined
    const page = await chrome.open(`${app.panelUrl}/separations`, { cookie })
    await page.getByRole('button', { name: 'Estimate' }).click()
    await page.getByText('1 call to separate').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('Finished: 0 of 1').waitFor()
    await waitUntil('it reaches the recognizer', async () => app.recognizer.pending.some(({ closed }) => !closed))
    await page.getByText('Cancel', { exact: true }).click()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText('Separation stopped.').waitFor()
    await page.getByRole('link', { name: 'Speakers' }).first().click()
    await page.getByRole('cell', { name: 'stopped' }).waitFor()
  })

  it('an invalid period shows an error beside its field', async () => {
    const owner = await app.openOwnerBrowser()
    const rejected = await owner.submit('/separations', { from: 'x', to: '2026-03-01' })
    expect(rejected.status).to.equal(400)
    expect(rejected.text).to.contain('aria-invalid="true"')
  })

  it('an owner can turn the separation of new calls on and off', async () => {
    const page = await chrome.open(`${app.panelUrl}/analysis`, { cookie })
    const isOn = async () => (await app.olga.get('/v1/transcription/settings')).json.separateSpeakers as boolean
    await page.locator('#voices').getByRole('button', { name: 'Turn off' }).click()
    await page.locator('#voices').getByRole('button', { name: 'Turn on' }).waitFor()
    expect(await isOn()).to.equal(false)
    await page.locator('#voices').getByRole('button', { name: 'Turn on' }).click()
    await page.locator('#voices').getByRole('button', { name: 'Turn off' }).waitFor()
    expect(await isOn()).to.equal(true)
  })
})
