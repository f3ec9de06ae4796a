import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { TestClient } from '../../test/client.ts'
import { TestMailServer } from '../../test/mail-server.ts'
import { createLoggedInPerson, createTestPeople, type TestPeople } from '../../test/people.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

const KILL_COUNT = chooseRepeatCount(3, 50)
/** Each of these e-mails is lost on its way back: the server has it, but the response does not arrive. */
const LOST_RESPONSES_EVERY = 10

describe('e-mails of killed processes', () => {
  const mail = new TestMailServer()
  let app: TestApp
  let cast: TestPeople
  let mentions: string[]
  let calls: string[]
  before(async () => {
    await mail.start()
    mail.latencyMs = 50 // so that many kills hit a text without a response
    app = await startTestApp({
      API_RUN_MODE: 'api',
      SMTP_URL: mail.url(),
      SMTP_FROM: 'calls@example.com',
      PUBLIC_BASE_URL: 'https://calls.example.com',
    })
    cast = await createTestPeople(app)
    const names = ['Ada', 'Ben', 'Cleo', 'Dora', 'Emil']
    const people = await Promise.all(names.map((name) => createLoggedInPerson(app, name, { role: 'owner' })))
    for (const person of people) {
      const { json } = await person.get('/v1/notifications/settings')
      await person.put('/v1/notifications/settings', { kinds: json.kinds, email: 'immediate' })
    }
    mentions = people.map(({ id }) => id)
    calls = await insertCalls(app, [{ manager: 'Max' }, { manager: 'Max' }])
  })
  after(async () => {
    await app.stop()
    await mail.stop()
  })

  const query = async (text: string) => (await app.db.query(text)).rows
  const makeDue = () => query(`UPDATE notification_emails SET next_attempt_at = now() WHERE status = 'QUEUED'`)

  /** Writes comments through a process until it is killed. A request of a killed process can be lost. */
  async function writeComments(process: ServiceProcess, port: number): Promise<void> {
    const client = new TestClient(() => `http://127.0.0.1:${port}`, cast.hanna.headers)
    for (let n = 0; !process.exit; n++) {
      const path = `/v1/recordings/${calls[n % calls.length]}/comments`
      await client.post(path, { at: 1, text: `Comment ${n}`, mentions }).catch(() => undefined)
      await makeDue()
    }
  }

  async function runAndKill(): Promise<void> {
    const process = new ServiceProcess('api', { ...app.config, API_RUN_MODE: 'all', LOG_LEVEL: 'info' })
    const port = await process.waitUntilReady()
    const writing = [writeComments(process, port), writeComments(process, port)]
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 2500))
    process.kill('SIGKILL')
    await process.waitForExit()
    await Promise.all(writing)
    await query(`UPDATE notification_emails SET lease_until = now() - interval '1 s' WHERE status = 'PROCESSING'`)
  }

  it(`${KILL_COUNT} kills at random moments: each notification exists once, and no e-mail is sent twice`, async () => {
    for (let kill = 0; kill < KILL_COUNT; kill++) {
      mail.faults.text = kill % LOST_RESPONSES_EVERY === 1 ? 'drop' : undefined
      await runAndKill()
    }
    delete mail.faults.text
    const worker = new ServiceProcess('api', { ...app.config, API_RUN_MODE: 'worker', LOG_LEVEL: 'info' })
    await waitUntil('all are sent', async () => {
      await makeDue()
      return (await query(`SELECT FROM notification_emails WHERE status IN ('QUEUED', 'PROCESSING')`)).length === 0
    })
    await worker.stop()

    const [{ comments, notifications, emailed }] = await query(`
      SELECT (SELECT count(*)::int FROM call_comments) AS comments, count(*)::int AS notifications,
             count(email_id)::int AS emailed
        FROM notifications WHERE kind = 'mention'`)
    expect([notifications, emailed]).to.deep.equal([comments * mentions.length, comments * mentions.length])

    const emails = await query(`
      SELECT e.id, e.status, e.possibly_sent AS "possiblySent", count(n.id)::int AS count
        FROM notification_emails e
        LEFT JOIN notification_emails m ON m.id = e.id OR m.merged_into = e.id LEFT JOIN notifications n ON n.email_id = m.id
       WHERE e.status <> 'MERGED' GROUP BY e.id`)
    expect(
      emails.reduce((sum, { count }) => sum + count, 0),
      'each notification is in one e-mail',
    ).to.equal(notifications)
    const received = mail.received.map(({ messageId }) => messageId.slice(1).split('@')[0]!)
    expect(new Set(received).size, 'no e-mail arrives twice').to.equal(received.length)
    for (const { id, status, possiblySent, count } of emails) {
      expect(status === 'SENT' || (status === 'FAILED' && possiblySent), `${status} ${possiblySent}`).to.equal(true)
      const email = mail.received[received.indexOf(id)]
      if (status === 'SENT') expect(email, 'a sent e-mail arrives').to.be.an('object')
      if (email) expect(email.text).to.include(`New notifications: ${count}`)
    }
  }).timeout(KILL_COUNT * 20_000 + 120_000)
})
