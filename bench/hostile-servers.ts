/** Sends the worst inputs to an API and a panel that run as in production, and probes their event loops. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { newId } from '../src/platform/lib/ids.ts'
import { callOf } from './check-calls.ts'
import type { Measured } from './hostile.ts'
import { WITH_OWNER } from './panel-calls.ts'
import { logIn, memoryOf, startStack, type Stack } from './support.ts'

const ROUNDS = 3
/** Warm-up rounds, until the code is compiled and the memory is that of a server in use. */
const WARM_UP = 3
/** Three hours of two people, the longest call. */
const WORDS = 54_000
const MB = 1_000_000

/** Answers for the model and the portal with the input under test, at every address. */
class HostileServer {
  body = '{}'
  private readonly server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(this.body)
    })
    response.on('error', () => undefined)
  })

  async start(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

interface Attack {
  what: string
  pid: number
  run: () => Promise<unknown>
}

export async function* measureServers(): AsyncGenerator<Measured> {
  const [model, portal] = [new HostileServer(), new HostileServer()]
  const stack = await startStack(
    {},
    {
      ...WITH_OWNER,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
      ANALYSIS_PROVIDER: 'llm-compatible',
      ANALYSIS_ALLOW_EXTERNAL_EGRESS: true,
      ANALYSIS_MODEL: 'hostile',
      ANALYSIS_BASE_URL: `${await model.start()}/v1`,
      ANALYSIS_REQUESTS_PER_MINUTE: 6000,
      CRM_WEBHOOK_URL: `${await portal.start()}/rest/1/s3cret/`,
    },
  )
  const probe = join(stack.folder, 'loop-probe.log')
  Object.assign(process.env, {
    SVC_LOOP_PROBE: probe,
    NODE_OPTIONS: `--import=${resolve('bench/loop-probe.mjs')}`,
  })
  stack.processes.api = await stack.startApi()
  const panel = await stack.startPanel()
  delete process.env.NODE_OPTIONS
  try {
    const pids = { api: stack.processes.api.pid!, panel: panel.daemon.pid! }
    for (const attack of await attacksOn(stack, panel.url, pids, { model, portal })) yield await measure(attack, probe)
  } finally {
    await panel.daemon.stop(['SIGTERM', 10_000])
    await stack.stop()
    model.stop()
    portal.stop()
  }
}

async function measure({ what, pid, run }: Attack, probe: string): Promise<Measured> {
  for (let n = 0; n < WARM_UP; n++) await run()
  const base = memoryOf(pid).rss
  writeFileSync(`/proc/${pid}/clear_refs`, '5') // forgets the peak so far
  let delayMs = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    rmSync(probe, { force: true })
    await run()
    await pause(50) // lets the probe measure once more
    delayMs = Math.min(delayMs, longestIn(probe))
  }
  return { what, delayMs, growthMb: memoryOf(pid).peak - base }
}

const longestIn = (probe: string): number =>
  existsSync(probe)
    ? Math.max(...readFileSync(probe, 'utf8').trim().split('\n').map((line) => Number(line.split(' ')[1]))) // prettier-ignore
    : 0

/** Makes a rule set at its limits, whose exceptions almost match; `last` makes phrases differ from exceptions. */
function largestRules(): object[] {
  const wide = (last: string) => `${Array.from({ length: 9 }, () => 'а/б/в/г/д/е/ж/з').join(' ')} ${last}`
  const [any, except] = ['л', 'м'].map((last) => ({ ru: Array.from({ length: 200 }, () => wide(last)) }))
  return Array.from({ length: 5 }, (_, n) => ({
    key: `rule-${n}`,
    name: { en: 'n', ru: 'n' },
    kind: 'said',
    weight: 1,
    any,
    except,
  }))
}

/** A rule that a model judges. */
const ASKED = { key: 'asked', name: { en: 'n', ru: 'n' }, kind: 'said', weight: 1, any: { ru: ['алло'] } }

async function attacksOn(
  stack: Stack,
  panelUrl: string,
  pids: { api: number; panel: number },
  { model, portal }: { model: HostileServer; portal: HostileServer },
): Promise<Attack[]> {
  const { apiUrl } = stack.config
  const cookie = await logIn(apiUrl, { email: WITH_OWNER.BOOTSTRAP_ADMIN_EMAIL, password: WITH_OWNER.BOOTSTRAP_ADMIN_PASSWORD }) // prettier-ignore
  const send = async (method: string, url: string, body: string, type = 'application/json'): Promise<string> => {
    const answer = await fetch(url, {
      method,
      headers: { Cookie: cookie, 'Content-Type': type },
      body,
      redirect: 'manual',
    })
    return answer.text()
  }
  const made = JSON.parse(
    await send('POST', `${apiUrl}/v1/rule-sets`, JSON.stringify({ key: 'hostile', name: { en: 'n', ru: 'n' }, mode: 'score', rules: largestRules() })), // prettier-ignore
  ) as { id: string }
  const draft = `${apiUrl}/v1/rule-sets/${made.id}/draft`
  const recordingId = await insertCall(stack.config.DATABASE_URL, WORDS)
  const shortCall = await insertCall(stack.config.DATABASE_URL, 100)
  let revision = 1
  const save = async (rules: unknown) => {
    const { status } = await fetch(draft, {
      method: 'PUT',
      headers: { Cookie: cookie, 'Content-Type': 'application/json' },
      body: JSON.stringify({ revision, rules }),
    })
    if (status === 200) revision++
  }
  const tryOut = (content: object) => send('POST', `${draft}/try`, JSON.stringify({ recordingId, ...content }))
  const reply = (content: string) => async () => {
    model.body = JSON.stringify({ choices: [{ message: { content } }] })
    await tryOut({ recordingId: shortCall, rules: [ASKED] })
  }
  const checkPortal = (body: string) => async () => {
    portal.body = body
    await send('POST', `${apiUrl}/v1/crm/connection/check`, '')
  }
  const filled = (text: string, length: number) => text.repeat(Math.floor(length / text.length))
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const names = (count: number) => Array.from({ length: count }, (_, n) => `"k${n.toString(36)}":1`).join(',')
  const api = (what: string, run: Attack['run']): Attack => ({ what: `API: ${what}`, pid: pids.api, run })
  const inPanel = (what: string, path: string, body: string): Attack => ({
    what: `panel: ${what}`,
    pid: pids.panel,
    run: () => send('POST', panelUrl + path, body, 'application/x-www-form-urlencoded'),
  })
  const form = `/rule-sets/${made.id}/draft/new`
  return [
    api('nothing, for comparison', () => send('GET', `${apiUrl}/healthz`, '').catch(() => '')),
    api('the largest rule set is saved', () => save(largestRules())),
    api('a rule set over its limits', () => save([...largestRules(), ...largestRules(), ...largestRules()])),
    api('a phrase of 900 KB', () => save([{ key: 'a', name: { en: 'n', ru: 'n' }, kind: 'said', any: { ru: [filled('а/', 450_000)] } }])), // prettier-ignore
    api('a try of the largest rule set on three hours, by words', () => tryOut({ wordsOnly: true })),
    api('an estimate of the draft', () => send('POST', `${draft}/estimate`, '{}')),
    api('JSON of 500,000 levels', () => send('PUT', draft, deep(500_000))),
    api('JSON of 40,000 fields', () => send('PUT', draft, `{${names(39_000)}}`)),
    api('JSON of 300,000 objects', () => send('PUT', draft, `{"rules":[${filled('{},', MB - 100)}{}]}`)),
    api('a login of 64 KB of nested JSON', () => send('POST', `${apiUrl}/v1/auth/login`, deep(32_000))),
    api('a model’s fence of 1,000,000 lines', reply(`\`\`\`${filled('\n', MB / 2)}x`)),
    api('a model’s JSON of 200,000 levels', reply(deep(200_000))),
    api('a model’s 40,000 values', reply(`{${names(39_000)}}`)),
    api('1,000 answers of a model', reply(`{"answers":[${filled('{"id":"asked","verdict":"met","segment":1,"quote":"x","why":"y"},', 100_000)}0]}`)), // prettier-ignore
    api('a portal’s 63 MB of {}', checkPortal(`{"result":[${filled('{},', 63 * MB)}{}]}`)),
    api('a portal’s 6 MB of {}', checkPortal(`{"result":[${filled('{},', 6 * MB - 100)}{}]}`)),
    api('a portal’s 40,000 values', checkPortal(`{"result":{${names(39_000)}}}`)),
    api('a portal’s text of 6 MB', checkPortal(`{"result":["${filled('я', 3 * MB - 50)}"]}`)),
    api('a portal’s error of 6 MB', checkPortal(`{"error":"A","error_description":"${filled('/', 6 * MB - 100)}"}`)),
    inPanel('a rule of 1,000,000 lines', `${form}/fields`, `kind=said&any.ru=${filled('\n', MB - 100)}`),
    inPanel('a rule’s name of 1 MB', form, `kind=said&revision=1&name.en=${filled('+-', MB - 100)}`),
    inPanel('the rules that a form has seen, 1 MB', form, `kind=said&revision=0&seen=${filled('+', MB - 100)}`),
    inPanel('5,000 fields', form, Array.from({ length: 4990 }, (_, n) => `kind=said&f${n}=`.slice(n > 0 ? 10 : 0) + filled('x', 180)).join('&')), // prettier-ignore
  ]
}

/** Inserts a call with its text. */
async function insertCall(databaseUrl: string, words: number): Promise<string> {
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  const { segments } = callOf(words)
  const id = newId()
  await db.query(
    `INSERT INTO recordings (id, status, source, direction, call_started_at, duration_seconds, storage_key, size_bytes)
     VALUES ($1, 'DONE', 'upload', 'OUTBOUND', now(), 10800, $2, 1)`,
    [id, `bench/${id}`],
  )
  await db.query(
    `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments) VALUES ($1, $2, 'm', 'greedy', 'ru', $3)`,
    [id, segments.map(({ text }) => text).join('\n'), JSON.stringify(segments)],
  )
  await db.end()
  return id
}
