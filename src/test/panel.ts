import type { Config } from '../platform/config/config.ts'
import { createLogger } from '../platform/lib/log.ts'
import { TestClient, type TestResponse } from './client.ts'
import { ScriptedRecognizer } from './scripted-recognizer.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp, type TestAppOptions } from './server.ts'
import { waitUntil } from './wait.ts'
import { createPanel } from '../panel/app.ts'
import { startPanelServer } from '../panel/frame/server.ts'

/** A browser session without scripts. It keeps cookies, does not follow redirects, and sends the headers of the panel's pages. */
export class PanelBrowser extends TestClient {
  protected override readonly isApi = false

  async open(path: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.storeCookies(await this.get(path, headers))
  }

  async submit(
    path: string,
    fields: Record<string, string> | [name: string, value: string][] = {},
    headers: Record<string, string> = {},
  ) {
    const requestHeaders = { 'Sec-Fetch-Site': 'same-origin', ...headers }
    return this.storeCookies(
      await this.send(path, { method: 'POST', body: new URLSearchParams(fields), headers: requestHeaders }),
    )
  }

  logIn = (password = OWNER_CREDENTIALS.password, headers: Record<string, string> = {}): Promise<TestResponse> =>
    this.submit('/login', { email: OWNER_CREDENTIALS.email, password, next: '/' }, headers)

  private storeCookies(clientResponse: TestResponse): TestResponse {
    for (const cookie of clientResponse.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
      const others = (this.headers.Cookie ?? '')
        .split('; ')
        .filter((cookiePair) => cookiePair && !cookiePair.startsWith(`${name}=`))
      const isExpired = /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie)
      this.headers.Cookie = [...others, ...(isExpired ? [] : [`${name}=${value}`])].join('; ')
    }
    return clientResponse
  }
}

/**
 * The headers with which htmx refreshes a live part of a page. HTMX_IN_PLACE_HEADERS are those for links and forms that replace
 * parts in place.
 */
export const HTMX_REFRESH_HEADERS = { 'HX-Request': 'true', 'HX-Request-Type': 'partial' }
export const HTMX_IN_PLACE_HEADERS = { 'HX-Request': 'true', 'HX-Request-Type': 'full' }

/** A real API with a scripted recognizer, and a real panel. The panel trusts one reverse proxy. */
export interface TestPanel extends TestApp {
  recognizer: ScriptedRecognizer
  panelUrl: string
  /** Opens a browser without a session. */
  browser(headers?: Record<string, string>): PanelBrowser
  openOwnerBrowser(headers?: Record<string, string>): Promise<PanelBrowser>
  /**
   * Uploads a call and waits until it has `status`. For PROCESSING, it also waits until the recognizer has the audio.
   * @returns the id of the recording
   */
  submitCall(status: string, fields?: Record<string, string>, file?: string): Promise<string>
}

/**
 * Starts another panel for the API at `apiUrl`.
 * @param requestLimitMs replaces the limit of five minutes per request
 */
export async function startTestPanelServer(config: Config, apiUrl: string, requestLimitMs?: number) {
  const panel = createPanel({ ...config, apiUrl }, createLogger('silent', 'dashboard'), requestLimitMs)
  const server = await startPanelServer(panel.app, '127.0.0.1', 0, requestLimitMs)
  const url = `http://127.0.0.1:${server.port}`
  const stop = async () => {
    await server.close(1)
    await panel.close()
  }
  return { url, stop }
}

/** Starts an API and a panel, with a recognizer whose results tests set. */
export async function startTestPanel(overrides: Partial<Config> = {}, options?: TestAppOptions): Promise<TestPanel> {
  const recognizer = await new ScriptedRecognizer().start()
  const settings = { TRUSTED_PROXY_HOPS: 1, TRANSCRIPTION_ATTEMPTS: 1, asrUrl: recognizer.url }
  const app = await startTestApp({ ...settings, ...overrides }, options)
  const panel = await startTestPanelServer(app.config, app.url)
  const browser = (headers = {}) => new PanelBrowser(() => panel.url, headers)
  return {
    ...app,
    recognizer,
    panelUrl: panel.url,
    browser,
    async openOwnerBrowser(headers = {}) {
      const ownerBrowser = browser(headers)
      await ownerBrowser.logIn()
      return ownerBrowser
    },
    async submitCall(status: string, fields = {}, file = 'call.wav') {
      const heldBefore = recognizer.pending.length
      const { json } = await app.ida.upload('some sound', fields, file)
      const id = json.id as string
      await waitUntil(status, async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === status)
      if (status === 'PROCESSING')
        await waitUntil('the recognizer has it', () => recognizer.pending.length > heldBefore)
      return id
    },
    async stop() {
      await panel.stop()
      await app.stop()
      await recognizer.stop()
    },
  }
}
