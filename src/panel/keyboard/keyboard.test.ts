import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople } from '../../test/people.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

describeInBrowser('panel: command palette and key list', (chrome) => {
  let app: TestPanel
  let cookie: string
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    await createTestPeople(app)
    await insertCalls(app, [
      { manager: 'Anna Hill', phone: '+375291234567' },
      { manager: 'Max', phone: '+375297654321' },
    ])
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
  })
  after(() => app.stop())

  const open = (path: string) => chrome.open(app.panelUrl + path, { cookie })
  const openPalette = async (path = '/people') => {
    const page = await open(path)
    await page.keyboard.press('Control+k')
    await page.locator('dialog .palette input:focus').waitFor()
    return page
  }
  const typeInPalette = async (page: Page, text: string, option: string) => {
    await page.keyboard.type(text)
    await page.locator('.palette [role=option]', { hasText: option }).first().waitFor()
  }

  it('Ctrl K, a part of a page’s name and Enter open the page', async () => {
    const page = await openPalette()
    await typeInPalette(page, 'uplo', 'Upload')
    await page.locator('.palette [role=option]', { hasText: 'Queues' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.waitForURL('**/upload')
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  it('a manager and a phone in the palette open their calls', async () => {
    for (const [typed, option] of [
      ['anna', 'Anna Hill'],
      ['291234', '+375 29 123-45-67'],
    ] as const) {
      const page = await openPalette()
      await typeInPalette(page, typed, option)
      await page.locator('.palette [role=option]', { hasText: option }).first().click()
      await page.waitForURL('**/recordings?*')
      await page.locator('.calls tbody tr').first().waitFor()
      expect(await page.locator('.calls tbody tr').count(), typed).to.equal(1)
    }
  })

  it('a rule in the palette opens its place in the rule set', async () => {
    const page = await openPalette()
    const { items } = (await app.olga.get('/v1/rule-sets')).json
    const { rules } = (await app.olga.get(`/v1/rule-sets/${items[0].id}`)).json
    await typeInPalette(page, rules[0].name.en, rules[0].name.en)
    await page.locator('.palette [role=option]', { hasText: rules[0].name.en }).first().click()
    await page.waitForURL(`**/rule-sets/${items[0].id}#rule-${rules[0].key}`)
  })

  it('arrows choose an entry, and Ctrl Enter searches all calls for the text', async () => {
    const page = await openPalette()
    await typeInPalette(page, 'anna', 'Anna Hill')
    await page.keyboard.press('ArrowDown')
    expect(await page.locator('.palette [aria-selected=true]').count()).to.equal(1)
    await page.keyboard.press('Control+Enter')
    await page.waitForURL('**/recordings?q=anna#results')
    await page.locator('.calls td.time a:focus').waitFor()
  })

  it('the palette opens each report by its name', async () => {
    const page = await openPalette()
    await typeInPalette(page, 'lost', 'Lost deals')
    await page.locator('.palette [role=option]', { hasText: 'Queues' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.waitForURL('**/analytics/refusals')
  })

  it('the palette opens calibrations, which have no menu item', async () => {
    const page = await openPalette()
    await typeInPalette(page, 'calib', 'Calibrations')
    await page.locator('.palette [role=option]', { hasText: 'Queues' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.waitForURL('**/calibrations')
  })

  it('Enter right after the last letter opens the entry for the typed text', async () => {
    const page = await openPalette()
    await page.keyboard.type('uplo')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/upload')
  })

  it('letters typed at once after Ctrl K reach the palette, and one Escape closes it', async () => {
    const page = await open('/people')
    let release = () => {}
    const typed = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/palette*', (request) => typed.then(() => request.continue()))
    await page.keyboard.press('Control+k')
    await page.keyboard.type('anna')
    release()
    await page.locator('.palette [role=option]', { hasText: 'Anna Hill' }).waitFor()
    expect(await page.locator('dialog .palette input').inputValue()).to.equal('anna')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  it('? lists every key of Reviews', async () => {
    const page = await open('/reviews')
    await page.keyboard.press('?')
    const list = page.locator('dialog .keys-help dl').first()
    await list.waitFor()
    const keys = await list.locator('kbd').allInnerTexts()
    expect(keys).to.include.members(['y', 'n', 's', 'u', 'c', 'o', 'Space', '←', '→'])
  })

  it('? lists the keys, Escape closes the list and leaves a field', async () => {
    const page = await open('/recordings')
    await page.keyboard.press('?')
    await page.locator('dialog .keys-help').waitFor()
    expect(await page.locator('dialog').innerText()).to.include('Ctrl K')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.locator('[data-search]:focus').waitFor()
    await page.keyboard.type('?')
    expect(await page.locator('dialog').count()).to.equal(0)
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.matches("[data-search]")')).to.equal(false)
  })

  it('? starts with the keys of its page, and Ctrl K replaces it', async () => {
    const page = await open('/recordings')
    await page.keyboard.press('?')
    const title = page.locator('dialog .keys-help h3').first()
    expect(await title.innerText()).to.equal('List of calls')
    await page.keyboard.press('Control+k')
    await page.locator('dialog .palette input:focus').waitFor()
    expect(await page.locator('dialog').count()).to.equal(1)
  })

  it('without scripts, the palette and the list of keys are pages', async () => {
    const olga = await app.openOwnerBrowser()
    expect((await olga.open('/palette?q=anna')).text).to.include('Anna Hill')
    expect((await olga.open('/palette?q=notif')).text).to.include('href="/notifications"')
    expect((await olga.open('/palette?q=assigned')).text).to.include('href="/assignments"')
    expect((await olga.open('/keys-help')).text).to.include('<kbd>Ctrl K</kbd>')
  })
})
