import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { Temporal } from 'temporal-polyfill'
import { describeInBrowser } from '../test/browser.ts'
import { insertCheckedCalls } from '../test/checked-calls.ts'
import { createDepartment, createLoggedInPerson } from '../test/people.ts'
import { OWNER_CREDENTIALS } from '../test/server.ts'
import { PANEL_ROUTES } from './pages.ts'
import {
  fillWidestCells,
  createSampleData,
  PATHS_WITHOUT_PAGE,
  buildPageAddresses,
  type SampleIds,
} from './every-page.test.ts'
import { startTestPanelServer, startTestPanel, type TestPanel } from '../test/panel.ts'

const AXE_SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** axe rules whose result depends on the theme. All other rules run only in light colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
const WINDOWS = [
  { name: 'desktop', locale: 'en-US', viewport: { width: 1360, height: 760 } },
  { name: 'phone', locale: 'ru-RU', viewport: { width: 390, height: 844 } },
]
/** The narrowest width of each layout in CSS pixels: phone, tablet, desktop without and with the facets beside the list. */
const LAYOUT_WIDTHS = [320, 721, 1001, 1360]

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

const TEST_PARTS = 4

describeInBrowser('panel: accessibility of every page', (chrome) => {
  let app: TestPanel
  let cookie: string
  let ids: SampleIds

  before(async () => {
    app = await startTestPanel()
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
  })
  after(() => app.stop())

  async function violations(page: Page, rules?: string[]): Promise<string[]> {
    if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE_SCRIPT)
    const options = {
      resultTypes: ['violations'],
      preload: false,
      iframes: false,
      ...(rules && { runOnly: { type: 'rule', values: rules } }),
    }
    const found = await page.evaluate<Violation[]>(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
    )
    return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
  }

  /**
   * Returns the accessibility violations of an open page, and the widths at which it does not fit the window. @param dark whether
   * to check the dark theme too
   */
  async function findProblems(page: Page, dark = true): Promise<string[]> {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    const problems = [...(await violations(page)), ...(await findOverflows(page))]
    if (!dark) return problems
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    return [...problems, ...(await violations(page, COLOUR_RULES)).map((problem) => `dark: ${problem}`)]
  }

  /** Returns the widths at which the page is wider than the window. Checks the current width and LAYOUT_WIDTHS. */
  async function findOverflows(page: Page): Promise<string[]> {
    const size = page.viewportSize()!
    const problems: string[] = []
    for (const width of [size.width, ...LAYOUT_WIDTHS]) {
      await page.setViewportSize({ ...size, width })
      const needed = await page.evaluate<number>('document.documentElement.scrollWidth')
      if (needed > width) problems.push(`needs ${needed} px in a window of ${width}`)
    }
    await page.setViewportSize(size)
    return problems
  }

  it('a printed page shows its content in black on white, without menu and actions', async () => {
    const page = await chrome.open(`${app.panelUrl}/audit`, { cookie })
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    for (const hiddenSelector of ['.side', '.actions', '.log-filters']) {
      expect(await page.locator(hiddenSelector).first().isVisible(), hiddenSelector).to.equal(false)
    }
    expect(await page.locator('.log tbody tr').first().isVisible()).to.equal(true)
    const [ink, paper] = await page.evaluate<string[]>(
      `(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.documentElement))`,
    )
    expect([ink, paper]).to.deep.equal(['rgb(0, 0, 0)', 'rgb(255, 255, 255)'])
  })

  /** Checks the addresses one after another in each window. Phones skip the dark theme, whose colours are the same on desktops. */
  async function expectAccessible(
    base: string,
    addresses: string[],
    cookie?: string,
    windows = WINDOWS,
  ): Promise<void> {
    const problems: string[] = []
    for (const { name, ...options } of windows) {
      const page = await chrome.open(`${base}${addresses[0]}`, { cookie, ...options })
      for (const address of addresses) {
        if (address !== addresses[0]) await page.goto(base + address)
        const found = await findProblems(page, name === 'desktop')
        problems.push(...found.map((problem) => `${address}, ${name}: ${problem}`))
      }
    }
    expect(problems.join('\n')).to.equal('')
  }

  it('the login and the first steps are accessible', async () => {
    await expectAccessible(app.panelUrl, ['/login'])
    await expectAccessible(app.panelUrl, ['/recordings'], cookie)
  })

  it('the homes of a head and a manager are accessible', async () => {
    const windows = await createDepartment(app, 'Windows', ['Alice'])
    const helen = await createLoggedInPerson(app, 'Helen', { role: 'head', departments: [windows] })
    const alice = await createLoggedInPerson(app, 'Alice', { departments: [windows] })
    const lastWeek = Temporal.Now.plainDateISO('UTC').subtract({ days: Temporal.Now.plainDateISO('UTC').dayOfWeek + 3 })
    const calls = Array.from({ length: 12 }, (_, n) => ({
      at: `${lastWeek.toString()}T${String(8 + n).padStart(2, '0')}:00:00Z`,
      manager: 'Alice',
      score: 40 + n,
      duration: 90,
      verdicts: { greeting: 'met' as const, 'next-step': 'missed' as const },
    }))
    await insertCheckedCalls(app, calls)
    for (const { headers } of [helen, alice]) {
      await expectAccessible(app.panelUrl, ['/'], headers.Cookie)
      const page = await chrome.open(app.panelUrl, { cookie: headers.Cookie!, ...WINDOWS[1] })
      expect((await findProblems(page)).join('\n'), 'dark on a phone').to.equal('')
    }
    await app.db.query('DELETE FROM recordings')
  })

  describe('pages with calls in every state', () => {
    before(async () => {
      ids = await createSampleData(app)
      await fillWidestCells(app, ids)
    })

    // Pages are split into parts, because a page takes about 0.5 s on a slow machine and a test has 60 s.
    for (const window of WINDOWS)
      for (let part = 1; part <= TEST_PARTS; part++)
        it(`pages of every route are accessible and fit a ${window.name}, part ${part}`, async () => {
          const pages = Object.values(buildPageAddresses(ids)).flat()
          const own = pages.filter((_, number) => number % TEST_PARTS === part - 1)
          await expectAccessible(app.panelUrl, own, cookie, [window])
          chrome.ignoreErrors(/status of 400/)
        })

    it('open menus, confirmations, filters and the menu of a phone are accessible', async () => {
      const menus = `for (const menu of document.querySelectorAll('main .menu')) menu.open = true`
      const opening: [path: string, open: string][] = [
        ['/recordings', `document.getElementById('menu').showPopover()`],
        ['/recordings', `document.getElementById('facets').showPopover()`],
        ['/recordings', `document.querySelector('[name=id]').click(); ${menus}`],
        ...[
          '/api-keys',
          '/account',
          `/recordings/${ids.done}`,
          `/recordings/${ids.queued}`,
          `/people/${ids.hanna}`,
        ].map((path): [string, string] => [path, menus]),
      ]
      const problems: string[] = []
      const page = await chrome.open(app.panelUrl, { cookie, ...WINDOWS[1] })
      for (const [path, open] of opening) {
        await page.goto(app.panelUrl + path)
        await page.evaluate(open)
        problems.push(...(await findProblems(page)).map((problem) => `${path}, ${open}: ${problem}`))
      }
      expect(problems.join('\n')).to.equal('')
    })

    it('the accessibility tests cover every page', () => {
      const routes = PANEL_ROUTES.filter(({ method }) => method === 'get').map(({ path }) => path)
      const testedPaths = [...Object.keys(buildPageAddresses(ids)), ...PATHS_WITHOUT_PAGE, '/login']
      expect(routes.filter((path) => !testedPaths.includes(path))).to.deep.equal([])
    })

    it('forms with errors are accessible', async () => {
      const invalid: [path: string, names: string[], submit: string][] = [
        ['/people/new', ['name', 'email', 'password'], 'Add'],
        ['/departments/new', ['name'], 'Add'],
        ['/account', ['currentPassword', 'newPassword'], 'Change password'],
      ]
      for (const [path, names, submit] of invalid) {
        const page = await chrome.open(app.panelUrl + path, { cookie, javaScriptEnabled: true })
        await page.evaluate(`for (const form of document.forms) form.noValidate = true`)
        for (const name of names)
          await page.locator(`main [name=${name}]`).fill(name === 'email' ? OWNER_CREDENTIALS.email : ' ')
        await page.locator('main').getByRole('button', { name: submit, exact: true }).click()
        await page.locator('.error').first().waitFor()
        expect((await findProblems(page)).join('\n'), path).to.equal('')
      }
      chrome.ignoreErrors(/status of 400/)
    })

    it('the login page with an error is accessible', async () => {
      const page = await chrome.open(`${app.panelUrl}/login`)
      await page.getByLabel('E-mail').fill(OWNER_CREDENTIALS.email)
      await page.getByLabel('Password').fill('wrong')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('alert').waitFor()
      expect((await findProblems(page)).join('\n')).to.equal('')
      chrome.ignoreErrors(/status of 401/)
    })

    it('error pages for 403, 404 and 503 are accessible', async () => {
      await expectAccessible(app.panelUrl, ['/nothing', '/recordings/nothing'], cookie)
      await app.olga.post('/v1/people', {
        ...OWNER_CREDENTIALS,
        email: 'max@example.com',
        name: 'Max',
        role: 'manager',
      })
      const max = app.browser()
      await max.submit('/login', { email: 'max@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
      await expectAccessible(app.panelUrl, ['/people'], max.headers.Cookie)
      const alone = await startTestPanelServer(app.config, 'http://127.0.0.1:9')
      await expectAccessible(alone.url, ['/recordings', '/login'], cookie)
      await alone.stop()
      chrome.ignoreErrors(/status of (403|404|503)/)
    })
  })
})
