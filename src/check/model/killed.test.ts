import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { enqueueAutomaticCheck } from '../checks/check-requests.ts'
import type { Config } from '../../platform/config/config.ts'
import { insertCalls } from '../../test/calls.ts'
import { sendCriterionAnswers, sendModelError, ScriptedModel, type ChatRequest } from '../../test/scripted-model.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { waitUntil } from '../../test/wait.ts'

const PERIOD = { from: '2026-03-01', to: '2026-04-01' }
const KILLS = chooseRepeatCount(2, 50)
const CALLS = chooseRepeatCount(20, 120)

interface LedgerRow {
  state: string
  attempt: number
  bodySha256: string
}

describe('model checks in killed processes', function () {
  this.timeout(180_000) // starting a process takes long on a busy machine
  let app: TestApp
  let setId: string
  let passTime: NodeJS.Timeout
  let workers: ServiceProcess[]
  const model = new ScriptedModel()
  const query = async (sql: string, ...values: unknown[]) => (await app.db.query(sql, values)).rows

  before(async () => {
    await model.start()
    app = await startTestApp({
      API_RUN_MODE: 'api',
      ...model.settings,
      ANALYSIS_CONCURRENCY: 2,
    })
    setId = await createPublishedRuleSet(app.olga, 'judged')
  })
  after(async () => {
    await app.stop()
    await model.stop()
  })
  beforeEach(async () => {
    workers = []
    model.requests.length = 0
    model.responder = answerCorrectly
    await query('DELETE FROM recordings')
    await query('DELETE FROM model_requests')
    // Without a heartbeat, leases expire after 12 s instead of 30 s. Retries are due at once, to keep the tests short.
    passTime = setInterval(() => {
      for (const table of ['analyses', 'backtests']) {
        void query(
          `UPDATE ${table} SET next_attempt_at = now() WHERE status = 'QUEUED' AND next_attempt_at > now()`,
        ).catch(() => undefined)
        void query(
          `UPDATE ${table} SET lease_until = now() - interval '1 s' WHERE lease_until BETWEEN now() AND now() + interval '18 s'`,
        ).catch(() => undefined)
      }
    }, 500)
  })
  afterEach(async () => {
    clearInterval(passTime)
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))
  })

  async function startWorker(overrides: Partial<Config> = {}): Promise<ServiceProcess> {
    const worker = new ServiceProcess('api', { ...app.config, LOG_LEVEL: 'info', API_RUN_MODE: 'worker', ...overrides })
    workers.push(worker)
    await worker.waitUntilReady()
    return worker
  }
  /** Answers according to the transcript, which has the greeting but no farewell. */
  function answerCorrectly({ criteria }: ChatRequest, response: Parameters<typeof sendCriterionAnswers>[0]): void {
    const known = [
      { id: 'greeting', verdict: 'met', segment: 0, quote: 'Добрый день' },
      { id: 'farewell', verdict: 'missed' },
      { id: 'insults', verdict: 'met' },
    ]
    sendCriterionAnswers(
      response,
      known.filter(({ id }) => criteria.some((one) => one.id === id)),
    )
  }
  async function insertTestCalls(count: number): Promise<string[]> {
    const ids = await insertCalls(
      app,
      Array.from({ length: count }, () => ({ at: '2026-03-02T10:00:00Z' })),
    )
    for (const id of ids) await replaceTranscript(app, id, makeTurnSegments('Добрый день', 'Да'))
    return ids
  }
  async function requestCheck(): Promise<string> {
    const [id] = await insertTestCalls(1)
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    return id!
  }
  const waitForStatus = (id: string, status: string) =>
    waitUntil(`the check is ${status}`, async () => {
      const { json } = await app.olga.get(`/v1/recordings/${id}/analysis`)
      return json.status === status && json
    })
  const ledger = async (id: string): Promise<LedgerRow[]> =>
    (await app.olga.get(`/v1/model-requests?pageSize=100&recordingId=${id}`)).json.items.toReversed()
  const waitForQuestions = (count: number) => waitUntil(`${count} questions`, () => model.requests.length >= count)

  it('after kill -9 during a model request, another process repeats the request once', async () => {
    model.responder = () => undefined
    const first = await startWorker()
    const id = await requestCheck()
    await waitForQuestions(1)
    await first.stop('SIGKILL')
    model.responder = answerCorrectly
    await startWorker()
    expect((await waitForStatus(id, 'done')).score).to.equal(60)
    const rows = await ledger(id)
    expect(rows.map(({ state, attempt }) => [state, attempt])).to.deep.equal([
      ['sent', 1],
      ['answered', 2],
    ])
    expect(rows[0]!.bodySha256, 'the same question').to.equal(rows[1]!.bodySha256)
    expect(model.requests).to.have.length(2)
  })

  it('after SIGTERM, a process finishes its check before it exits', async () => {
    let say: (() => void) | undefined
    model.responder = (question, response) => (say = () => answerCorrectly(question, response))
    const worker = await startWorker({ jobGraceSeconds: 45 })
    const id = await requestCheck()
    await waitUntil('the model thinks', () => say)
    const ending = worker.stop('SIGTERM')
    await waitUntil('it is stopping', () => worker.lines.some(({ msg }) => msg === 'stopping'))
    say!()
    expect((await ending).code).to.equal(0)
    expect((await waitForStatus(id, 'done')).score).to.equal(60)
    expect((await ledger(id)).map(({ state, attempt }) => [state, attempt])).to.deep.equal([['answered', 1]])
    expect(model.requests).to.have.length(1)
  })

  it('after SIGTERM, a check over the grace period is released without counting the attempt', async () => {
    model.responder = () => undefined
    const worker = await startWorker({ jobGraceSeconds: 0.2 })
    const id = await requestCheck()
    await waitForQuestions(1)
    expect((await worker.stop('SIGTERM')).code).to.equal(0)
    expect(await query('SELECT status, attempts FROM analyses WHERE recording_id = $1', id)).to.deep.equal([
      { status: 'QUEUED', attempts: 0 },
    ])
  })

  it('after two kills during a request, the check fails until a person retries it', async () => {
    model.responder = () => undefined
    const id = await requestCheck()
    for (const count of [1, 2]) {
      const worker = await startWorker()
      await waitForQuestions(count)
      await worker.stop('SIGKILL')
    }
    model.responder = answerCorrectly
    await startWorker()
    expect((await waitForStatus(id, 'failed')).reason).to.match(/^The worker stopped twice/)
    expect(model.requests).to.have.length(2)
    await app.olga.post('/v1/queues/analysis/retry-failed')
    await waitForStatus(id, 'done')
    expect((await ledger(id)).map(({ state }) => state)).to.deep.equal(['failed', 'failed', 'answered'])
  })

  it('another process sends a request that a killed process recorded but did not send', async () => {
    const held: Socket[] = []
    const silent: Server = createServer((socket) => void held.push(socket.on('error', () => undefined)))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    try {
      // The server never completes the TLS handshake, so the client sends no request.
      const { port } = silent.address() as AddressInfo
      const first = await startWorker({ ANALYSIS_BASE_URL: `https://127.0.0.1:${port}/v1` })
      const id = await requestCheck()
      await waitUntil('the line stands', async () => (await ledger(id)).length === 1)
      await waitUntil('it greets', () => held.length > 0)
      await first.stop('SIGKILL')
      expect(model.requests).to.have.length(0)
      await startWorker()
      await waitForStatus(id, 'done')
      expect((await ledger(id)).map(({ state }) => state)).to.deep.equal(['sent', 'answered'])
      expect(model.requests).to.have.length(1)
    } finally {
      for (const socket of held) socket.destroy()
      silent.close()
    }
  })

  it('after kill -9, a check reuses received model replies, and deletes them at its end', async () => {
    const label = { ...MANNERS_RULES[1]!, key: 'reason', side: 'any' as const, mono: undefined }
    const labels = await createPublishedRuleSet(app.olga, 'labels', { mode: 'label', rules: [label] })
    model.responder = (question, response) =>
      question.criteria.some(({ id }) => id === 'greeting') ? answerCorrectly(question, response) : undefined
    const first = await startWorker()
    const id = await requestCheck()
    await waitForQuestions(2)
    await first.stop('SIGKILL')
    expect(await query('SELECT FROM model_replies')).to.have.length(1)
    model.responder = (question, response) =>
      question.criteria.some(({ id }) => id === 'greeting')
        ? answerCorrectly(question, response)
        : sendCriterionAnswers(response, [{ id: 'reason', verdict: 'missed' }])
    await startWorker()
    expect((await waitForStatus(id, 'done')).usage).to.deep.equal({ inputTokens: 2000, outputTokens: 1000 })
    expect(model.requests.map(({ criteria }) => criteria[0]!.id)).to.deep.equal(['greeting', 'reason', 'reason'])
    expect(await query('SELECT FROM model_replies')).to.have.length(0)
    await app.olga.delete(`/v1/rule-sets/${labels}`)
  })

  it('a new transcript deletes the cached model replies of the cancelled check, late ones too', async () => {
    const label = { ...MANNERS_RULES[1]!, key: 'reason', side: 'any' as const, mono: undefined }
    const labels = await createPublishedRuleSet(app.olga, 'late', { mode: 'label', rules: [label] })
    const isGreeting = ({ criteria }: ChatRequest) => criteria.some(({ id }) => id === 'greeting')
    let answerLate = () => undefined as void
    model.responder = (question, response) => {
      if (isGreeting(question)) return answerCorrectly(question, response)
      answerLate = () => sendCriterionAnswers(response, [{ id: 'reason', verdict: 'missed' }])
    }
    await startWorker()
    const id = await requestCheck()
    await waitForQuestions(2)
    expect(await query('SELECT FROM model_replies')).to.have.length(1)
    await enqueueAutomaticCheck(app.db, { ...app.config, ANALYSIS_PROVIDER: 'none' }, id)
    expect(await query('SELECT FROM model_replies'), 'at once').to.have.length(0)
    answerLate()
    const heard = () => query(`SELECT FROM model_requests WHERE state = 'answered' AND recording_id = $1`, id)
    await waitUntil('the late answer is in the ledger', async () => (await heard()).length === 2)
    expect(await query('SELECT FROM model_replies'), 'afterwards').to.have.length(0)
    await app.olga.delete(`/v1/rule-sets/${labels}`)
  })

  it('cancelling a recheck deletes the cached model replies of its queued checks', async () => {
    const label = { ...MANNERS_RULES[1]!, key: 'reason', side: 'any' as const, mono: undefined }
    const labels = await createPublishedRuleSet(app.olga, 'again', { mode: 'label', rules: [label] })
    model.responder = (question, response) =>
      question.criteria.some(({ id }) => id === 'greeting')
        ? answerCorrectly(question, response)
        : sendModelError(response, 503)
    clearInterval(passTime)
    await insertTestCalls(1)
    const { json: run } = await app.olga.post('/v1/analysis-runs', PERIOD)
    await app.olga.post(`/v1/analysis-runs/${run.id}/confirm`)
    await startWorker()
    await waitUntil(
      'an attempt failed',
      async () => (await query(`SELECT FROM analyses WHERE last_error > ''`)).length === 1,
    )
    expect(await query('SELECT FROM model_replies')).to.have.length(1)
    await app.olga.post(`/v1/analysis-runs/${run.id}/cancel`)
    expect(await query('SELECT FROM model_replies')).to.have.length(0)
    await app.olga.delete(`/v1/rule-sets/${labels}`)
  })

  it(`random kills lose no work and send no request over twice (${KILLS} kills)`, async () => {
    const ids = await insertTestCalls(CALLS)
    const rules = [MANNERS_RULES[0]!, MANNERS_RULES[2]!]
    const { json: set } = await app.olga.get(`/v1/rule-sets/${setId}`)
    await app.olga.put(`/v1/rule-sets/${setId}/draft`, { revision: set.draft?.revision ?? 0, rules })
    await query(
      'INSERT INTO analyses (id, recording_id, priority) SELECT gen_random_uuid(), id, 5 FROM recordings ORDER BY id LIMIT $1',
      Math.floor(CALLS / 3),
    )
    const { json: run } = await app.olga.post('/v1/analysis-runs', PERIOD)
    await app.olga.post(`/v1/analysis-runs/${run.id}/confirm`)
    const { json: test } = await app.olga.post(`/v1/rule-sets/${setId}/backtests`, PERIOD)
    for (let kill = 0; kill < KILLS; kill++) {
      model.responder = answerCorrectly // also for requests before the worker is ready
      const worker = await startWorker()
      const last = model.requests.length + 1 + Math.floor(Math.random() * 5)
      model.responder = (question, response) => {
        const isLast = model.requests.length >= last
        if (isLast) worker.kill('SIGKILL')
        if (!isLast || Math.random() < 0.5) answerCorrectly(question, response)
      }
      await worker.waitForExit()
    }
    model.responder = answerCorrectly
    await startWorker()
    const isOver = async () => {
      const [now] = (await app.olga.get('/v1/analysis-runs')).json.items
      const { json: tested } = await app.olga.get(`/v1/backtests/${test.id}`)
      const open = await query(`SELECT FROM analyses WHERE status IN ('QUEUED', 'PROCESSING')`)
      return now.state === 'done' && tested.state === 'done' && open.length === 0
    }
    await waitUntil('all is over', isOver, chooseRepeatCount(150_000, 300_000))
    const twice = await query(
      'SELECT analysis_id FROM model_requests GROUP BY analysis_id, body_sha256 HAVING count(*) > 2',
    )
    expect(twice, 'sent more than twice').to.have.length(0)
    // Checks whose response was lost twice failed, so that a person can decide.
    const failed = await query(`SELECT last_error FROM analyses WHERE status = 'FAILED'`)
    for (const { last_error: why } of failed) expect(why).to.match(/^The worker stopped twice/)
    await app.olga.post('/v1/queues/analysis/retry-failed')
    await waitUntil('all is done', isOver, chooseRepeatCount(60_000, 300_000))
    // Checks that a later check replaced are not retried.
    const open = `SELECT FROM analyses a WHERE status <> 'DONE'
                     AND NOT EXISTS (SELECT FROM analyses l WHERE l.recording_id = a.recording_id AND l.id > a.id)`
    expect(await query(open)).to.have.length(0)
    const { json: tested } = await app.olga.get(`/v1/backtests/${test.id}`)
    expect(tested.rules.find(({ rule }: { rule: string }) => rule === 'greeting').new.met).to.equal(CALLS)
    expect([tested.total, tested.done, tested.changed]).to.deep.equal([CALLS, CALLS, CALLS])
    for (const id of ids) expect((await app.olga.get(`/v1/recordings/${id}`)).json.score).to.equal(60)
    expect(await query('SELECT FROM model_replies')).to.have.length(0)
  }).timeout(chooseRepeatCount(240_000, 900_000))

  it('two processes share the rate limit of model requests and the pause after a 429', async () => {
    const at: { key: string; ms: number }[] = []
    let refused: number | undefined
    model.responder = (question, response) => {
      at.push({ key: question.authorization!, ms: performance.now() })
      if (at.length !== 12) return answerCorrectly(question, response)
      refused = performance.now()
      sendModelError(response, 429, { 'Retry-After': '5' })
    }
    const ids = await insertTestCalls(24)
    const limits = { ANALYSIS_CONCURRENCY: 4, ANALYSIS_REQUESTS_PER_MINUTE: 150 }
    await Promise.all(['one', 'two'].map((key) => startWorker({ ANALYSIS_API_KEY: key, ...limits })))
    await query('INSERT INTO analyses (id, recording_id, priority) SELECT gen_random_uuid(), id, 5 FROM recordings')
    for (const id of ids) await waitForStatus(id, 'done')
    // Requests that were sent before the 429 arrive shortly after it.
    const [before, after] = [at.slice(0, 12), at.filter(({ ms }) => ms > refused! + 2500)]
    expect(new Set(at.map(({ key }) => key)).size, 'both ask').to.equal(2)
    for (const part of [before, after]) {
      // Requests are 400 ms apart, less the travel time of the first. They would be 200 ms apart if each process limited its own.
      expect(part.at(-1)!.ms - part[0]!.ms).to.be.at.least((part.length - 1) * 300)
    }
    expect(after[0]!.ms - refused!, 'nobody asks before the pause is over').to.be.at.least(4900)
  }).timeout(180_000)
})
