import { expect } from 'chai'
import type { FileChooser } from 'playwright-core'
import { describeInBrowser } from '../test/browser.ts'
import { createLoggedInPerson } from '../test/people.ts'
import { OWNER_CREDENTIALS } from '../test/server.ts'
import { waitUntil } from '../test/wait.ts'
import { createSampleData, buildPageAddresses, SAMPLE_SEGMENTS, type SampleIds } from './every-page.test.ts'
import { createPanelLanguages } from './words.ts'
import { startTestPanelServer, startTestPanel, type PanelBrowser, type TestPanel } from '../test/panel.ts'

/** Names that Russian texts write in Latin letters: formats, programs, protocols and languages. */
const PROPER_NAMES = ['In English', 'Alt', 'ID', 'JSON Lines'].concat(
  'API CSV CRM JSON JSONL ZIP TXT SRT VTT MP3 UTC IP Redis Postgres Node.js Europe/Moscow aof English EN http:// https:// noeviction AOF RDB CRM_WRITE_WEBHOOK_URL crm 2026-W12'.split(
    ' ',
  ),
)

const TEST_DATA = [
  OWNER_CREDENTIALS.email,
  'Good morning, how is my',
  'Good morning',
  'come on Monday.',
  '2026-11-01_14-30_+375291234567_Иван_Петров_in.wav',
].concat(
  'Olga Hanna Max Anna Ivan Sales Ida delivery nothing-like-it nobody call-1 olga scripted none deliveries The manners hanna@example.com max@example.com call.wav Chrome Linux node undici x'.split(
    ' ',
  ),
)

/** Nobody listens on this port, and the system does not assign it automatically. */
const UNREACHABLE_URL = 'http://127.0.0.1:9333'

const unescapeHtml = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name]!,
  )

/** Extracts the texts that people see or hear: text nodes, the title, and attributes that are shown or read out. */
function extractTexts(html: string): string[] {
  // Details in the audit log are data and mostly English.
  const log = html
    .replace(/<details class="operations">.*?<\/details>/gs, ' ')
    .replace(/<td class="wide details">.*?<\/td>/gs, (cell) => cell.replaceAll('bdi', 'span'))
  const page = log
    .replace(/<div class="text".*?<a class="share"/gs, '<a class="share"')
    .replace(/<(script|style|bdi|code|template)\b[^>]*>.*?<\/\1>/gs, ' ')
    .replace(/<textarea[^>]* lang="en"[^>]*>.*?<\/textarea>/gs, ' ')
    .replace(/<input[^>]* readonly[^>]*>/g, ' ')
  const attributes = [
    ...page.matchAll(
      /\s(?:title|placeholder|aria-label|alt|label|data-(?:again|copied|done|lost|missing|new|no-manager|no-phone|nothing|of|pause-word|play-word|refused|remove|selected|short|stopped|storing|waiting|word|wrong))="([^"]*)"/g,
    ),
  ]
  const texts = page.replace(/<[^>]*>/g, '\n').split('\n')
  return [...attributes.map(([, text]) => text!), ...texts].map(unescapeHtml)
}

/** Finds texts with Latin letters, except proper names and sample data. */
function findForeignTexts(text: string): string[] {
  const escaped = [...PROPER_NAMES, ...TEST_DATA, ...SAMPLE_SEGMENTS.map(({ text }) => text)]
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // Also allows ids, the commit hash and the name of the last migration.
  const known = new RegExp(
    `(?<![A-Za-z])(?:${escaped.join('|')}|\\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-)?[0-9a-f]{12}\\b|\\w+\\d{13})(?![A-Za-z])`,
    'g',
  )
  // Keyboard keys have Latin names in every language.
  const withoutKeys = text
    .replace(/<kbd[^>]*>[^<]*<\/kbd>/g, '')
    .replaceAll('Ctrl Enter', '')
    .replaceAll('Enter', '')
  return extractTexts(withoutKeys).filter((part) => /[A-Za-z]/.test(part.replace(known, ' ')))
}

const russianLanguage = createPanelLanguages('UTC').find(({ code }) => code === 'ru')!

describe('panel: Russian texts', () => {
  let app: TestPanel
  let olga: PanelBrowser
  let ids: SampleIds

  before(async () => {
    app = await startTestPanel({
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
      TRANSCRIPTION_CONCURRENCY: 3,
      ASR_MAX_CONCURRENCY: 3,
    })
    olga = await app.openOwnerBrowser({ 'Accept-Language': 'ru' })
  })
  after(async () => {
    await app.stop()
  })

  /** Checks that all texts of the pages are Russian. Reports all violations at once. */
  async function expectRussian(paths: string[], browser = olga): Promise<void> {
    const foreignTexts: string[] = []
    for (const path of paths) {
      const { text } = await browser.open(path)
      if (!text.includes('<html lang="ru">')) foreignTexts.push(`${path} is not in Russian`)
      foreignTexts.push(...findForeignTexts(text).map((part) => `${path}: ${part}`))
    }
    expect(foreignTexts.join('\n')).to.equal('')
  }

  it('the search for foreign texts finds English in texts and attributes', () => {
    const page =
      '<p title="Save">Отдел</p><p>Not found</p><bdi>Max</bdi><input placeholder="Search"><b aria-label="Close">×</b>'
    expect(findForeignTexts(page)).to.deep.equal(['Save', 'Search', 'Close', 'Not found'])
  })

  it('the login, the first steps and error pages are in Russian', async () => {
    const nobody = app.browser({ 'Accept-Language': 'ru' })
    await expectRussian(['/login'], nobody)
    await expectRussian(['/recordings', '/nothing', '/recordings/nothing'])
    const refused = await nobody.logIn('wrong')
    expect(findForeignTexts(refused.text)).to.deep.equal([])
    const foreigners = await olga.submit('/recordings', {}, { 'Sec-Fetch-Site': 'cross-site' })
    expect(findForeignTexts(foreigners.text)).to.deep.equal([])
    const alone = await startTestPanelServer(app.config, 'http://127.0.0.1:9')
    for (const path of ['/recordings', '/login']) {
      const answer = await fetch(alone.url + path, { headers: { ...olga.headers } })
      expect(findForeignTexts(await answer.text()), path).to.deep.equal([])
    }
    await alone.stop()
  })

  describe('pages with calls in every state', () => {
    before(async () => {
      ids = await createSampleData(app)
      await createLoggedInPerson(app, 'Max')
    })

    it('every page that an owner sees is in Russian', async () => {
      await expectRussian(Object.values(buildPageAddresses(ids)).flat())
    })

    it('rejected forms show their errors in Russian', async () => {
      const forms: [path: string, fields: Record<string, string>][] = [
        ['/people/new', { name: ' ', email: 'x', password: '1', role: 'manager' }],
        ['/people/new', { name: 'Max', email: OWNER_CREDENTIALS.email, password: 'long enough', role: 'manager' }],
        ['/departments/new', { name: '' }],
        ['/departments/new', { name: 'Sales', managers: 'Anna' }],
        ['/account/password', { currentPassword: 'x', newPassword: '1' }],
        ['/api-keys', { name: '' }],
        [`/recordings/${ids.done}/edit`, { callStartedAt: 'x', managerName: 'x'.repeat(300) }],
      ]
      const foreignTexts: string[] = []
      for (const [path, fields] of forms) {
        const { status, text } = await olga.submit(path, fields)
        expect(status, path).to.be.within(400, 409)
        foreignTexts.push(...findForeignTexts(text).map((part) => `${path}: ${part}`))
      }
      expect(foreignTexts.join('\n')).to.equal('')
    })

    it('a call with a failed callback and its audit log are in Russian', async () => {
      app.recognizer.answer = (one) => one.finish(SAMPLE_SEGMENTS)
      await app.olga.post('/v1/queues/transcription/resume')
      const id = await app.submitCall('DONE', { callbackUrl: `${UNREACHABLE_URL}/`, direction: 'INBOUND' })
      await waitUntil('an attempt', async () =>
        (await olga.open(`/recordings/${id}`)).text.includes('никто не отвечает'),
      )
      await app.olga.patch(`/v1/recordings/${id}`, { direction: 'OUTBOUND', managerName: 'Max' })
      await app.olga.patch(`/v1/people/${ids.hanna}`, { rights: { export: false }, language: 'ru' })
      await app.olga.put('/v1/analysis/settings', { agentChannel: { default: 1 } })
      const page = (await olga.open(`/recordings/${id}`)).text
      // The address of a callback is data.
      expect(findForeignTexts(page.replaceAll(`${UNREACHABLE_URL}/`, ''))).to.deep.equal([])
      await expectRussian(['/audit', '/queues/callbacks', '/account'])
    })

    it('a failure reason without a translation is shown as it is stored', async () => {
      await app.db.query(
        `UPDATE recordings SET status = 'FAILED', error_message = 'It stumbled', finished_at = now() WHERE id = $1`,
        [ids.done],
      )
      expect((await olga.open(`/recordings/${ids.done}`)).text).to.contain('It stumbled')
    })
  })

  it('the audit log has a Russian name for every query parameter', async () => {
    const { json } = await app.nobody.get('/docs-json')
    const given = Object.values<Record<string, { parameters?: { in: string; name: string }[] }>>(json.paths)
      .flatMap(({ get }) => get?.parameters ?? [])
      .filter((one) => one.in === 'query' && !['pageSize', 'order'].includes(one.name))
    const names = [...new Set(given.map(({ name }) => name))]
    expect(names).to.include.members(['q', 'interval', 'state'])
    const { fields } = russianLanguage.words.audit
    expect(names.filter((name) => !/^(?:ID\s)?[^A-Za-z]+$/.test(fields[name] ?? name))).to.deep.equal([])
  })

  describeInBrowser('in an English browser', (chrome) => {
    /** Returns a script that reads the browser's validation message of a field. */
    const complaint = (field: string) => `(() => {
      const field = document.querySelector('${field}')
      return field.reportValidity() ? '' : field.validationMessage
    })()`

    it('a field reports its error in the language of the page until it is valid', async () => {
      const page = await chrome.open(`${app.panelUrl}/login`, { locale: 'ru-RU' })
      await page.getByRole('button', { name: 'Войти' }).click()
      expect(await page.evaluate(complaint('#email'))).to.equal('Заполните это поле.')
      await page.locator('#email').fill('olga')
      expect(await page.evaluate(complaint('#email'))).to.equal('Введите адрес почты.')
      await page.locator('#email').fill(OWNER_CREDENTIALS.email)
      expect(await page.evaluate(complaint('#email'))).to.equal('')
    })

    it('password, number and address fields report errors in the language of the page', async () => {
      const options = { cookie: olga.headers.Cookie, locale: 'ru-RU' }
      const page = await chrome.open(`${app.panelUrl}/account`, options)
      await page.locator('#f-newPassword').pressSequentially('short')
      expect(await page.evaluate(complaint('#f-newPassword'))).to.equal('Не короче 8 символов.')
      await page.goto(`${app.panelUrl}/upload`)
      await page.locator('#f-priority').fill('11')
      expect(await page.evaluate(complaint('#f-priority'))).to.equal('Введите целое число. Не меньше 0. Не больше 10.')
      await page.locator('#f-callbackUrl').fill('x')
      expect(await page.evaluate(complaint('#f-callbackUrl'))).to.equal(
        'Адрес должен начинаться с http:// или https://.',
      )
    })

    it('a Russian button of the panel opens the file dialog by mouse and keyboard', async () => {
      const options = { cookie: olga.headers.Cookie, locale: 'ru-RU' }
      const page = await chrome.open(`${app.panelUrl}/upload`, options)
      // The listener is added before the first dialog opens, so that the browser leaves file dialogs to the test.
      const choosers: FileChooser[] = []
      page.on('filechooser', (chooser) => choosers.push(chooser))
      const { width, height } = (await page.locator('#file').boundingBox())!
      expect(width * height, 'what the browser words itself is out of sight').to.be.at.most(1)
      const button = page.locator('label[for=file].button')
      expect(await button.innerText()).to.equal('Выбрать файлы')
      await page.locator('#file').focus()
      expect(await page.evaluate(`getComputedStyle(document.querySelector('label[for=file]')).outlineStyle`)).to.equal(
        'solid',
      )
      for (const choose of [() => button.click(), () => page.keyboard.press('Enter')]) {
        const before = choosers.length
        await page.locator('#file').focus()
        await choose()
        const chooser = await waitUntil('files can be chosen', () => choosers[before])
        expect(chooser.isMultiple()).to.equal(true)
      }
    })
  })
})
