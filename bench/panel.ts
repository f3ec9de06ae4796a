/**
 * The page of recordings against its own calls of the API made alone: what the panel adds. A proxy between panel and API
 * tells once which calls the page makes, and which of them wait for others; rounds of the page and of those calls alternate.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { seedCalls } from './seed.ts'
import { logIn, median, startStack, verdict } from './support.ts'

const CALLS = 10_000
const ROUNDS = 150
const WARM_UP = 30
const OWNER = { email: 'owner@example.com', password: 'a sparrow on the roof' }
const PAGES = ['/recordings', '/recordings?q=delivery&status=DONE']

const stack = await startStack(
  {},
  {
    API_RUN_MODE: 'api',
    LOG_LEVEL: 'info',
    COOKIE_SECURE: false,
    BOOTSTRAP_ADMIN_EMAIL: OWNER.email,
    BOOTSTRAP_ADMIN_PASSWORD: OWNER.password,
  },
)
await seedCalls(stack.config.DATABASE_URL, CALLS)
stack.processes.api = await stack.startApi()
const agent = new Agent({ pipelining: 1 })
const headers = { Cookie: await logIn(stack.config.apiUrl, OWNER) }
const panel = await stack.startPanel()
for (const page of PAGES) {
  const waves = await callsOf(page)
  const times = { page: [] as number[], calls: [] as number[] }
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const seconds = { page: await took(() => ask(panel.url + page)), calls: await took(() => replay(waves)) }
    if (round < 0) continue
    times.page.push(seconds.page)
    times.calls.push(seconds.calls)
  }
  const [whole, alone] = [median(times.page), median(times.calls)]
  console.log(`${page}: ${whole.toFixed(1)} ms; its ${waves.flat().length} calls alone ${alone.toFixed(1)} ms`)
  verdict(`the page ${page} against its calls of the API`, whole / alone, { atMost: 1.5 })
}
await panel.daemon.stop(['SIGTERM', 10_000])
await agent.close()
await stack.stop()
process.exit()

/**
 * The calls that a page makes, in waves. All calls of a wave are answered at the same time, once no other has come for a
 * while: so what is asked next had to wait for one of them.
 */
async function callsOf(page: string): Promise<string[][]> {
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

async function replay(waves: string[][]): Promise<void> {
  for (const wave of waves) await Promise.all(wave.map((path) => ask(stack.config.apiUrl + path)))
}

async function ask(url: string): Promise<string> {
  const { statusCode, body } = await request(url, { dispatcher: agent, headers })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`)
  return text
}

/** Milliseconds that a piece of work takes. */
async function took(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
