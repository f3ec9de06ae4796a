import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { TestMailServer } from '../../test/mail-server.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { planEmails } from './plan.ts'

describe('e-mails about notifications', () => {
  const mail = new TestMailServer()
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    await mail.start()
    app = await startTestApp({ ...MAIL_CONFIG, SMTP_URL: mail.url('', FAST) })
    cast = await createTestPeople(app)
  })
  after(async () => {
    await app.stop()
    await mail.stop()
  })
  beforeEach(async () => {
    await app.db.query('TRUNCATE notifications, notification_settings, notification_emails')
    await app.db.query('DELETE FROM paused_queues')
    mail.received.length = 0
    for (const stage of Object.keys(mail.faults)) delete mail.faults[stage as keyof typeof mail.faults]
    await choose('immediate')
  })

  const choose = async (email: string, person = cast.max) => {
    const { json } = await person.get('/v1/notifications/settings')
    return (await person.put('/v1/notifications/settings', { kinds: json.kinds, email })).json
  }
  const createCall = async (manager = 'Max') => (await insertCalls(app, [{ manager }]))[0]!
  const comment = (id: string, text = 'Well said') => cast.hanna.post(`/v1/recordings/${id}/comments`, { at: 1, text })
  const makeDue = () => app.db.query(`UPDATE notification_emails SET next_attempt_at = now() WHERE status = 'QUEUED'`)
  const statuses = async (): Promise<string[]> =>
    (await app.db.query('SELECT status FROM notification_emails ORDER BY created_at, id')).rows.map(
      ({ status }) => status,
    )
  /** Runs the e-mails that wait, and waits until none is left. @returns their statuses */
  const sendWaiting = async () => {
    await makeDue()
    await waitUntil('none is left', async () => !(await statuses()).some((status) => /QUEUED|PROCESSING/.test(status)))
    return statuses()
  }
  const firstJob = async () =>
    (await app.db.query('SELECT * FROM notification_emails ORDER BY created_at, id LIMIT 1')).rows[0]
  const waitForError = (pattern: RegExp) =>
    waitUntil(`the error ${pattern}`, async () => pattern.test((await firstJob())?.last_error ?? ''))

  it('are off by default, and older clients leave the choice unchanged', async () => {
    const { json } = await cast.otto.get('/v1/notifications/settings')
    expect(json).to.deep.include({ email: 'none', emailAvailable: true })
    await choose('daily', cast.otto)
    const after = await cast.otto.put('/v1/notifications/settings', { kinds: json.kinds })
    expect(after.json.email).to.equal('daily')
    expect((await cast.otto.put('/v1/notifications/settings', { kinds: json.kinds, email: 'hourly' })).status).to.equal(
      400,
    )
  })

  it('have counts and links in the language of the person, and no data of calls or people', async () => {
    const id = await createCall()
    await comment(id, 'A secret text')
    await cast.hanna.post(`/v1/recordings/${id}/comments`, { at: 2, text: 'Another', mentions: [cast.max.id] })
    await sendWaiting()
    expect(mail.received.map(({ from, to }) => ({ from, to }))).to.deep.equal([
      { from: 'calls@example.com', to: ['max@example.com'] },
    ])
    const { text } = mail.received[0]!
    for (const part of [
      'Subject: New notifications: 2',
      'Comments: 1',
      'Mentions: 1',
      'https://calls.example.com/panel/notifications',
    ])
      expect(text).to.include(part)
    for (const part of ['secret', 'Another', 'Hanna', 'Novik', id, '+375']) expect(text).to.not.include(part)
    await app.olga.patch(`/v1/people/${cast.max.id}`, { language: 'ru' })
    await comment(id)
    await sendWaiting()
    await app.olga.patch(`/v1/people/${cast.max.id}`, { language: null })
    expect(mail.received[1]!.text).to.include('Новых уведомлений: 1').and.include('Комментарии: 1')
  })

  it('events within a minute share one e-mail', async () => {
    const [first, second] = [await createCall(), await createCall()]
    for (const id of [first, second, first]) await comment(id)
    expect(await statuses()).to.deep.equal(['QUEUED', 'QUEUED', 'QUEUED'])
    await app.db.query(
      `UPDATE notification_emails SET next_attempt_at = now() WHERE id = (SELECT min(id::text)::uuid FROM notification_emails)`,
    )
    await waitUntil('it is sent', () => mail.received.length > 0)
    await waitUntil('all have ended', async () => !(await statuses()).includes('PROCESSING'))
    expect(await statuses()).to.deep.equal(['SENT', 'MERGED', 'MERGED'])
    expect(mail.received[0]!.text).to.include('New notifications: 3')
  })

  it('omit what was read, deleted or moved before, and are then not sent', async () => {
    const [read, deleted, moved] = [await createCall(), await createCall(), await createCall()]
    for (const id of [read, deleted, moved]) await comment(id)
    await cast.max.post('/v1/notifications/read', { recordingId: read })
    await app.olga.delete(`/v1/recordings/${deleted}`)
    await app.db.query(`UPDATE recordings SET manager_name = 'Otto' WHERE id = $1`, [moved])
    expect(await sendWaiting()).to.have.members(['CANCELLED', 'MERGED', 'MERGED'])
    expect(mail.received).to.deep.equal([])
  })

  it('are not sent to people who are deactivated or turned them off', async () => {
    await choose('immediate', cast.otto)
    await comment(await createCall('Max'))
    await app.olga.post(`/v1/recordings/${await createCall('Otto')}/comments`, { at: 1, text: 'Hm' })
    await app.db.query('UPDATE people SET active = false WHERE id = $1', [cast.otto.id])
    await choose('none')
    expect(await sendWaiting()).to.deep.equal(['CANCELLED', 'CANCELLED'])
    await app.db.query('UPDATE people SET active = true WHERE id = $1', [cast.otto.id])
    expect(mail.received).to.deep.equal([])
  })

  it('daily e-mails have what was unread at the hour of the day, once', async () => {
    await choose('daily')
    const ids = [await createCall(), await createCall(), await createCall()]
    for (const id of ids) await comment(id)
    const core = { pool: app.db, config: app.config, notify: () => undefined } as never
    await planEmails(core)
    expect(await statuses(), 'today’s are for tomorrow').to.deep.equal([])
    const setAge = (id: string, age: string) =>
      app.db.query(`UPDATE notifications SET created_at = now() - $2::interval WHERE recording_id = $1`, [id, age])
    await setAge(ids[0]!, '25 hours')
    await setAge(ids[1]!, '25 hours')
    await setAge(ids[2]!, '80 hours')
    await cast.max.post('/v1/notifications/read', { recordingId: ids[1] })
    await Promise.all(Array.from({ length: 4 }, () => planEmails(core)))
    await planEmails(core)
    expect(await sendWaiting()).to.deep.equal(['SENT'])
    expect(mail.received.map(({ text }) => /New notifications: \d+/.exec(text)![0])).to.deep.equal([
      'New notifications: 1',
    ])
    await app.db.query(`UPDATE notification_emails SET day = day - 1`)
    await planEmails(core)
    expect((await statuses()).length, 'the next day').to.equal(1)
  })

  it('a temporary rejection is retried, with the same message id', async () => {
    mail.faults.text = 451
    await comment(await createCall())
    await makeDue()
    await waitForError(/rejected the e-mail \(451\)/)
    expect(await firstJob()).to.include({ status: 'QUEUED', attempts: 1, possibly_sent: false })
    delete mail.faults.text
    expect(await sendWaiting()).to.deep.equal(['SENT'])
    expect(mail.received[0]!.messageId).to.equal(`<${(await firstJob()).id}@calls.example.com>`)
  })

  it('a permanent rejection fails with the status of the server, and owners see it', async () => {
    mail.faults.recipient = 550
    await comment(await createCall())
    expect(await sendWaiting()).to.deep.equal(['FAILED'])
    expect((await firstJob()).last_error).to.equal('the mail server rejected the e-mail (550)')
    const { email } = (await app.olga.get('/v1/system')).json
    expect(email).to.deep.include({ on: true })
    expect(email.lastFailure.reason).to.include('550')
    delete mail.faults.recipient
    await app.olga.post('/v1/queues/notifications/retry-failed')
    expect(await sendWaiting()).to.deep.equal(['SENT'])
  })

  for (const fault of ['drop', 'silent'] as const) {
    it(`after a lost response (${fault}), the e-mail is marked as possibly sent and never sent again`, async () => {
      mail.faults.text = fault
      await comment(await createCall())
      expect(await sendWaiting()).to.deep.equal(['FAILED'])
      expect((await firstJob()).last_error).to.match(/^possibly sent/)
      delete mail.faults.text
      const { json } = await app.olga.post('/v1/queues/notifications/retry-failed')
      expect([json.retried, mail.received.length]).to.deep.equal([0, 1])
      const jobs = (await app.olga.get('/v1/queues/notifications/jobs?state=failed')).json
      expect(jobs.items[0].lastError).to.match(/^possibly sent/)
    })
  }

  it('a server that is silent or breaks the connection before the text gets the e-mail later', async () => {
    await comment(await createCall())
    for (const [stage, fault] of [
      ['connect', 'silent'],
      ['connect', 'drop'],
      ['recipient', 'silent'],
      ['recipient', 'drop'],
    ] as const) {
      mail.faults[stage] = fault
      await app.db.query(`UPDATE notification_emails SET last_error = NULL, attempts = 0`)
      await makeDue()
      await waitForError(/connection to the mail server failed/)
      delete mail.faults[stage]
    }
    expect(await sendWaiting()).to.deep.equal(['SENT'])
    expect(mail.received.length).to.equal(1)
  })

  it('without a mail server, e-mails are cancelled, and the settings show that there are none', async () => {
    await app.restart({ SMTP_URL: undefined })
    await comment(await createCall())
    expect((await choose('immediate')).emailAvailable).to.equal(false)
    expect((await app.olga.get('/v1/system')).json.email.on).to.equal(false)
    await planEmails({ pool: app.db, config: app.config } as never)
    expect(await statuses()).to.deep.equal(['CANCELLED'])
    await app.restart({ SMTP_URL: mail.url('', FAST) })
  })
})

const MAIL_CONFIG = { SMTP_FROM: 'calls@example.com', PUBLIC_BASE_URL: 'https://calls.example.com/panel/' }
/** Shortens the limits of a silent connection, as an operator can. */
const FAST = '?greetingTimeout=300&socketTimeout=300'

describe('mail servers with TLS and a login', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ ...MAIL_CONFIG, SMTP_URL: 'smtp://127.0.0.1:9' })
    const cast = await createTestPeople(app)
    const { json } = await cast.max.get('/v1/notifications/settings')
    await cast.max.put('/v1/notifications/settings', { kinds: json.kinds, email: 'immediate' })
    const [id] = await insertCalls(app, [{ manager: 'Max' }])
    await cast.hanna.post(`/v1/recordings/${id}/comments`, { at: 1, text: 'Well said' })
  })
  after(() => app.stop())

  const SERVERS = {
    smtps: () => new TestMailServer({ secure: true, authOptional: false }),
    starttls: () => new TestMailServer({ hideSTARTTLS: false, authOptional: false }),
    plain: () => new TestMailServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
  }
  const LOGIN = 'user:p%40ss@'

  /** Sends the one e-mail to a server. @returns its error, or undefined if it was sent */
  async function send(kind: keyof typeof SERVERS, query = '', faults: TestMailServer['faults'] = {}) {
    const server = await SERVERS[kind]().start()
    Object.assign(server.faults, faults)
    await app.restart({ SMTP_URL: server.url(LOGIN, query) })
    await app.db.query(`UPDATE notification_emails SET status = 'QUEUED', next_attempt_at = now(), attempts = 0,
                               last_error = NULL, possibly_sent = false`)
    const { status, last_error: error } = await waitUntil('it was tried', async () => {
      const { rows } = await app.db.query('SELECT * FROM notification_emails')
      return (rows[0].status === 'SENT' || rows[0].last_error !== null) && rows[0]
    })
    const pause = (await app.olga.get('/v1/queues')).json.find(
      ({ name }: { name: string }) => name === 'notifications',
    ).pause
    await server.stop()
    const { passwords, received } = server
    return { status, error, pause, passwords, received: received.length }
  }

  it('gets e-mails over TLS with a password', async () => {
    for (const kind of ['smtps', 'starttls'] as const) {
      const result = await send(kind, '?tls.rejectUnauthorized=false')
      expect(result, kind).to.deep.include({ status: 'SENT', passwords: ['p@ss'], received: 1 })
    }
  })

  it('gets neither e-mail nor password if its certificate is not trusted', async () => {
    for (const kind of ['smtps', 'starttls'] as const) {
      const { status, passwords, received } = await send(kind)
      expect({ status, passwords, received }, kind).to.deep.equal({ status: 'QUEUED', passwords: [], received: 0 })
    }
  })

  it('gets no password without TLS, unless the operator allows it', async () => {
    expect(await send('plain')).to.deep.include({ passwords: [], received: 0 })
    expect(await send('plain', '?requireTLS=false')).to.deep.include({ passwords: ['p@ss'], received: 1 })
  })

  it('a rejected login pauses the queue until the configuration changes', async () => {
    const { error, pause } = await send('smtps', '?tls.rejectUnauthorized=false', { login: 535 })
    expect(error).to.equal('the mail server rejected the login or the sender (535); check SMTP_URL and SMTP_FROM')
    expect(pause.reason).to.equal(error)
    expect((await app.olga.get('/v1/system')).json.email.lastFailure.reason).to.equal(error)
    expect(await send('smtps', '?tls.rejectUnauthorized=false')).to.deep.include({ status: 'SENT', pause: null })
  })
})
