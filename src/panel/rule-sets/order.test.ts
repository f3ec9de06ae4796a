import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { createPublishedRuleSet, createRuleSet } from '../../test/rule-sets.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describeInBrowser('panel: order of rule sets', (chrome) => {
  let app: TestPanel
  let people: TestPeople
  let cookie: string
  let ids: Record<'incoming' | 'all', string>
  let draftId: string
  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    people = await createTestPeople(app)
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    ids = {
      incoming: await createPublishedRuleSet(app.olga, 'incoming', {
        name: { en: 'Incoming sales', ru: 'Входящие' },
        applies: { direction: ['INBOUND'] },
      }),
      all: await createPublishedRuleSet(app.olga, 'all', { name: { en: 'Everything', ru: 'Всё' } }),
    }
    draftId = (await createRuleSet(app.olga, 'service', { name: { en: 'Service', ru: 'Сервис' } })).id
    const at = new Date().toISOString()
    await insertCalls(app, [
      ...Array.from({ length: 4 }, () => ({ at, direction: 'INBOUND' }) as const),
      { at, direction: 'OUTBOUND' },
    ])
    await app.olga.post(`/v1/rule-sets/${draftId}/move`, { beforeId: ids.all })
  })
  after(() => app.stop())

  const open = (path: string, options = {}) => chrome.open(app.panelUrl + path, { cookie, ...options })
  const listNames = (page: Page) => page.locator('.rule-sets [data-set] .name a').allInnerTexts()
  const fetchOrder = async (): Promise<string[]> =>
    (await app.olga.get('/v1/rule-sets')).json.items.map(({ name }: { name: { en: string } }) => name.en)
  const waitForOrder = (page: Page, expected: string[]) =>
    waitUntil('the order is shown', async () => String(await listNames(page)) === String(expected))

  it('Alt and an arrow key move the focused rule set repeatedly', async () => {
    const page = await open('/rule-sets')
    expect(await listNames(page)).to.deep.equal(['Incoming sales', 'Service', 'Everything'])
    await page.getByRole('link', { name: 'Incoming sales' }).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await waitForOrder(page, ['Service', 'Incoming sales', 'Everything'])
    await page.getByText('“Incoming sales” moved. The new order applies to future checks.').waitFor()
    await page.keyboard.press('Alt+ArrowDown')
    await waitForOrder(page, ['Service', 'Everything', 'Incoming sales'])
    expect(await fetchOrder()).to.deep.equal(['Service', 'Everything', 'Incoming sales'])
    expect(await page.locator('.rule-sets .place').allInnerTexts()).to.deep.equal(['1', '2', '3'])
    const isFocused = `document.activeElement.textContent === 'Incoming sales'`
    expect(await page.evaluate(isFocused)).to.equal(true)
    await page.keyboard.press('Alt+ArrowDown')
    for (let n = 0; n < 2; n++) {
      await page.keyboard.press('Alt+ArrowUp')
      await waitUntil('it moved up', async () => (await fetchOrder())[1 - n] === 'Incoming sales')
      await waitForOrder(page, await fetchOrder())
    }
    expect(await fetchOrder()).to.deep.equal(['Incoming sales', 'Service', 'Everything'])
  })

  it('buttons move a rule set without scripts', async () => {
    const page = await open('/rule-sets', { javaScriptEnabled: false })
    await page.getByRole('button', { name: 'Move up: Service' }).click()
    expect(await listNames(page)).to.deep.equal(['Service', 'Incoming sales', 'Everything'])
    await page.getByRole('button', { name: 'Move down: Service' }).click()
    expect(await fetchOrder()).to.deep.equal(['Incoming sales', 'Service', 'Everything'])
  })

  it('a rule set can be moved by dragging its number', async () => {
    const page = await open('/rule-sets')
    const centre = async (name: string) => {
      const box = (await page.locator('[data-set]', { hasText: name }).locator('.grip').boundingBox())!
      return [box.x + box.width / 2, box.y + box.height / 2] as const
    }
    const [x, y] = await centre('Incoming sales')
    await page.mouse.move(x, y)
    await page.mouse.down()
    const [, last] = await centre('Everything')
    await page.mouse.move(x, last + 12, { steps: 5 })
    await page.mouse.up()
    await waitUntil('it is last', async () => (await fetchOrder()).at(-1) === 'Incoming sales')
    await page.getByText('“Incoming sales” moved.').waitFor()
    await app.olga.post(`/v1/rule-sets/${ids.incoming}/move`, { beforeId: draftId })
  })

  it('the publish page names a preceding rule set, and the keyboard can reorder them', async () => {
    const page = await open(`/rule-sets/${draftId}/publish`)
    await page.getByText('“Incoming sales” comes first: this set would score 1 of 5 calls.').waitFor()
    let keys = 0
    const press = async (key: string) => {
      await page.keyboard.press(key)
      keys++
    }
    const move = page.getByRole('button', { name: 'Move before “Incoming sales”' })
    await page.locator('#content').focus()
    while (!(await move.evaluate((button) => button.matches(':focus')))) await press('Tab')
    await press('Enter')
    await page.getByText('This set would score 5 calls from the last 30 days: all that match it.').waitFor()
    expect(keys, 'keys from the content to the moved set').to.be.at.most(8)
    expect(await fetchOrder()).to.deep.equal(['Service', 'Incoming sales', 'Everything'])
    await app.olga.post(`/v1/rule-sets/${draftId}/move`, { beforeId: ids.all })
  })

  it('a test run counts only the calls that the rule set would check', async () => {
    const page = await open(`/rule-sets/${draftId}/backtests`)
    await page.locator('form.asking button.primary').click()
    await page.locator('.cards').waitFor()
    const card = page.locator('.cards > div').first()
    await card.getByText('4 go to sets that come first').waitFor()
    expect(await card.locator('b').innerText()).to.equal('1')
  })

  it('heads see the order and can move only rule sets of their departments', async () => {
    const applies = { departmentIds: [people.sales] }
    await createRuleSet(people.hanna, 'ours', { applies })
    await createRuleSet(people.hanna, 'ours-too', { applies })
    const hanna = app.browser()
    await hanna.submit('/login', { email: 'hanna@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    const page = await chrome.open(`${app.panelUrl}/rule-sets`, { cookie: hanna.headers.Cookie! })
    const headings = await page.locator('.rule-sets .group').allInnerTexts()
    expect(headings).to.deep.equal(['For departments: these come first', 'For all calls'])
    const names = await page
      .getByRole('button', { name: /Move up/ })
      .evaluateAll((all) => all.map((one) => one.ariaLabel))
    expect(names).to.deep.equal(['Move up: ours', 'Move up: ours-too'])
  })
})
