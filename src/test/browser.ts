import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'

/** Supported browsers in order of preference. Debian's headless Chromium needs the least processor time. */
const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const chromePath = process.env.CHROME_PATH ?? findProgram(BROWSERS)

/** Reports an error if a text injects a script that calls `hit()`, or if a page violates the Content-Security-Policy. */
const CANARY_SCRIPT = `
window.hit = () => console.error('a script in a text ran')
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  console.error('against the Content-Security-Policy: ' + [violatedDirective, blockedURI, sample].join(' ')))`

/** On a busy machine, a page can need this long. */
const PAGE_TIMEOUT_MS = 120_000

interface PageOptions extends BrowserContextOptions {
  /** The Cookie header of the initial session. */
  cookie?: string
}

/**
 * These flags disable features that no test needs: emulated graphics, separate processes for related pages, and the popup of the
 * address bar.
 * The popup would start further processes for each window.
 */
const CHROME_FLAGS = [
  '--disable-gpu',
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--disable-features=site-per-process,IsolateOrigins,WebUIOmniboxPopup,WebUIOmniboxAimPopup',
]

/**
 * All test files of a process share one browser, because starting a browser is slow. Each page has its own browser context.
 */
let sharedLaunch: Promise<Browser> | undefined

async function launchSharedBrowser(): Promise<Browser> {
  const browser = await sharedLaunch?.catch(() => undefined)
  if (browser?.isConnected()) return browser
  sharedLaunch = chromium.launch({
    executablePath: chromePath!,
    args: [...CHROME_FLAGS, '--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--mute-audio'],
  })
  return sharedLaunch
}

/**
 * A real browser. A test fails if its pages cause an uncaught error, a console error, a violation of the Content-Security-Policy,
 * a dialog, or a request to another host.
 */
class TestChrome {
  private browser: Browser | undefined
  private contexts: BrowserContext[] = []
  private errors: string[] = []

  async launch(): Promise<void> {
    this.browser = await launchSharedBrowser()
  }

  /** Opens a page in a new browser context, which shares no cookies or storage with earlier pages. */
  async open(url: string, { cookie, ...options }: PageOptions = {}): Promise<Page> {
    const context = await this.browser!.newContext({ locale: 'en-US', ...options })
    context.setDefaultTimeout(PAGE_TIMEOUT_MS)
    this.contexts.push(context)
    const { origin } = new URL(url)
    if (cookie) {
      const [name, value] = cookie.split('; ')[0]!.split('=') as [string, string]
      await context.addCookies([{ name, value, url: origin }])
    }
    await context.addInitScript(CANARY_SCRIPT)
    const page = await context.newPage()
    this.collectErrors(page, origin)
    await page.goto(url)
    return page
  }

  /** Removes collected errors that match, because the browser also reports expected error responses. */
  ignoreErrors(expected: RegExp): void {
    this.errors = this.errors.filter((error) => !expected.test(error))
  }

  /**
   * Closes the pages of a test.
   * @returns the errors of these pages
   */
  async closePages(): Promise<string[]> {
    for (const context of this.contexts.splice(0)) await context.close()
    return [...new Set(this.errors.splice(0))]
  }

  private collectErrors(page: Page, origin: string): void {
    const report = (error: string) => this.errors.push(`${page.url()}: ${error}`)
    page.on('console', (message) => message.type() === 'error' && report(message.text()))
    page.on('pageerror', (error) => report(`uncaught: ${error.message}`))
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.origin !== origin) report(`asks another host: ${request.url().slice(0, 200)}`)
    })
    page.on('dialog', (dialog) => {
      report(`opens a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
  }
}

/**
 * Loads the address of the page again, without its fragment, which would only scroll.
 * page.reload() does not work: after a click on a button, Chromium rejects it with "Not attached to an active page".
 */
export async function reloadBrowserPage(page: Page): Promise<void> {
  await page.waitForLoadState()
  const address = new URL(page.url())
  address.hash = ''
  await page.goto(address.href)
}

/** Waits until an element shows a text, even for a moment. Call it before the action that shows the text. */
export function waitForElementText(page: Page, selector: string, text: string): Promise<void> {
  return page.evaluate(`new Promise((resolve) => {
    const element = document.querySelector('${selector}')
    const look = () => element.textContent.includes('${text}') && resolve()
    new MutationObserver(look).observe(element, { childList: true, characterData: true, subtree: true })
  })`)
}

/** Defines tests in a real browser, which are skipped with a message if the machine has no browser. */
export function describeInBrowser(what: string, tests: (chrome: TestChrome) => void): void {
  if (!chromePath) {
    describe(what, () => {
      it.skip('needs Chromium: install the package chromium, or name a browser in CHROME_PATH')
    })
    return
  }
  describe(what, () => {
    const chrome = new TestChrome()
    before(() => chrome.launch())
    afterEach(async function () {
      const errors = (await chrome.closePages()).join('\n')
      // After an error in a hook, mocha runs no further tests, so errors of a failed test are only printed.
      if (this.currentTest?.state !== 'failed' && errors) throw new Error(`errors of the pages:\n${errors}`)
      if (errors) console.error(errors)
    })
    tests(chrome)
  })
}

function findProgram(names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
