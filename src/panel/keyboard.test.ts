import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../test/browser.ts'
import { insertCalls } from '../test/calls.ts'
import { OWNER_CREDENTIALS } from '../test/server.ts'
import { waitUntil } from '../test/wait.ts'
import { SAMPLE_SEGMENTS } from './every-page.test.ts'
import { startTestPanel, type TestPanel } from '../test/panel.ts'

describeInBrowser('panel: keyboard navigation', (chrome) => {
  let app: TestPanel
  let cookie: string
  let id: string

  before(async () => {
    app = await startTestPanel()
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    app.recognizer.answer = (one) => one.finish(SAMPLE_SEGMENTS)
    const fields = { phoneNumber: '+375291234567', managerName: 'Anna' }
    id = (await app.ida.upload(await readFile('samples/call.wav'), fields)).json.id
    await waitUntil('done', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
  })
  after(() => app.stop())

  const open = (path: string) => chrome.open(app.panelUrl + path, { cookie })
  /** Returns the label of the focused element, otherwise its text, name or title. */
  const focused = (page: Page) =>
    page.evaluate<string>(
      `(({ ariaLabel, innerText, name, title }) => ariaLabel ?? (innerText || name || title))(document.activeElement)`,
    )
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** Presses Tab until the element has the focus. @returns the number of presses */
  async function tabTo(page: Page, selector: string): Promise<number> {
    for (let n = 1; n <= 60; n++) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return n
    }
    throw new Error(`Tab does not lead to ${selector}`)
  }

  it('a person logs in, plays a call and walks through matches with the keyboard', async () => {
    const page = await chrome.open(`${app.panelUrl}/recordings`)
    // The browser sets the focus after it has loaded the page; earlier input is lost.
    await page.locator('#email:focus').waitFor()
    await page.keyboard.type(OWNER_CREDENTIALS.email)
    await press(page, 'Tab')
    await page.keyboard.type(OWNER_CREDENTIALS.password)
    await press(page, 'Enter')
    await page.waitForURL('**/recordings')
    await press(page, 'Tab')
    expect(await focused(page)).to.equal('Skip to content')
    await press(page, 'Enter')
    await press(page, '/')
    expect(await focused(page)).to.equal('Search')
    await page.keyboard.type('delivery')
    await press(page, 'Enter')
    await page.locator('#list mark').first().waitFor()
    await tabTo(page, '#list tbody a')
    await press(page, 'Enter')
    await page.waitForURL(`**/recordings/${id}**`)
    const paused = () => page.evaluate<boolean>(`document.getElementById('sound').paused`)
    await page.waitForLoadState()
    await press(page, ' ')
    await waitUntil('it plays', async () => !(await paused()))
    await press(page, ' ')
    expect(await paused()).to.equal(true)
    await press(page, '/')
    await page.keyboard.type('sorry or thank')
    const marks = () => page.locator('mark').allInnerTexts()
    await waitUntil('they are found', async () => (await marks()).join() === 'sorry,thank')
    await press(page, 'Escape')
    const current = () => page.locator('mark.current').innerText()
    await press(page, 'n')
    const first = await current()
    await press(page, 'n')
    expect([first, await current()]).to.have.members(['sorry', 'thank'])
    await press(page, 'p')
    expect(await current()).to.equal(first)
  })

  it('Enter finds a call by word and manager, and Space plays the match', async () => {
    const others = await insertCalls(app, [
      { manager: 'Boris', text: 'the delivery of Boris', at: '2027-01-01T10:00:00Z' },
      { manager: 'Anna', text: 'nothing of that', at: '2027-01-02T10:00:00Z' },
    ])
    const page = await open('/recordings')
    await press(page, '/')
    await page.keyboard.type('delivery anna')
    await press(page, 'Enter')
    await page.locator(`#r-${id} .time a:focus`).waitFor()
    expect(await page.locator('#list tbody tr').count(), 'only this call').to.equal(1)
    await press(page, ' ')
    await page.waitForURL(`**/recordings/${id}**`)
    await waitUntil('it plays', () => page.evaluate<boolean>(`!document.getElementById('sound').paused`))
    expect(await page.evaluate<number>(`document.getElementById('sound').currentTime`)).to.be.above(0.5)
    expect(await page.locator('mark.current').innerText()).to.equal('delivery')
    await app.db.query('DELETE FROM recordings WHERE id = ANY($1)', [others])
  })

  it('a search without results keeps the focus in its field', async () => {
    const page = await open('/recordings')
    await press(page, '/')
    await page.keyboard.type('nosuchword')
    await press(page, 'Enter')
    await page.locator('#list .empty').waitFor()
    expect(await focused(page)).to.equal('Search')
  })

  it('Shift and x select all calls from the last selected one', async () => {
    const others = await insertCalls(app, [{ at: '2025-01-01T10:00:00Z' }, { at: '2025-01-02T10:00:00Z' }])
    const page = await open('/recordings')
    await press(page, 'j', 'x', 'j', 'j', 'Shift+X')
    expect(await page.locator('#list [name=id]:checked').count()).to.equal(3)
    await app.db.query('DELETE FROM recordings WHERE id = ANY($1)', [others])
  })

  it('a link skips the filters; the first call is then few tabs away', async () => {
    const page = await open('/recordings')
    await press(page, 'Tab', 'Enter')
    await tabTo(page, 'main a.skip')
    expect(await focused(page)).to.equal('Skip to the calls')
    await press(page, 'Enter')
    expect(await page.evaluate('document.activeElement.id')).to.equal('list')
    expect(await tabTo(page, '#list tbody a'), 'two menus, the headers, the box of the row').to.be.at.most(9)
  })

  it('j and k move between calls, x selects, Enter opens; in fields they type letters', async () => {
    await insertCalls(app, [{ at: '2026-01-01T10:00:00Z' }])
    const page = await open('/recordings')
    const row = () => page.evaluate<string>(`document.activeElement.closest('#list tr')?.id`)
    const rows = await page.locator('#list tbody tr').evaluateAll((all) => all.map((one) => one.id))
    expect(rows).to.have.lengthOf(2)
    const selected = () => page.locator('#list :checked').evaluateAll((all) => all.map((one) => one.closest('tr')!.id))
    await press(page, '/', 'j', 'x')
    expect([await page.locator('#q').inputValue(), await selected()]).to.deep.equal(['jx', []])
    await page.evaluate('document.activeElement.blur()')
    const way: string[] = []
    for (const key of ['j', 'j', 'j', 'k']) {
      await press(page, key)
      way.push(await row())
    }
    expect(way, 'not past the last').to.deep.equal([rows[0], rows[1], rows[1], rows[0]])
    await press(page, 'x')
    expect([await selected(), await row()]).to.deep.equal([[rows[0]], rows[0]])
    await press(page, 'Enter')
    await page.waitForURL(`**/recordings/${id}**`)
    expect(rows[0]).to.equal(`r-${id}`)
  })

  it('Escape closes an open menu, returns the focus and deletes nothing', async () => {
    const page = await open(`/recordings/${id}`)
    await tabTo(page, 'main .menu:has([href*="transcript.txt"]) > summary')
    const isOpen = () => page.locator('main .menu[open]').count()
    await press(page, 'Enter')
    expect(await isOpen()).to.equal(1)
    await press(page, 'Tab')
    expect(await focused(page)).to.equal('Transcript (TXT)')
    await press(page, 'Escape')
    expect([await isOpen(), (await focused(page)).startsWith('Download')]).to.deep.equal([0, true])
    await tabTo(page, 'main .menu.danger > summary')
    await press(page, 'Enter', 'Tab')
    expect(await focused(page)).to.equal('Delete call')
    await press(page, 'Escape')
    expect(await isOpen()).to.equal(0)
    expect((await app.ida.get(`/v1/recordings/${id}`)).status).to.equal(200)
  })

  it('every focused element shows a visible focus ring', async () => {
    const page = await open('/recordings')
    const seen = new Set<string>()
    for (let n = 0; n < 45; n++) {
      await press(page, 'Tab')
      const [name, visible] = await page.evaluate<[string, boolean]>(`(() => {
        const one = document.activeElement
        const { width, height } = one.getBoundingClientRect()
        // The link of a row shows its focus ring around the whole row.
        const ring = [null, '::after'].some((part) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(one, part)
          return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
        })
        return [one.outerHTML.slice(0, 120), one === document.body || (ring && width > 0 && height > 0)]
      })()`)
      expect(visible, name).to.equal(true)
      seen.add(name)
    }
    expect(seen.size).to.be.greaterThan(20)
  })

  it('a refresh of the list keeps focus, typed text, selection and scroll position', async () => {
    app.recognizer.answer = (one) => one.progress(1, 60)
    for (let n = 0; n < 12; n++) await app.ida.upload('sound', { phoneNumber: `+37529000000${n}` })
    const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie, viewport: { width: 1100, height: 420 } })
    await page.locator('#q').focus()
    await page.keyboard.type('half a wor')
    await page
      .locator('tbody [name=id]')
      .nth(2)
      .evaluate((box: any) => box.click()) // oxlint-disable-line typescript/no-explicit-any
    await page.evaluate(`document.getElementById('q').setSelectionRange(2, 6); scrollTo(0, 120)`)
    const refreshed = () => page.waitForResponse((response) => new URL(response.url()).pathname === '/recordings')
    await refreshed()
    await refreshed()
    await app.ida.upload('sound', { phoneNumber: '+375299999999' })
    // A new call does not move the list while a person uses it. The page shows a button instead.
    const offer = page.getByText('1 new')
    await offer.waitFor()
    expect(await page.getByText('+375 29 999-99-99').count()).to.equal(0)
    await offer.evaluate((button: any) => button.click()) // oxlint-disable-line typescript/no-explicit-any
    await page.getByText('+375 29 999-99-99').waitFor()
    const focusState = await page.evaluate(`(({ id, value, selectionStart, selectionEnd }) =>
      [id, value, selectionStart, selectionEnd, document.querySelectorAll('tbody :checked').length])(document.activeElement)`)
    expect(focusState).to.deep.equal(['q', 'half a wor', 2, 6, 1])
    // Rows of different statuses differ by a pixel, so the browser corrects the position by some pixels.
    expect(await page.evaluate('scrollY')).to.be.closeTo(120, 4)
  })
})
