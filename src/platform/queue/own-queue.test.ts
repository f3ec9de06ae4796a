import { expect } from 'chai'
import { PanelBrowser, startTestPanel, type TestPanel } from '../../test/panel.ts'
import { BACKGROUND_QUEUES } from '../../app/queues.ts'
import { defineMessages } from '../lib/messages.ts'
import { waitUntil } from '../../test/wait.ts'
import { endJob } from './claims.ts'
import { JobFailedError, JobNotReadyError, type Job, type Queue } from './queue.ts'
import { filterListedQueues } from '../../calls/jobs/service.ts'

const TABLE = `
  CREATE TABLE letters (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    status text NOT NULL DEFAULT 'QUEUED',
    priority smallint NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    attempt_token uuid,
    lease_until timestamptz,
    last_error text,
    message_json jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    pages integer
  )`

const testMessages = defineMessages('letters', {
  workerDied: { en: 'The postman died', ru: 'Почтальон умер' },
  broken: { en: 'The letter was lost', ru: 'Письмо потеряно' },
  nobodyHome: { en: 'Nobody at home', ru: 'Никого нет дома' },
  noAddress: { en: 'No such address', ru: 'Нет такого адреса' },
  rain: { en: 'It rains', ru: 'Дождь' },
})

describe('declared queue', () => {
  /** Replaces the sending of a letter in a test; succeeds by default. */
  let send: (job: Job) => Promise<void> = async () => undefined
  /** Completes the sending of a waiting letter. */
  let finish = (): void => undefined
  let looks = 0
  const letters: Queue<string> = {
    name: 'letters',
    table: 'letters',
    order: 'priority DESC, created_at, id',
    progressColumns: ['pages'],
    concurrency: () => 1,
    attempts: () => 2,
    firstPauseSeconds: () => 1800,
    leaseSeconds: 6,
    messages: { workerDied: testMessages.workerDied(), broken: testMessages.broken() },
    async isReady() {
      looks++
      return true
    },
    async run(_, job) {
      await send(job)
      return 'SENT'
    },
    store: async (core, claim, status) => ((await endJob(core.pool, claim, status)) ? 'done' : 'lost'),
  }

  let app: TestPanel
  /** This client does not check responses against the API description, which does not contain the test queue. */
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({}, { queues: [...BACKGROUND_QUEUES, letters], prepare: TABLE })
    olga = new PanelBrowser(() => app.url, app.olga.headers)
  })
  after(() => app.stop())
  afterEach(async () => {
    finish()
    send = async () => undefined
    await app.db.query('DELETE FROM letters')
    await app.db.query('DELETE FROM paused_queues')
  })

  const insertLetter = async (columns: Record<string, unknown> = {}): Promise<string> => {
    const names = Object.keys({ status: '', ...columns })
    const values = names.map((name) => columns[name] ?? 'QUEUED')
    const text = `INSERT INTO letters (${names.join()}) VALUES (${names.map((_, n) => `$${n + 1}`).join()}) RETURNING id`
    return (await app.db.query(text, values)).rows[0].id
  }
  const loadRow = async (id: string) => (await app.db.query('SELECT * FROM letters WHERE id = $1', [id])).rows[0]
  const waitForStatus = (id: string, status: string, attempts: number) =>
    waitUntil(`${status} after ${attempts}`, async () => {
      const letter = await loadRow(id)
      return letter.status === status && letter.attempts === attempts && letter
    })
  const described = async () =>
    (await olga.get('/v1/queues')).json.find(({ name }: { name: string }) => name === 'letters')
  const waitForSeveralPolls = () => {
    const looksBefore = looks
    return waitUntil('workers have looked several times', () => looks >= looksBefore + 3)
  }

  it('workers claim, run and store the jobs of a declared queue', async () => {
    const letter = await waitForStatus(await insertLetter(), 'SENT', 1)
    expect(letter).to.include({ attempt_token: null, lease_until: null, last_error: null })
    expect(letter.finished_at).to.be.a('date')
  })

  it('a worker renews the lease of a running job and stores its progress', async () => {
    send = async (job) => {
      job.report({ pages: 3 })
      await new Promise<void>((resolve) => (finish = resolve))
    }
    const id = await insertLetter()
    const running = await waitUntil('the lease was renewed', async () => {
      const { rows } = await app.db.query(
        `SELECT pages, status FROM letters WHERE id = $1 AND lease_until > started_at + interval '9 s'`,
        [id],
      )
      return rows[0]
    })
    expect(running).to.deep.equal({ pages: 3, status: 'PROCESSING' })
    finish()
    await waitForStatus(id, 'SENT', 1)
  })

  it('a running job is aborted when its claim is lost, and stores nothing', async () => {
    let reason: unknown
    send = (job) =>
      new Promise((_, reject) => job.signal.addEventListener('abort', () => reject((reason = job.signal.reason))))
    const id = await insertLetter()
    await waitForStatus(id, 'PROCESSING', 1)
    await app.db.query(`UPDATE letters SET status = 'CANCELLED', attempt_token = NULL WHERE id = $1`, [id])
    await waitUntil('the job was told', () => reason)
    send = async () => undefined
    await waitForStatus(await insertLetter(), 'SENT', 1)
    expect(await loadRow(id)).to.include({ status: 'CANCELLED', last_error: null })
  })

  it('a job is retried after a pause until its last attempt or a permanent failure', async () => {
    send = () => Promise.reject(new JobFailedError(testMessages.nobodyHome()))
    const id = await insertLetter()
    const waiting = await waitForStatus(id, 'QUEUED', 1)
    expect(waiting.last_error).to.equal('Nobody at home')
    expect(waiting.next_attempt_at.getTime() - Date.now()).to.be.within(1700_000, 1900_000)
    await app.db.query('UPDATE letters SET next_attempt_at = now()')
    await waitForStatus(id, 'FAILED', 2)
    send = () => Promise.reject(new JobFailedError(testMessages.noAddress(), true))
    expect((await waitForStatus(await insertLetter(), 'FAILED', 1)).last_error).to.equal('No such address')
    send = () => Promise.reject(new TypeError('x is not a function'))
    expect((await waitForStatus(await insertLetter(), 'QUEUED', 1)).last_error, 'in words for people').to.equal(
      'The letter was lost',
    )
  })

  it('a job waits without counting the attempt while its dependency is down', async () => {
    let refused = 0
    send = async () => {
      if (refused++ === 0) throw new JobNotReadyError(testMessages.rain())
    }
    const id = await insertLetter()
    await waitUntil('it was refused', () => refused === 1)
    expect(await waitForStatus(id, 'SENT', 1)).to.include({ last_error: null })
    expect(refused).to.equal(2)
  })

  it('a job can delay itself, and its row stores the reason', async () => {
    send = () => Promise.reject(new JobNotReadyError(testMessages.rain(), 0, 1800))
    const id = await insertLetter()
    const waiting = await waitUntil('it waits', async () => {
      const letter = await loadRow(id)
      return letter.last_error !== null && letter
    })
    expect(waiting).to.include({ status: 'QUEUED', attempts: 0, last_error: 'It rains' })
    expect(waiting.next_attempt_at.getTime() - Date.now()).to.be.within(1700_000, 1900_000)
  })

  it('the schedule requeues the job of a dead worker', async () => {
    const columns = { status: 'PROCESSING', attempts: 1, attempt_token: crypto.randomUUID(), started_at: new Date() }
    const id = await insertLetter({ ...columns, lease_until: new Date(0) })
    expect((await waitForStatus(id, 'QUEUED', 1)).last_error).to.equal('The postman died')
  })

  it('an owner can pause and resume a declared queue', async () => {
    expect((await olga.post('/v1/queues/letters/pause')).json).to.include({ name: 'letters', paused: true })
    const id = await insertLetter()
    await waitForSeveralPolls()
    expect(await loadRow(id)).to.include({ status: 'QUEUED', attempts: 0 })
    await olga.post('/v1/queues/letters/resume')
    await waitForStatus(id, 'SENT', 1)
  })

  it('the API lists a declared queue and can retry its failed jobs', async () => {
    await olga.post('/v1/queues/letters/pause')
    const failed = await insertLetter({ status: 'FAILED', attempts: 2, last_error: 'Nobody at home' })
    await insertLetter({ next_attempt_at: new Date(Date.now() + 60_000) })
    const { pause, ...counts } = await described()
    expect(pause).to.include({ reason: null, retryAt: null })
    expect(counts).to.deep.equal({
      name: 'letters',
      waiting: 0,
      delayed: 1,
      active: 0,
      failed: 1,
      paused: true,
    })
    for (const parameters of ['', '&calls=true']) {
      const { json } = await olga.get(`/v1/queues/letters/jobs?state=failed${parameters}`)
      expect(json.total).to.equal(1)
      expect(json.items[0]).to.include({ id: failed, recordingId: null, attempts: 2, lastError: 'Nobody at home' })
    }
    const { paths } = (await olga.get('/docs-json')).json
    const [name] = paths['/v1/queues/{name}/jobs'].get.parameters
    expect(name.schema.enum).to.deep.equal([
      ...filterListedQueues(BACKGROUND_QUEUES).map((queue) => queue.name),
      'letters',
    ])
    expect((await olga.post('/v1/queues/letters/retry-failed')).json).to.deep.equal({ retried: 1 })
    expect(await loadRow(failed)).to.include({ status: 'QUEUED', attempts: 0, last_error: null })
  })

  it('the panel shows a declared queue with its failed jobs', async () => {
    const id = await insertLetter({ status: 'FAILED', attempts: 2, last_error: 'Nobody at home' })
    const { status, text } = await (await app.openOwnerBrowser()).open('/queues/letters')
    expect(status).to.equal(200)
    expect(text).to.match(/href="\/queues\/letters" aria-current="page">letters/)
    expect(text).to.contain(`id="j-${id}"`).and.contain('Retry failed (1)')
    expect(text).not.to.contain('/recordings/null')
  })

  it('the metrics include a declared queue', async () => {
    await waitForStatus(await insertLetter(), 'SENT', 1)
    await insertLetter({ status: 'FAILED', attempts: 2 })
    const expected = [
      /^svc_queue_jobs\{queue="letters",state="failed"\} 1$/m,
      /^svc_queue_paused\{queue="letters"\} 0$/m,
      /^svc_queue_oldest_due_seconds\{queue="letters"\} 0$/m,
      /^svc_attempt_duration_seconds_count\{queue="letters",outcome="done"\} [1-9]/m,
    ]
    await waitUntil('all of it is told', async () => {
      const text = await (await fetch(app.metricsUrl)).text()
      return expected.every((line) => line.test(text))
    })
  })
})
