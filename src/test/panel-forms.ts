import type { Browser, TestPanel } from './panel.ts'
import { OLGA } from './server.ts'

/** A hostile name, for checking how pages show it. */
export const NAUGHTY = `"><img src=x onerror=alert(1)> ‮оглА {{7*7}} =1+1 <%= 1 %>`
export const SHOWN = '&quot;&gt;&lt;img src=x onerror=alert(1)&gt; ‮оглА {{7*7}} =1+1 &lt;%= 1 %&gt;'

/** A form as a browser sends it: a name can have several values. */
export const sendForm = (browser: Browser, path: string, fields: [string, string][], headers = {}) =>
  browser.send(path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
  })

/** The browser of a logged-in person. */
export async function browserAs(app: TestPanel, email: string): Promise<Browser> {
  const browser = app.browser()
  const { status, text } = await browser.submit('/login', { email, password: OLGA.password, next: '/' })
  if (status !== 303) throw new Error(`${email} cannot log in: ${text}`)
  return browser
}

/** The text of an element by its id. */
export const byId = (text: string, id: string) => new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(text)?.[1]
