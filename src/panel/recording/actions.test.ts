import { expect } from 'chai'
import { createDoneCall } from '../../test/done-call.ts'
import { replaceTranscript } from '../../test/transcripts.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: actions on a call', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ TRANSCRIPTION_CONCURRENCY: 1 })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())
  afterEach(async () => {
    app.recognizer.answer = undefined
    await app.db.query('DELETE FROM recordings') // deleted first, so that no queued call starts when the others end
    for (const held of app.recognizer.pending.splice(0)) held.finish()
  })

  it('the panel streams the audio of a call with ranges, HEAD and conditional requests', async () => {
    const id = await createDoneCall(app)
    const path = `/recordings/${id}/audio`
    const fullPage = await olga.open(path)
    expect([fullPage.status, fullPage.text]).to.deep.equal([200, 'some sound'])
    expect(fullPage.headers.get('accept-ranges')).to.equal('bytes')
    expect(fullPage.headers.get('content-type')).to.equal('audio/wav')
    expect(fullPage.headers.get('content-length')).to.equal('10')
    const etag = fullPage.headers.get('etag')!
    const part = await olga.open(path, { Range: 'bytes=5-', 'If-Range': etag })
    expect([part.status, part.text]).to.deep.equal([206, 'sound'])
    expect(part.headers.get('content-range')).to.equal('bytes 5-9/10')
    expect((await olga.open(path, { Range: 'bytes=5-', 'If-Range': '"other"' })).status).to.equal(200)
    expect((await olga.open(path, { 'If-None-Match': etag })).status).to.equal(304)
    const outside = await olga.open(path, { Range: 'bytes=99-' })
    expect([outside.status, outside.headers.get('content-range')]).to.deep.equal([416, 'bytes */10'])
    const head = await olga.send(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), head.text]).to.deep.equal([200, '10', ''])
  })

  it('downloads are named by time and phone number, and transcripts name the speakers', async () => {
    const phone = { phoneNumber: '+375 (29) 123', callStartedAt: '2026-03-01T20:32:00Z' }
    const id = await createDoneCall(app, phone)
    const readDownloadName = (headers: Headers) => decodeURIComponent(headers.get('content-disposition')!)
    for (const [format, content] of Object.entries({
      txt: '00:01:02 Client: Hello.\n',
      srt: 'Client: Hello.',
      vtt: '<v Client>Hello.',
      json: '"segments"',
    })) {
      const { status, headers, text } = await olga.open(`/recordings/${id}/transcript.${format}`)
      expect(status, format).to.equal(200)
      // 20:32 UTC is 23:32 in APP_TIMEZONE.
      expect(readDownloadName(headers)).to.equal(`attachment; filename*=UTF-8''2026-03-01_2332_+37529123.${format}`)
      expect(text, format).to.contain(content)
    }
    expect((await olga.open(`/recordings/${id}/transcript.txt`, { 'Accept-Language': 'ru' })).text).to.contain(
      'Клиент: ',
    )
    const sound = await olga.open(`/recordings/${id}/audio?download`)
    expect([readDownloadName(sound.headers), sound.text]).to.deep.equal([
      `attachment; filename*=UTF-8''2026-03-01_2332_+37529123.wav`,
      'some sound',
    ])
    const unknown = await createDoneCall(app, { callStartedAt: '2026-03-01T20:32:00Z' })
    expect(readDownloadName((await olga.open(`/recordings/${unknown}/transcript.txt`)).headers)).to.contain(
      `_2332_${unknown}.txt`,
    )
    expect((await olga.open(`/recordings/${id}/transcript.exe`)).status).to.equal(404)
    const waiting = await app.submitCall('PROCESSING')
    const early = await olga.open(`/recordings/${waiting}/transcript.txt`)
    expect(early.status).to.equal(409)
    expect(early.headers.get('content-type')).to.contain('text/html')
  })

  it('a person can swap Agent and Client of a call and search one side only', async () => {
    const id = await createDoneCall(app)
    await replaceTranscript(app, id, [
      { start: 0, end: 1, channel: 0, text: 'Order one' },
      { start: 1, end: 2, channel: 1, text: 'Order two' },
    ])
    const page = await olga.open(`/recordings/${id}?q=order&side=client`)
    expect(page.text).to.match(/c0">Agent<.*Order one.*c1">Client<.*<mark data-match="1"[^>]*>Order<\/mark> two/s)
    expect(page.text).not.to.match(/<mark[^>]*>Order<\/mark> one/)
    expect(page.text).to.contain('>1 match</p>').and.contain('<option value="client" selected>')
    const [, agentChannel] = /name="agentChannel" value="(\d)"/.exec(page.text)!
    for (const _ of ['once', 'and the same once more']) {
      const swapped = await olga.submit(`/recordings/${id}/speakers`, { agentChannel: agentChannel! })
      expect([swapped.status, swapped.headers.get('location')]).to.deep.equal([303, `/recordings/${id}`])
    }
    const after = await olga.open(`/recordings/${id}?q=order&side=client`)
    expect(after.text).to.match(/c0">Client<.*<mark data-match="1"[^>]*>Order<\/mark> one.*c1">Agent</s)
  })

  it('a person can retry a failed callback from the page of its call', async () => {
    const id = await createDoneCall(app)
    await app.db.query(
      `WITH delivery AS (
         INSERT INTO deliveries (id, recording_id, event, url, host, body, status)
         VALUES (gen_random_uuid(), $1, 'recording.done', 'http://127.0.0.1:9/', '127.0.0.1:9', '{}', 'FAILED') RETURNING id)
       INSERT INTO delivery_attempts SELECT id, 1, now(), 5, 302 FROM delivery`,
      [id],
    )
    await app.olga.post('/v1/queues/callbacks/pause')
    const { text } = await olga.open(`/recordings/${id}`)
    expect(text).to.contain('callback rejected: redirect (302); no more attempts')
    const [action] = /\/recordings\/[^"]*\/deliveries\/[^"]*/.exec(text)!
    const sent = await olga.submit(action)
    expect([sent.status, sent.headers.get('location')]).to.deep.equal([303, `/recordings/${id}`])
    expect((await olga.open(`/recordings/${id}`)).text).not.to.contain('/deliveries/')
    const again = await olga.submit(action)
    expect([again.status, again.text.includes('status has changed')]).to.deep.equal([409, true])
    await app.olga.post('/v1/queues/callbacks/resume')
  })

  it('the edit form of a call saves only changed fields and shows errors beside fields', async () => {
    const call = { phoneNumber: '+375 29 1', managerName: 'Max', callStartedAt: '2026-03-01T07:00:42Z' }
    const id = await createDoneCall(app, call)
    const { text } = await olga.open(`/recordings/${id}`)
    expect(text)
      .to.contain('name="callStartedAt" value="1 Mar 2026 10:00"')
      .and.contain('name="managerName" value="Max"')
    const typed = {
      phoneNumber: '+375 29 2',
      managerName: ' Anna ',
      direction: 'INBOUND',
      callStartedAt: '01.03.2026 10:00',
      externalCallId: '',
    }
    const saved = await olga.submit(`/recordings/${id}/edit`, typed)
    expect([saved.status, saved.headers.get('location')]).to.deep.equal([303, `/recordings/${id}`])
    expect((await app.ida.get(`/v1/recordings/${id}`)).json).to.include({
      phoneNumber: '+375 29 2',
      managerName: 'Anna',
      direction: 'INBOUND',
      callStartedAt: '2026-03-01T07:00:42.000Z',
    })
    expect((await olga.open(`/recordings/${id}`)).text).to.contain('Saved.')
    const invalid = await olga.submit(`/recordings/${id}/edit`, { ...typed, phoneNumber: 'x'.repeat(65) })
    expect(invalid.status).to.equal(400)
    expect(invalid.text).to.contain('id="f-phoneNumber-error">Must have at most 64 characters.')
    expect(invalid.text).to.match(/<details class="edit" id="edit" data-edit open>/)
    for (const callStartedAt of ['31.02.2026 10:00', '1 Mar 2026', '1 Mar 2026 25:00', 'yesterday']) {
      const { status, text } = await olga.submit(`/recordings/${id}/edit`, { ...typed, callStartedAt })
      expect(status, callStartedAt).to.equal(400)
      expect(text)
        .to.contain(
          'id="f-callStartedAt-error">Must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00, from 1970 on.',
        )
        .and.contain(`name="callStartedAt" value="${callStartedAt}" maxlength`)
    }
    await olga.submit(`/recordings/${id}/edit`, { ...typed, callStartedAt: '2 марта 2026 9:05' })
    expect((await app.ida.get(`/v1/recordings/${id}`)).json.callStartedAt).to.equal('2026-03-02T06:05:00.000Z')
  })

  it('the edit form of a call suggests known managers and warns about a new name', async () => {
    const id = await createDoneCall(app, { managerName: 'Leo' })
    for (const managerName of ['Анна Ковалёва', 'Max']) await createDoneCall(app, { managerName })
    const { text } = await olga.open(`/recordings/${id}`)
    expect(text).to.match(/name="managerName"[^>]* list="managers"/)
    const [, options] = /<datalist id="managers">(.*?)<\/datalist>/s.exec(text)!
    expect(options).to.contain('value="Max"').and.contain('value="Анна Ковалёва"')
    const correct = async (managerName: string) => {
      const saved = await olga.submit(`/recordings/${id}/edit`, { managerName })
      expect(saved.status).to.equal(303)
      return (await olga.open(`/recordings/${id}`)).text
    }
    expect(await correct('Maxx')).to.contain('Saved. “Maxx” is a new manager. Check the spelling.')
    for (const knownName of ['анна ковалева', 'Max', '']) {
      expect(await correct(knownName), knownName)
        .to.contain('Saved.')
        .and.not.contain('is a new manager')
    }
  })

  it('the edit form warns about a changed phone number that looks invalid', async () => {
    const id = await createDoneCall(app, { managerName: 'Max' })
    const correct = async (fields: Record<string, string>, headers = {}) => {
      expect((await olga.submit(`/recordings/${id}/edit`, { managerName: 'Max', ...fields }, headers)).status).to.equal(
        303,
      )
      return (await olga.open(`/recordings/${id}`, headers)).text
    }
    expect(await correct({ phoneNumber: 'call me' })).to.contain('Saved. “call me” is not a phone number.')
    expect(await correct({ phoneNumber: 'call me', managerName: 'Leo Nobody' }))
      .to.contain('Saved. “Leo Nobody” is a new manager.')
      .and.not.contain('is not a phone number')
    const russian = { 'Accept-Language': 'ru' }
    expect(await correct({ phoneNumber: 'на работу' }, russian)).to.contain('«на работу» — не номер телефона.')
    for (const phoneNumber of ['+375 29 123-45-67', '']) {
      expect(await correct({ phoneNumber }), phoneNumber)
        .to.contain('Saved.')
        .and.not.contain('is not a phone number')
    }
  })

  it('a call can be cancelled, retried and deleted with plain forms', async () => {
    const id = await app.submitCall('PROCESSING')
    const page = `/recordings/${id}`
    const status = async () => (await app.ida.get(`/v1/recordings/${id}`)).json?.status
    expect((await olga.open(page)).text)
      .to.contain(`action="${page}/cancel"`)
      .and.not.contain('/retry"')
    const cancelled = await olga.submit(`${page}/cancel`)
    expect([cancelled.status, cancelled.headers.get('location')]).to.deep.equal([303, page])
    expect(await status()).to.equal('CANCELLED')
    expect((await olga.open(page)).text)
      .to.contain(`action="${page}/retry"`)
      .and.not.contain('/cancel"')
    expect((await olga.submit(`${page}/retry`)).status).to.equal(303)
    expect(await status()).to.be.oneOf(['QUEUED', 'PROCESSING'])
    const deleted = await olga.submit(`${page}/delete`)
    expect([deleted.status, deleted.headers.get('location')]).to.deep.equal([303, '/recordings'])
    expect((await olga.open(page)).status).to.equal(404)
  })

  it("an action that the call's status forbids shows a message and the current page", async () => {
    const id = await createDoneCall(app)
    const { status, text } = await olga.submit(`/recordings/${id}/cancel`)
    expect(status).to.equal(409)
    expect(text).to.contain('status has changed').and.contain('Good afternoon.')
  })

  it('a person without permissions sees no player or delete button and cannot delete', async () => {
    await app.db.query(
      `INSERT INTO people (id, email, name, role, password_hash, rights)
       SELECT gen_random_uuid(), 'max@example.com', 'Max', 'manager', password_hash, '{}' FROM people LIMIT 1`,
    )
    const max = app.browser()
    await max.submit('/login', { email: 'max@example.com', password: 'correct horse battery', next: '/' })
    const id = await createDoneCall(app, { managerName: 'Max' })
    const { text } = await max.open(`/recordings/${id}`)
    expect(text).to.contain('Good afternoon.')
    expect(text).not.to.contain('<audio')
    expect(text).not.to.contain('/delete"')
    const refused = await max.submit(`/recordings/${id}/delete`)
    expect(refused.status).to.equal(403)
    expect(refused.text).to.contain('You do not have access.')
  })
})
