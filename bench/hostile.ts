/** Measures the worst input of each kind, at its size limit, in the functions and servers that parse it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { loadMorphology } from '../src/platform/lib/morphology.ts'
import { measureMemoryAfterGc } from '../src/test/memory.ts'
import { CallbackReceiver } from '../src/test/callback-receiver.ts'
import { WORST_CLIENT_INPUTS, type WorstParserInput } from '../src/test/worst-inputs.ts'
import { WORST_SERVER_REPLIES } from '../src/test/worst-replies.ts'
import { connectToDatabase, makeLongDialogue, insertTranscribedCall } from './database.ts'
import {
  measureLongestEventLoopTurn,
  openOwnerSession,
  readProcessMemoryMb,
  startStack,
  reportFigure,
  BENCH_OWNER_CONFIG,
  type BenchStack,
} from './support.ts'

/** The delay is the minimum of these rounds, so that other load on the machine does not count. */
const ROUNDS = 3
/** These rounds compile the code and fill the memory as in a server in use. */
const WARM_UP_ROUNDS = 3
/** Garbage is collected only above this growth, because a collection takes longer than most rounds. */
const MIN_GARBAGE_MB = 8
/** The longest call has this many words: three hours of two speakers. */
const WORDS_PER_CALL = 54_000
const RULE_NAME = { en: 'n', ru: 'n' }

await loadMorphology()
for (const entry of [...WORST_CLIENT_INPUTS, ...WORST_SERVER_REPLIES]) await measureInput(entry)
await measureServers()
process.exit()

function reportAttack(what: string, delayMs: number, growthMb: number): void {
  reportFigure(`${what}, delay`, delayMs, { atMost: 50 }, ' ms')
  reportFigure(`${what}, memory`, growthMb, { atMost: 64 }, ' MB')
}

function readCpuMs(): number {
  return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6
}

async function measureInput([what, read, inputs]: WorstParserInput): Promise<void> {
  const rss = (): number => process.memoryUsage.rss() / 2 ** 20
  let [delayMs, growthMb] = [0, 0]
  const inputTexts = inputs()
  measureMemoryAfterGc() // This collects the garbage of the functions measured before.
  let base = rss()
  for (const input of inputTexts) {
    let shortest = Infinity
    for (let round = 0; round < ROUNDS; round++) {
      if (rss() - base > MIN_GARBAGE_MB) {
        measureMemoryAfterGc()
        base = rss()
      }
      shortest = Math.min(shortest, await measureLongestEventLoopTurn(() => read(input), readCpuMs))
      growthMb = Math.max(growthMb, rss() - base)
    }
    delayMs = Math.max(delayMs, shortest)
  }
  reportAttack(what, delayMs, growthMb)
}

interface Attack {
  what: string
  pid: number
  run: () => Promise<unknown>
}

async function measureServers(): Promise<void> {
  const [model, portal] = [await new CallbackReceiver().start(), await new CallbackReceiver().start()]
  const stack = await startStack({
    ...BENCH_OWNER_CONFIG,
    ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
    ANALYSIS_PROVIDER: 'llm-compatible',
    ANALYSIS_ALLOW_EXTERNAL_EGRESS: true,
    ANALYSIS_MODEL: 'hostile',
    ANALYSIS_BASE_URL: `${model.url}/v1`,
    ANALYSIS_REQUESTS_PER_MINUTE: 6000,
    CRM_WEBHOOK_URL: `${portal.url}/rest/1/s3cret/`,
  })
  const probe = join(stack.folder, 'loop-probe.log')
  process.env.SVC_LOOP_PROBE = probe
  process.env.NODE_OPTIONS = `--import=${resolve('bench/loop-probe.mjs')}`
  await stack.startApi()
  for (const attack of await prepareAttacks(stack, model, portal)) await measureAttack(attack, probe)
  await stack.stop()
  await Promise.all([model.stop(), portal.stop()])
}

async function measureAttack({ what, pid, run }: Attack, probe: string): Promise<void> {
  for (let n = 0; n < WARM_UP_ROUNDS; n++) await run()
  const base = readProcessMemoryMb(pid).rss
  writeFileSync(`/proc/${pid}/clear_refs`, '5') // The value 5 resets the peak of the resident memory.
  let delayMs = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    rmSync(probe, { force: true })
    await run()
    await pause(50) // The pause lets the probe measure once more.
    delayMs = Math.min(delayMs, readLongestDelay(probe))
  }
  reportAttack(what, delayMs, readProcessMemoryMb(pid).peak - base)
}

function readLongestDelay(probe: string): number {
  if (!existsSync(probe)) return 0
  const lines = readFileSync(probe, 'utf8').trim().split('\n')
  return Math.max(...lines.map((line) => Number(line.split(' ')[1])))
}

/** Creates the rules of a set near its size limit. Their exceptions almost match. */
function makeLargestRules(): object[] {
  const makeWidePhrase = (last: string) => `${Array.from({ length: 9 }, () => 'а/б/в/г/д/е/ж/з').join(' ')} ${last}`
  const [any, except] = ['л', 'м'].map((last) => ({ ru: Array.from({ length: 200 }, () => makeWidePhrase(last)) }))
  return Array.from({ length: 5 }, (_, n) => ({
    key: `rule-${n}`,
    name: RULE_NAME,
    kind: 'said',
    weight: 1,
    any,
    except,
  }))
}

/** An attack in data/attacks.json. */
interface AttackSpec {
  what: string
  /** The target of the body: a request to the API or the panel, or a response of the model or the portal. */
  to: 'api' | 'model' | 'portal' | 'panel'
  /** Method and path. {draft} and {form} are replaced with those of a rule set. */
  path?: string
  /** The parts of the body. In a repeated part, # is replaced with its number in base 36. */
  body: (string | { repeat: string; count: number })[]
}

function createReply(body: string): CallbackReceiver['answer'] {
  return (_request, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
}

function expandPart(part: AttackSpec['body'][number]): string {
  if (typeof part === 'string') return part
  const { repeat, count } = part
  if (!repeat.includes('#')) return repeat.repeat(count)
  return Array.from({ length: count }, (_, n) => repeat.replace('#', n.toString(36))).join('')
}

async function prepareAttacks(stack: BenchStack, model: CallbackReceiver, portal: CallbackReceiver): Promise<Attack[]> {
  const panel = await stack.startPanel()
  const { apiUrl, DATABASE_URL } = stack.config
  const pid = stack.pids.api
  const { cookie: Cookie } = await openOwnerSession(stack)
  const send = async (method: string, url: string, body?: string, type = 'application/json') => {
    const response = await fetch(url, { method, headers: { Cookie, 'Content-Type': type }, body, redirect: 'manual' })
    return response.text()
  }
  const set = { key: 'hostile', name: RULE_NAME, mode: 'score', rules: makeLargestRules() }
  const { id } = JSON.parse(await send('POST', `${apiUrl}/v1/rule-sets`, JSON.stringify(set))) as { id: string }
  const draft = `/v1/rule-sets/${id}/draft`
  const db = await connectToDatabase(DATABASE_URL)
  const longCall = await insertTranscribedCall(db, makeLongDialogue(WORDS_PER_CALL).segments, {
    duration_seconds: 10_800,
  })
  const shortCall = await insertTranscribedCall(db, makeLongDialogue(100).segments, {})
  await db.end()
  let revision = 1
  const save = async (rules: object[]) => {
    const text = await send('PUT', apiUrl + draft, JSON.stringify({ revision, rules }))
    if (!text.startsWith('{"statusCode"')) revision++
  }
  const tryDraft = (content: object) => send('POST', `${apiUrl}${draft}/try`, JSON.stringify(content))
  const judged = { key: 'asked', name: RULE_NAME, kind: 'said', weight: 1, any: { ru: ['алло'] } }
  const toAttack = ({ what, to, path = '', body }: AttackSpec): Attack => {
    const [method, where] = path.replace('{draft}', draft).replace('{form}', `/rule-sets/${id}/draft/new`).split(' ')
    const content = body.map(expandPart).join('')
    const runs = {
      api: () => send(method!, apiUrl + where, content),
      panel: () => send(method!, panel.url + where, content, 'application/x-www-form-urlencoded'),
      model: () => {
        model.answer = createReply(JSON.stringify({ choices: [{ message: { content } }] }))
        return tryDraft({ recordingId: shortCall, rules: [judged] })
      },
      portal: () => {
        portal.answer = createReply(content)
        return send('POST', `${apiUrl}/v1/crm/connection/check`, '')
      },
    }
    return { what: `${to}: ${what}`, pid: to === 'panel' ? panel.pid : pid, run: runs[to] }
  }
  const specs = JSON.parse(readFileSync('bench/data/attacks.json', 'utf8')) as AttackSpec[]
  const rules = makeLargestRules()
  return [
    { what: 'api: the largest rule set is saved', pid, run: () => save(rules) },
    { what: 'api: a rule set over its limits', pid, run: () => save([...rules, ...rules, ...rules]) },
    {
      what: 'api: a try of the largest rule set on three hours, by words',
      pid,
      run: () => tryDraft({ recordingId: longCall, wordsOnly: true }),
    },
    ...specs.map(toAttack),
  ]
}
