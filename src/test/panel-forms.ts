import type { PanelBrowser, TestPanel } from './panel.ts'
import { OWNER_CREDENTIALS } from './server.ts'

/** A hostile name, for checking how pages show it. */
export const HOSTILE_NAME = `"><img src=x onerror=alert(1)> ‮оглА {{7*7}} =1+1 <%= 1 %>`
export const HOSTILE_NAME_HTML = '&quot;&gt;&lt;img src=x onerror=alert(1)&gt; ‮оглА {{7*7}} =1+1 &lt;%= 1 %&gt;'

/** A form as a browser sends it: a name can have several values. */
export const submitForm = (browser: PanelBrowser, path: string, fields: [string, string][], headers = {}) =>
  browser.send(path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
  })

/** The browser of a logged-in person. */
export async function logInBrowser(app: TestPanel, email: string): Promise<PanelBrowser> {
  const browser = app.browser()
  const { status, text } = await browser.submit('/login', { email, password: OWNER_CREDENTIALS.password, next: '/' })
  if (status !== 303) throw new Error(`${email} cannot log in: ${text}`)
  return browser
}

/** The text of an element by its id. */
export const findTextById = (text: string, id: string) => new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(text)?.[1]
