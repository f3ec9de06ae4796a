import { expect } from 'chai'
import { Redis } from 'ioredis'
import { TestModelApp, CORRECT_CRITERION_ANSWERS } from '../../test/model-app.ts'
import { sendCriterionAnswers, sendModelError } from '../../test/scripted-model.ts'
import { MANNERS_RULES } from '../../test/rule-sets.ts'
import type { TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('model errors', () => {
  const modelApp = new TestModelApp()
  const { model, checkCall: ask, fetchModelRequests: ledger, waitForCheck: reached } = modelApp
  let app: TestApp
  let setId: string
  let redis: Redis
  before(async () => {
    await modelApp.start()
    ;({ app, setId } = modelApp)
    redis = new Redis(app.config.REDIS_URL!)
  })
  beforeEach(() => modelApp.reset())
  after(async () => {
    await redis.quit()
    await modelApp.stop()
  })

  const endRest = () => redis.del(`${app.config.QUEUE_PREFIX}:model-rate:rest`)
  /** Waits until a check is queued for another attempt, and returns its error and pause in seconds. */
  const waits = (id: string) =>
    waitUntil('it waits for another attempt', async () => {
      const { rows } = await app.db.query(
        `SELECT last_error AS error, extract(epoch FROM next_attempt_at - now())::float AS pause, attempts
           FROM analyses WHERE recording_id = $1 AND status = 'QUEUED' AND attempts > 0`,
        [id],
      )
      return rows[0] as { error: string; pause: number; attempts: number } | undefined
    })

  for (const [status, headers, from, to] of [
    [429, { 'Retry-After': '7' }, 5, 10],
    [503, {}, 25, 40],
    [408, { 'x-ratelimit-reset-tokens': '2m' }, 110, 155],
    // A pause has at most 3600 s: the repair after a clock shift would make a later job due at once.
    [503, { 'Retry-After': '3600' }, 3500, 3600],
  ] as const) {
    it(`a model status ${status} is retried after ${from} to ${to} s`, async () => {
      model.responder = (_, response) => sendModelError(response, status, headers)
      const id = await ask()
      const { error, pause } = await waits(id)
      expect(error).to.equal(`The model responded with status ${status}`)
      expect(pause).to.be.within(from, to)
      expect((await ledger(id))[0]).to.include({ state: 'failed', statusCode: status })
      const tried = await app.olga.post(`/v1/rule-sets/${setId}/draft/try`, { recordingId: id, rules: MANNERS_RULES })
      expect(tried.status, 'a person who tries a draft is told').to.equal(409)
      expect(tried.json.message).to.match(
        status === 429 ? /^The model’s rate limit has been reached/ : /^The model responded with/,
      )
      await endRest()
      model.responder = (_, response) => sendCriterionAnswers(response, CORRECT_CRITERION_ANSWERS)
      await app.db.query('UPDATE analyses SET next_attempt_at = now() WHERE recording_id = $1', [id])
      await reached(id, 'done')
      const checks = (await ledger(id)).filter(({ purpose }: { purpose: string }) => purpose === 'check')
      expect(checks.map(({ attempt }: { attempt: number }) => attempt)).to.deep.equal([1, 2])
    })
  }

  it('a check retries model timeouts and broken connections, and fails after five attempts', async () => {
    model.responder = () => undefined // never responds
    const slow = await ask()
    expect((await waits(slow)).error).to.match(/^The model did not respond/)
    await app.db.query('DELETE FROM analyses WHERE recording_id = $1', [slow])
    model.responder = (_, response) => response.destroy()
    const id = await ask()
    await waits(id)
    await app.db.query('UPDATE analyses SET attempts = 4, next_attempt_at = now() WHERE recording_id = $1', [id])
    expect((await reached(id, 'failed')).reason).to.match(/^The model did not respond/)
  })

  for (const [status, end] of [
    ['failed', 'UPDATE analyses SET attempts = 4, next_attempt_at = now() WHERE recording_id = $1'],
    [
      'skipped',
      `WITH gone AS (DELETE FROM transcripts WHERE recording_id = $1)
       UPDATE analyses SET next_attempt_at = now() WHERE recording_id = $1`,
    ],
  ] as const) {
    it(`a check that is ${status} deletes its cached model replies`, async () => {
      const kept = async () => (await app.db.query('SELECT FROM model_replies')).rows.length
      // The model answers one rule of the first request, then fails on the request for the others.
      model.responder = ({ criteria }, response) =>
        criteria.length > 1
          ? sendCriterionAnswers(response, CORRECT_CRITERION_ANSWERS.slice(1))
          : sendModelError(response, 503)
      const id = await ask()
      await waits(id)
      expect(await kept()).to.equal(1)
      await app.db.query(end, [id])
      await reached(id, status)
      expect(await kept()).to.equal(0)
    })
  }

  for (const status of [401, 403, 404]) {
    it(`a model status ${status} pauses the queue with a reason, and the check stays queued`, async () => {
      model.responder = (_, response) => sendModelError(response, status)
      const id = await ask()
      const provider = await waitUntil('the queue is paused', async () => {
        const { json } = await app.olga.get('/v1/analysis/provider')
        return json.state === 'paused' && json
      })
      expect(provider.reason).to.match(/ANALYSIS_/)
      expect(JSON.stringify(provider)).not.to.contain('secret of the model')
      await waitUntil('the attempt does not count', async () => {
        const { rows } = await app.db.query(
          `SELECT FROM analyses WHERE recording_id = $1 AND status = 'QUEUED' AND attempts = 0`,
          [id],
        )
        return rows.length === 1
      })
      await app.db.query('DELETE FROM analyses WHERE recording_id = $1', [id])
      await app.restart()
    })
  }

  it('a model that rejects ANALYSIS_EXTRA_BODY gets requests without it, and owners see a warning', async () => {
    model.responder = (question, response) =>
      question.body.chat_template_kwargs
        ? sendModelError(response, 400, {}, '{"error":"Unrecognized request argument: chat_template_kwargs"}')
        : sendCriterionAnswers(response, CORRECT_CRITERION_ANSWERS)
    await reached(await ask(), 'done')
    await reached(await ask(), 'done')
    expect(model.requests.map(({ body }) => 'chat_template_kwargs' in body)).to.deep.equal([true, false, false])
    expect((await app.olga.get('/v1/analysis/provider')).json.warning).to.contain('ANALYSIS_EXTRA_BODY')
  })
})
