import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { logIn, type Stack } from './support.ts'

/** Whoever looks at the panel of a stack; the configuration that makes them its first owner. */
const OWNER = { email: 'owner@example.com', password: 'a sparrow on the roof' }
export const WITH_OWNER = {
  COOKIE_SECURE: false,
  BOOTSTRAP_ADMIN_EMAIL: OWNER.email,
  BOOTSTRAP_ADMIN_PASSWORD: OWNER.password,
}

/** Asks panel and API as an owner does. */
export interface Looker {
  ask: (url: string) => Promise<string>
  post: (url: string, body?: string) => Promise<string>
  /** The calls of the API that a page makes: those of a wave at once, each wave after the one before. */
  callsOf: (page: string) => Promise<string[][]>
  /** Makes them as the page does. */
  replay: (waves: string[][]) => Promise<void>
  close: () => Promise<void>
}

/** Logs the owner of a running stack in. */
export async function openLooker(stack: Stack): Promise<Looker> {
  const agent = new Agent({ pipelining: 1 })
  const headers = { Cookie: await logIn(stack.config.apiUrl, OWNER) }
  const send = async (url: string, method: 'GET' | 'POST', given?: string): Promise<string> => {
    const type = given === undefined ? {} : { 'Content-Type': 'application/json' }
    const asked = { dispatcher: agent, method, headers: { ...headers, ...type }, body: given }
    const { statusCode, body } = await request(url, asked)
    const text = await body.text()
    if (statusCode < 200 || statusCode > 299) throw new Error(`${url}: ${statusCode} ${text}`)
    return text
  }
  const ask = (url: string) => send(url, 'GET')
  return {
    ask,
    post: (url, body) => send(url, 'POST', body),
    callsOf: (page) => callsOf(stack, ask, page),
    async replay(waves) {
      for (const wave of waves) await Promise.all(wave.map((path) => ask(stack.config.apiUrl + path)))
    },
    close: () => agent.close(),
  }
}

/** Milliseconds that a piece of work takes. */
export async function took(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/**
 * A proxy between panel and API hears what the page asks. All calls of a wave are answered at the same time, once no other
 * has come for a while: so what is asked next had to wait for one of them.
 */
async function callsOf(stack: Stack, ask: Looker['ask'], page: string): Promise<string[][]> {
  const waves: string[][] = []
  let waiting: { path: string; response: http.ServerResponse }[] = []
  let quiet: NodeJS.Timeout | undefined
  const answerAll = async () => {
    const wave = waiting
    waiting = []
    waves.push(wave.map(({ path }) => path))
    const answers = await Promise.all(wave.map(({ path }) => ask(stack.config.apiUrl + path)))
    for (const [n, { response }] of wave.entries()) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(answers[n])
    }
  }
  const proxy = http.createServer((asked, response) => {
    waiting.push({ path: asked.url!, response })
    clearTimeout(quiet)
    quiet = setTimeout(() => void answerAll(), 300)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { url, daemon } = await stack.startPanel(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  await ask(url + page)
  await daemon.stop(['SIGTERM', 10_000])
  proxy.closeAllConnections()
  proxy.close()
  console.log(`${page} asks:\n${waves.map((wave) => `  ${wave.join('\n  ')}`).join('\n  then\n')}`)
  return waves
}
