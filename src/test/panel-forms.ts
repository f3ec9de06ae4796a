import type { PanelBrowser, TestPanel } from './panel.ts'
import { OWNER_CREDENTIALS } from './server.ts'

/** A name with HTML, template and formula code and a direction mark. Pages must show it as HOSTILE_NAME_HTML. */
export const HOSTILE_NAME = `"><img src=x onerror=alert(1)> ‮оглА {{7*7}} =1+1 <%= 1 %>`
export const HOSTILE_NAME_HTML = '&quot;&gt;&lt;img src=x onerror=alert(1)&gt; ‮оглА {{7*7}} =1+1 &lt;%= 1 %&gt;'

/** Submits a form like a browser. A field name can occur several times. */
export const submitPanelForm = (browser: PanelBrowser, path: string, fields: [string, string][], headers = {}) =>
  browser.send(path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
  })

/**
 * Opens a browser in which a person is logged in with the password of the tests.
 * @throws Error if the login fails
 */
export async function openLoggedInBrowser(app: TestPanel, email: string): Promise<PanelBrowser> {
  const browser = app.browser()
  const { status, text } = await browser.submit('/login', { email, password: OWNER_CREDENTIALS.password, next: '/' })
  if (status !== 303) throw new Error(`${email} cannot log in: ${text}`)
  return browser
}

/** Finds the text of an element by its id; undefined without such an element. */
export const findElementText = (text: string, id: string) => new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(text)?.[1]
