import { expect } from 'chai'
import { startPanelWorld, type Browser, type PanelWorld } from './world.test.ts'

const SEGMENTS = [
  { start: 0.4, end: 2, channel: 0, text: 'Good afternoon.' },
  { start: 62.9, end: 64, channel: 1, text: 'Hello.' },
]

describe('panel: one recording', () => {
  let world: PanelWorld
  let olga: Browser
  before(async () => {
    world = await startPanelWorld({ TRANSCRIPTION_CONCURRENCY: 1 })
    olga = await world.olgasBrowser()
  })
  after(() => world.stop())
  afterEach(async () => {
    world.recognizer.answer = undefined
    for (const held of world.recognizer.held.splice(0)) held.finish()
    await world.db.query('DELETE FROM recordings')
  })

  async function doneCall(fields: Record<string, string> = {}): Promise<string> {
    world.recognizer.answer = (recognition) => recognition.finish('hello')
    const id = await world.submitCall('DONE', fields)
    world.recognizer.answer = undefined
    await world.db.query('UPDATE transcripts SET segments = $1', [JSON.stringify(SEGMENTS)])
    return id
  }

  it('shows heading, sound, text by channels with its times, details and history', async () => {
    const call = { phoneNumber: '+375 29 1', managerName: 'Max', direction: 'OUTBOUND', externalCallId: 'pbx-1' }
    const id = await doneCall(call)
    const { status, text } = await olga.open(`/recordings/${id}`)
    expect(status).to.equal(200)
    expect(text).to.contain(`controls preload="metadata" src="/recordings/${id}/audio"`)
    expect(text).to.contain(`href="/recordings/${id}/audio#t=62.9"`).and.contain('>1:02</a>')
    expect(text).to.match(/c0">.*<\/span>1<\/b>.*Good afternoon\..*c1">.*<\/span>2<\/b>.*Hello\./s)
    for (const shown of [
      '+375 29 1',
      'Max',
      'outgoing',
      'pbx-1',
      'call.wav',
      '10 byte',
      'scripted',
      'attempt 1 began',
    ]) {
      expect(text).to.contain(shown)
    }
    expect(text).not.to.contain('hx-get')
  })

  it('says that there was no speech, where there was none', async () => {
    world.recognizer.answer = (recognition) => recognition.finish('')
    const id = await world.submitCall('DONE')
    expect((await olga.open(`/recordings/${id}`)).text).to.contain('No speech was found')
  })

  it('refreshes itself while it waits or runs, with the part that the page shows, and stops when it is done', async () => {
    const id = await world.submitCall('PROCESSING')
    expect((await olga.open(`/recordings/${id}`)).text).to.contain(`hx-get="/recordings/${id}" hx-trigger="every 2s"`)
    world.recognizer.held.at(-1)!.finish('The end.')
    await world.submitCall('PROCESSING') // taken only after the one before has ended
    const { text } = await olga.open(`/recordings/${id}`, { 'HX-Request': 'true' })
    expect(text.trimStart()).to.match(/^<article id="recording">/)
    expect(text).to.contain('The end.').and.not.contain('hx-get')
  })

  it('passes the sound through with Range, HEAD and conditions, as the API answers them', async () => {
    const id = await doneCall()
    const path = `/recordings/${id}/audio`
    const whole = await olga.open(path)
    expect([whole.status, whole.text]).to.deep.equal([200, 'some sound'])
    expect(whole.headers.get('accept-ranges')).to.equal('bytes')
    expect(whole.headers.get('content-type')).to.equal('audio/wav')
    expect(whole.headers.get('content-length')).to.equal('10')
    const etag = whole.headers.get('etag')!
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

  it('offers the text as txt, srt, vtt and json files', async () => {
    const id = await doneCall()
    for (const [format, content] of Object.entries({ txt: 'hello', srt: '-->', vtt: 'WEBVTT', json: '"segments"' })) {
      const { status, headers, text } = await olga.open(`/recordings/${id}/transcript.${format}`)
      expect(status, format).to.equal(200)
      expect(headers.get('content-disposition'), format).to.equal(`attachment; filename="${id}.${format}"`)
      expect(text, format).to.contain(content)
    }
    expect((await olga.open(`/recordings/${id}/transcript.exe`)).status).to.equal(404)
    const waiting = await world.submitCall('PROCESSING')
    const early = await olga.open(`/recordings/${waiting}/transcript.txt`)
    expect(early.status).to.equal(409)
    expect(early.headers.get('content-type')).to.contain('text/html')
  })

  it('cancels, retries and deletes with plain forms', async () => {
    const id = await world.submitCall('PROCESSING')
    const page = `/recordings/${id}`
    const status = async () => (await world.ida.get(`/v1/recordings/${id}`)).json?.status
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

  it('says that the state has changed where it does not allow what was asked, and shows it as it is', async () => {
    const id = await doneCall()
    const { status, text } = await olga.submit(`/recordings/${id}/cancel`)
    expect(status).to.equal(409)
    expect(text).to.contain('has changed in the meantime').and.contain('Good afternoon.')
  })

  it('shows a person only what they may do, and 403 where they try all the same', async () => {
    await world.db.query(
      `INSERT INTO people (id, email, name, role, password_hash, rights)
       SELECT gen_random_uuid(), 'max@example.com', 'Max', 'manager', password_hash, '{}' FROM people LIMIT 1`,
    )
    const max = world.browser()
    await max.submit('/login', { email: 'max@example.com', password: 'correct horse battery', next: '/' })
    const id = await doneCall({ managerName: 'Max' })
    const { text } = await max.open(`/recordings/${id}`)
    expect(text).to.contain('Good afternoon.')
    expect(text).not.to.contain('<audio')
    expect(text).not.to.contain('/delete"')
    const refused = await max.submit(`/recordings/${id}/delete`)
    expect(refused.status).to.equal(403)
    expect(refused.text).to.contain('Your role does not allow this.')
  })

  it('answers 404 with a page for an id that is none or not there', async () => {
    for (const id of ['0197f2a0-0000-7000-8000-000000000000', 'x', '..%2f..%2fapi-keys', '%00', 'a%3Fb']) {
      const { status, text } = await olga.open(`/recordings/${id}`)
      expect(status, id).to.equal(404)
      expect(text, id).to.contain('Not found').and.contain('href="/recordings"')
    }
  })
})
