import type { Config } from '../platform/config/config.ts'
import { createLog } from '../platform/lib/log.ts'
import { Client, type Answer } from './client.ts'
import { ScriptedRecognizer } from './recognizer.ts'
import { OLGA, startTestApp, type TestApp, type TestAppOptions } from './server.ts'
import { until } from './wait.ts'
import { createPanel } from '../panel/app.ts'
import { listenPanel } from '../panel/frame/server.ts'

/** A person's browser: keeps its cookie, follows no redirect by itself, sends the headers of our pages. */
export class Browser extends Client {
  protected override readonly isApi = false

  async open(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.keep(await this.get(path, headers))
  }

  async submit(
    path: string,
    fields: Record<string, string> | [name: string, value: string][] = {},
    headers: Record<string, string> = {},
  ) {
    const own = { 'Sec-Fetch-Site': 'same-origin', ...headers }
    return this.keep(await this.send(path, { method: 'POST', body: new URLSearchParams(fields), headers: own }))
  }

  logIn = (password = OLGA.password, headers: Record<string, string> = {}): Promise<Answer> =>
    this.submit('/login', { email: OLGA.email, password, next: '/' }, headers)

  private keep(answer: Answer): Answer {
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
      const others = (this.headers.Cookie ?? '').split('; ').filter((kept) => kept && !kept.startsWith(`${name}=`))
      const gone = /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie)
      this.headers.Cookie = [...others, ...(gone ? [] : [`${name}=${value}`])].join('; ')
    }
    return answer
  }
}

/** The headers of htmx for refreshing a live part, and for a link or form that is exchanged in place. */
export const REFRESH = { 'HX-Request': 'true', 'HX-Request-Type': 'partial' }
export const IN_PLACE = { 'HX-Request': 'true', 'HX-Request-Type': 'full' }

/** A real API with a scripted recognizer, and a real panel in front of it. Both are behind one reverse proxy. */
export interface TestPanel extends TestApp {
  recognizer: ScriptedRecognizer
  panelUrl: string
  /** A browser without a session. */
  browser(headers?: Record<string, string>): Browser
  /** Olga's browser, logged in as the owner. */
  olgasBrowser(headers?: Record<string, string>): Promise<Browser>
  /** Submits a call and returns its id once it reaches `status`; PROCESSING means that the recognizer has its audio. */
  submitCall(status: string, fields?: Record<string, string>, file?: string): Promise<string>
}

/** Starts a separate panel for the API at `apiUrl`; `requestLimitMs` replaces its five minutes. */
export async function startPanel(config: Config, apiUrl: string, requestLimitMs?: number) {
  const panel = createPanel({ ...config, apiUrl }, createLog('silent', 'dashboard'), requestLimitMs)
  const server = await listenPanel(panel.app, '127.0.0.1', 0, requestLimitMs)
  const url = `http://127.0.0.1:${server.port}`
  const stop = async () => {
    await server.close(1)
    await panel.close()
  }
  return { url, stop }
}

export async function startTestPanel(overrides: Partial<Config> = {}, options?: TestAppOptions): Promise<TestPanel> {
  const recognizer = await new ScriptedRecognizer().start()
  const settings = { TRUSTED_PROXY_HOPS: 1, TRANSCRIPTION_ATTEMPTS: 1, asrUrl: recognizer.url }
  const app = await startTestApp({ ...settings, ...overrides }, options)
  const panel = await startPanel(app.config, app.url)
  const browser = (headers = {}) => new Browser(() => panel.url, headers)
  return {
    ...app,
    recognizer,
    panelUrl: panel.url,
    browser,
    async olgasBrowser(headers = {}) {
      const olgas = browser(headers)
      await olgas.logIn()
      return olgas
    },
    async submitCall(status: string, fields = {}, file = 'call.wav') {
      const taken = recognizer.held.length
      const { json } = await app.ida.upload('some sound', fields, file)
      const id = json.id as string
      await until(status, async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === status)
      if (status === 'PROCESSING') await until('the recognizer has it', () => recognizer.held.length > taken)
      return id
    },
    async stop() {
      await panel.stop()
      await app.stop()
      await recognizer.stop()
    },
  }
}
