import { expect } from 'chai'
import { until } from '../test/wait.ts'
import { startPanelWorld, type Browser, type PanelWorld } from './world.test.ts'

const REFRESH = { 'HX-Request': 'true' }

describe('panel: the list of recordings', () => {
  let world: PanelWorld
  let olga: Browser
  before(async () => {
    world = await startPanelWorld()
    olga = await world.olgasBrowser()
  })
  after(() => world.stop())
  afterEach(async () => {
    world.recognizer.answer = undefined
    await world.db.query('DELETE FROM recordings')
  })

  it('says in an empty list what will be here and how to begin, and waits for it', async () => {
    const { text } = await olga.open('/recordings')
    expect(text).to.contain('No recordings yet').and.contain('curl').and.contain('hx-trigger')
  })

  it('shows a call in its row: time in APP_TIMEZONE, direction, phone, manager, length, status, link', async () => {
    world.recognizer.answer = (recognition) => recognition.finish()
    const call = { phoneNumber: '+375 29 123-45-67', managerName: 'Анна Ковалёва', direction: 'INBOUND' }
    const id = await world.submitCall('DONE', { ...call, callStartedAt: '2025-03-01T23:30:00Z' })
    const { text, headers } = await olga.open('/recordings')
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
    for (const shown of ['+375 29 123-45-67', 'Анна Ковалёва', '2 Mar 2025 02:30', '↙', '0:01', '>done<', 'call.wav']) {
      expect(text).to.contain(shown)
    }
    expect(text).to.contain(`href="/recordings/${id}"`)
    expect(text).to.match(/<b>1<\/b> call\b/)
  })

  it('shows why a call failed, how far a running one is and the place of a waiting one', async () => {
    world.recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'not a sound')
    await world.submitCall('FAILED')
    world.recognizer.answer = undefined
    await world.submitCall('PROCESSING')
    await world.submitCall('PROCESSING')
    await world.submitCall('QUEUED')
    await world.submitCall('QUEUED')
    world.recognizer.held.at(-1)!.progress(62, 100)
    const text = await until('62 %', async () => {
      const { text } = await olga.open('/recordings')
      return text.includes('62 %') && text
    })
    expect(text).to.contain('The file holds no sound that can be read.')
    expect(text).to.match(/about \d+ (s|min) left/)
    expect(text).to.contain('next in the queue').and.contain('2nd in the queue')
  })

  it('refreshes itself only while something waits or runs, with the very part that the page shows', async () => {
    world.recognizer.answer = (recognition) => recognition.finish()
    await world.submitCall('DONE')
    expect((await olga.open('/recordings')).text).not.to.contain('hx-trigger')
    world.recognizer.answer = undefined
    await world.submitCall('PROCESSING')
    const page = (await olga.open('/recordings')).text
    expect(page).to.contain('hx-get="/recordings" hx-trigger="every 3s" hx-swap="outerMorph"')
    const part = (await olga.open('/recordings', REFRESH)).text
    expect(part.trimStart()).to.match(/^<section id="recordings"/)
    expect(part).not.to.contain('<html')
    const table = /<tbody>.*<\/tbody>/s
    expect(table.exec(part)![0]).to.equal(table.exec(page)![0])
  })

  it('keeps order, page size and page in the address', async () => {
    await world.db.query(
      `INSERT INTO recordings (id, status, source, storage_key, size_bytes, created_at, phone_number)
       SELECT gen_random_uuid(), 'CANCELLED', 'upload', 'k' || n, 1, now() - make_interval(mins => n), 'phone ' || n
         FROM generate_series(1, 60) n`,
    )
    const first = (await olga.open('/recordings')).text
    expect(first).to.contain('1–25 of 60').and.contain('href="/recordings?page=2"').and.contain('>phone 1<')
    const asc = (await olga.open('/recordings?order=asc&page=3')).text
    expect(asc)
      .to.contain('51–60 of 60')
      .and.contain('>phone 1<')
      .and.contain('href="/recordings?order=asc&amp;page=2"')
    const wide = (await olga.open('/recordings?pageSize=50&page=2')).text
    expect(wide).to.contain('51–60 of 60').and.contain('href="/recordings?pageSize=50"')
  })

  it('takes an address that makes no sense as the first page, and says so past the end', async () => {
    await world.submitCall('PROCESSING')
    for (const query of ['page=-1', 'page=x&pageSize=7', 'page=1&page=2', 'order=sideways', 'colour=red']) {
      const { status, text } = await olga.open(`/recordings?${query}`)
      expect(status, query).to.equal(200)
      expect(text, query).to.contain('1–1 of 1')
    }
    expect((await olga.open('/recordings?page=9')).text).to.contain('There is no such page.')
  })

  it('sends a refresh whose session has ended to the login, and back to its page after it', async () => {
    const current = `${world.panelUrl}/recordings?page=2`
    const { status, headers } = await world.browser().open('/recordings', { ...REFRESH, 'HX-Current-URL': current })
    expect(status).to.equal(204)
    expect(headers.get('hx-redirect')).to.equal('/login?next=%2Frecordings%3Fpage%3D2')
  })

  it('shows everything a caller can put into a field as text', async () => {
    const naughty = `"'><script>alert(1)</script><img src=x onerror=alert(1)> hx-get="/x" {{7*7}} <%= 7*7 %> \u202E`
    world.recognizer.answer = (recognition) => recognition.finish(naughty)
    const fields = { managerName: naughty, externalCallId: naughty, phoneNumber: `'"><svg onload=alert(1)>` }
    const id = await world.submitCall('DONE', fields, '<svg onload=alert(1)>&amp;.wav')
    for (const path of ['/recordings', `/recordings/${id}`]) {
      const { text } = await olga.open(path)
      expect(text, path).not.to.match(/<(svg onload|img src=x)|<script>/)
      expect(text, path).to.contain('&lt;script&gt;alert(1)&lt;/script&gt;').and.contain('&lt;%= 7*7 %&gt;')
      expect(text, path).to.contain('&lt;svg onload=alert(1)&gt;&amp;amp;.wav')
    }
  })

  it('speaks Russian to a browser that prefers it, with Russian plurals and times', async () => {
    await world.submitCall('PROCESSING', { callStartedAt: '2025-03-01T10:00:00Z' })
    await world.submitCall('PROCESSING')
    const { text, headers } = await olga.open('/recordings', { 'Accept-Language': 'ru-RU,ru;q=0.9,en;q=0.8' })
    expect(headers.get('content-language')).to.equal('ru')
    expect(headers.get('vary')).to.contain('Accept-Language')
    expect(text).to.contain('<html lang="ru">').and.contain('<b>2</b> звонка').and.contain('распознаётся')
    expect(text).to.contain('1 мар. 2025')
    expect((await olga.open('/recordings', { 'Accept-Language': 'de' })).text).to.contain('<html lang="en">')
  })
})
