import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLoggedInPerson, createTestPeople } from '../../test/people.ts'
import { insertCalls } from '../../test/calls.ts'
import { describeInBrowser } from '../../test/browser.ts'
import { TestRecognizerGroup } from '../../test/recognizer-group.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: system', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ LOGIN_MAX_FAILURES: 1000 })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  /** Returns the state, the version and the details in a row of the page. */
  function findPart(text: string, name: string): string[] {
    const row = new RegExp(`<th scope="row">${name}</th>([^]*?)</tr>`).exec(text)![1]!
    return [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) => cell!.replace(/<[^>]*>/g, '').trim())
  }

  it('the page shows versions, commit, model, part states and storage', async () => {
    const { status, text } = await olga.open('/system')
    expect(status).to.equal(200)
    expect(text).to.match(/<h1>System <span class="badge done">ready<\/span><\/h1>/)
    const { json } = await app.olga.get('/v1/system')
    const [state, version, details] = findPart(text, 'Service')
    expect([state, version]).to.deep.equal(['up', json.version])
    expect(details).to.match(/^released \d+ \w+ \d{4} · /)
    expect(details).to.contain(`commit ${json.commit}`).and.contain(`Node.js ${json.node}`)
    expect(details).to.contain(`times are in ${app.config.APP_TIMEZONE}`)
    expect(findPart(text, 'Recognizer')).to.deep.equal(['ready', 'scripted 1', 'idle · none · greedy by default'])
    expect(findPart(text, 'Database')).to.deep.equal([
      'up',
      `Postgres ${json.database.version.split(' ')[0]}`,
      `schema ${json.database.schema}`,
    ])
    expect(findPart(text, 'Redis')[1]).to.equal(`Redis ${json.redis.version}`)
    expect(findPart(text, 'Audio storage')[2]).to.match(/^local folder · [\d.,]+ GB free$/)
  })

  it('an owner sees the last error of a watched folder and pauses it', async () => {
    expect((await olga.open('/system')).text).to.not.contain('Watched folders')
    const watching = await startTestPanel({ INGESTION_SOURCE: 'local-inbox' })
    try {
      const browser = await watching.openOwnerBrowser()
      const file = join(watching.config.audioDir, 'inbox', 'a.wav')
      await mkdir(join(watching.config.audioDir, 'inbox'), { recursive: true })
      await writeFile(file, 'sound')
      await writeFile(file.replace('.wav', '.json'), '{')
      await waitUntil('it is refused', async () => {
        await watching.db.query('UPDATE ingestion_runs SET due_at = now()')
        await watching.db.query('UPDATE ingestion_files SET next_attempt_at = now()')
        return (await watching.olga.get('/v1/ingestion')).json.failed === 1
      })
      const [state, , details] = findPart((await browser.open('/system')).text, 'Watched folders')
      expect(state).to.equal('errors')
      expect(details).to.match(/^folder inbox · 1 found, 0 accepted · 1 file rejected · last scan at .*a\.json.*JSON/s)
      const russian = (await browser.open('/system', { 'Accept-Language': 'ru' })).text
      expect(findPart(russian, 'Папки загрузки')[2]).to.match(/1 файл отклонён.*a\.json.*[а-яё]/s)
      const response = await browser.submit('/system/intake/pause')
      expect([response.status, response.headers.get('location')]).to.deep.equal([303, '/system'])
      const paused = (await browser.open('/system')).text
      expect(findPart(paused, 'Watched folders')[0]).to.equal('paused')
      expect(paused).to.contain('action="/system/intake/resume"')
      await browser.submit('/system/intake/resume')
      expect((await browser.open('/system')).text).to.contain('action="/system/intake/pause"')
    } finally {
      await watching.stop()
    }
  })

  it('several recognizers are listed, with a warning about those that do not work', async () => {
    const group = await new TestRecognizerGroup().start(2)
    const several = await startTestPanel({ asrUrl: group.url })
    try {
      const [first, second] = group.all.map(({ url }) => new URL(url).host)
      group.all[0]!.queue = { running: 1, waiting: 3, places: 2 }
      await group.all[1]!.stop()
      const browser = await several.openOwnerBrowser()
      const { text } = await browser.open('/system')
      expect(text, 'one is enough to be ready').to.match(/<h1>System <span class="badge done">ready<\/span><\/h1>/)
      expect(findPart(text, 'Recognizer')[0]).to.equal('ready')
      expect(findPart(text, `Recognizer ${first}`)).to.deep.equal([
        'ready',
        'scripted 1',
        '1 of 2 slots in use · 3 queued',
      ])
      expect(findPart(text, `Recognizer ${second}`)).to.deep.equal(['down', '—', ''])
      expect(text).to.contain(`Recognizers not working: ${second} (down). The others transcribe their calls.`)
      const russian = (await browser.open('/system', { 'Accept-Language': 'ru' })).text
      expect(findPart(russian, `Распознаватель ${first}`)[2]).to.equal('занято мест: 1 из 2 · в очереди 3')
      expect(russian).to.contain(`Распознаватели не работают: ${second} (down). Их звонки переходят к остальным.`)
    } finally {
      await several.stop()
      await group.stop()
    }
  })

  it('every page warns owners, and nobody else, about a foreign storage', async () => {
    const mark = join(app.config.audioDir, 'uploads/.svc-database')
    const own = await readFile(mark, 'utf8')
    await createLoggedInPerson(app, 'Mila')
    const mila = app.browser()
    await mila.submit('/login', { email: 'mila@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    const banners = async (path: string, headers = {}) =>
      [...(await olga.open(path, headers)).text.matchAll(/class="banner"[^>]*>([^<]*)/g)].map(([, text]) =>
        text!.trim(),
      )
    const pages = ['/recordings', '/people', '/upload']
    for (const path of pages) expect(await banners(path), path).to.deep.equal([])
    await writeFile(mark, '00000000-0000-4000-8000-000000000000\n')
    await waitUntil('it is noticed', async () => (await banners('/recordings')).length === 1)
    for (const path of pages)
      expect((await banners(path)).join(), path).to.match(/^The audio storage has the mark of another/)
    expect((await banners('/people', { 'Accept-Language': 'ru' })).join()).to.match(/^В хранилище записей метка другой/)
    expect(await banners('/system'), 'which says it itself').to.deep.equal([])
    expect((await mila.open('/recordings')).text).not.to.contain('class="banner"')
    await writeFile(mark, own)
    await waitUntil('it is mended', async () => (await banners('/recordings')).length === 0)
  })

  it('the notice of a demo is shown as information, not as an error', async () => {
    await app.db.query(`INSERT INTO settings (name, value) VALUES ('demo', '{}')`)
    await waitUntil('it is said', async () =>
      (await olga.open('/people')).text.includes('<p class="banner calm" role="note">This is a demo'),
    )
    const { text } = await olga.open('/system')
    expect(text)
      .to.contain('<p class="banner calm" role="note">This is a demo')
      .and.not.to.contain('class="form-error"')
    await app.db.query(`DELETE FROM settings WHERE name = 'demo'`)
  })

  it('the page shows how many calls the search has indexed', async () => {
    const idle = await startTestPanel({ API_RUN_MODE: 'api' })
    try {
      const browser = await idle.openOwnerBrowser()
      const ids = await insertCalls(idle, [{}, {}])
      expect((await browser.open('/system')).text).to.not.contain('Search index')
      await idle.db.query('UPDATE transcripts SET search_terms = NULL WHERE recording_id = $1', [ids[0]])
      expect((await browser.open('/system')).text).to.contain(
        'Search index: 1 of 2 calls. Other calls use the previous index.',
      )
      expect((await browser.open('/system', { 'Accept-Language': 'ru' })).text).to.contain(
        'Индекс поиска: 1 из 2 звонков. Остальные ищутся по прежнему индексу.',
      )
    } finally {
      await idle.stop()
    }
  })

  it('a refresh returns only the live part with the work of the recognizer', async () => {
    const id = await app.submitCall('PROCESSING')
    for (let n = 0; n < 3; n++) await app.ida.upload(`more ${n}`)
    const { text } = await olga.open('/system', { 'HX-Request': 'true', 'HX-Request-Type': 'partial' })
    expect(text)
      .to.match(/^\s*<section id="state"/)
      .and.not.contain('<h1>')
    expect(findPart(text, 'Recognizer')[2]).to.match(/^transcribing \d calls?, \d queued/)
    await app.olga.post('/v1/queues/transcription/pause')
    expect(findPart((await olga.open('/system')).text, 'Recognizer')[2]).to.contain('queue paused')
    await app.olga.post('/v1/queues/transcription/resume')
    await app.olga.delete(`/v1/recordings/${id}`)
  })

  it('a recognizer that is down or loading is explained', async () => {
    app.recognizer.status = 'loading'
    const loading = (await olga.open('/system')).text
    expect(findPart(loading, 'Recognizer')).to.include('loading')
    expect(findPart(loading, 'Recognizer')[2]).to.contain('Loading the model. Calls stay queued.')
    expect(loading).to.contain('<span class="badge failed">degraded</span>')
    app.recognizer.status = 'ready'
    await app.recognizer.stop()
    const down = (await olga.open('/system')).text
    expect(findPart(down, 'Recognizer')[0]).to.equal('down')
    expect(findPart(down, 'Recognizer')[2]).to.contain('The first start downloads a model')
    await app.recognizer.start()
  })

  describeInBrowser('in a browser', (chrome) => {
    it('no section of the page is taller than 1500 pixels', async () => {
      const page = await chrome.open(`${app.panelUrl}/system`, { cookie: olga.headers.Cookie })
      const tallest = await page.evaluate<number>(
        `Math.max(...[...document.querySelectorAll('section')].map(({ clientHeight }) => clientHeight))`,
      )
      expect(tallest).to.be.within(50, 1500)
    })
  })

  it('only owners can open System and see its menu item', async () => {
    await createTestPeople(app)
    const max = app.browser()
    await max.submit('/login', { email: 'max@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    expect((await max.open('/system')).status).to.equal(403)
    expect((await max.submit('/system/intake/pause')).status).to.equal(403)
    expect((await max.open('/recordings')).text).to.not.contain('href="/system"')
  })

  it('the page System is in Russian for a Russian browser', async () => {
    const { text } = await olga.open('/system', { 'Accept-Language': 'ru' })
    expect(text).to.contain('<h1>Система <span class="badge done">готова</span></h1>')
  })
})
