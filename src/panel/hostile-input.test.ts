import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../test/browser.ts'
import { createDepartment } from '../test/people.ts'
import { isSpreadsheetConvertible } from '../platform/lib/number-like.ts'
import { parseZip, parseCsv } from '../test/file-formats.ts'
import { OWNER_CREDENTIALS } from '../test/server.ts'
import { waitUntil } from '../test/wait.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../test/panel.ts'

/** Combines markup, scripts, templates and control characters. `hit()` fails the test of the page. */
const HOSTILE_TEXT = `"'><script>hit()</script><img src=x onerror=hit()> hx-get="/x" {{7*7}} <%= 7*7 %> \u202E`
const LONG_WORD = 'W'.repeat(100)
/** Texts that every field stores unchanged. */
const STORED_TEXTS = [
  HOSTILE_TEXT,
  LONG_WORD,
  `"quotes" 'ticks' \`graves\``,
  '<b>bold</b> &amp; &lt;i&gt; &#39;',
  `' autofocus onfocus=hit() x='`,
  '<a href="javascript:hit()">go</a>',
  '</textarea></title></style><svg onload=hit()>',
  '<div hx-get="/x" hx-trigger="load" hx-on:load="hit()">',
  '\u202Eturned \u2067שלום عربي',
  '😀👩‍👩‍👧 Z͑ͫ̓ͪ̂ͫ̽͏̴ é',
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '=cmd|"/c calc"!A1',
  '../../etc/passwd',
]
const REJECTED_TEXTS = ['a\0b', 'a\ud800b', 'x'.repeat(10_000)]
/** Further texts that only transcripts can contain. */
const SPOKEN_TEXTS = ['x'.repeat(10_000), 'word '.repeat(2000), 'tab\there', '\t=1+1', 'two\r\n\r\nlines --> 0']

/** A script that returns the three elements farthest to the right, for the message of a failed test. */
const WIDEST_ELEMENT_SCRIPT = `[...document.querySelectorAll('main *')]
  .filter((one) => one.checkVisibility())
  .sort((a, b) => b.getBoundingClientRect().right - a.getBoundingClientRect().right)
  .slice(0, 3).map((one) => one.cloneNode(false).outerHTML.slice(0, 200)).join(' ')`

describeInBrowser('panel: naughty strings', (chrome) => {
  let app: TestPanel
  let olga: PanelBrowser
  /** Ids of the calls by the text that they contain. */
  const calls = new Map<string, string>()
  let failed: string
  const wide = new Set<string>()
  const people = new Map<string, string>()
  const departments = new Map<string, string>()

  before(async () => {
    app = await startTestPanel({ LOGIN_MAX_FAILURES: 1000 })
    olga = await app.openOwnerBrowser({ 'User-Agent': HOSTILE_TEXT.replace('\u202E', '') })
    const { recognizer } = app
    recognizer.answer = (one) => one.finish(one.audio.toString().slice(2))
    for (const [n, text] of [...STORED_TEXTS, ...SPOKEN_TEXTS].entries()) {
      const name = STORED_TEXTS.includes(text) ? text : `Speaker ${n}`
      const fields = { managerName: name, phoneNumber: name.slice(0, 60), externalCallId: name }
      const { status, json } = await app.ida.upload(`${n % 10}:${text}`, fields, `${name}.wav`)
      expect(status, text).to.equal(201)
      calls.set(text, json.id)
    }
    const statuses = async () => (await app.ida.get('/v1/recordings?pageSize=100')).json.items
    await waitUntil('all are done', async () => (await statuses()).every(({ status }: any) => status === 'DONE')) // oxlint-disable-line typescript/no-explicit-any
    recognizer.answer = (one) => one.fail('UNSUPPORTED_AUDIO', HOSTILE_TEXT)
    failed = await app.submitCall('FAILED', { managerName: 'Max' }, `${HOSTILE_TEXT}.wav`)
    for (const text of STORED_TEXTS) {
      const department = await createDepartment(app, text, [`${text} of the roster`])
      departments.set(text, department)
      const { json } = await app.olga.post('/v1/people', {
        name: text,
        email: `p${people.size}@example.com`,
        password: OWNER_CREDENTIALS.password,
        role: 'manager',
        departments: [department],
      })
      people.set(text, json.id)
      expect((await app.olga.post('/v1/api-keys', { name: text })).status, text).to.equal(201)
    }
  })
  after(() => app.stop())
  afterEach(() => {
    const widePages = [...wide]
    wide.clear()
    expect(widePages, 'wider than their window').to.deep.equal([])
  })

  /** Checks that a page shows the texts unchanged, builds no elements from them, and is not wider than the window. */
  async function expectShown(page: Page, texts: string[]): Promise<void> {
    const what = page.url()
    const pageText = await page.evaluate<string>(`[
      document.body.textContent,
      ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
    ].join('\\n')`)
    for (const text of texts) expect(pageText.includes(text), `${text.slice(0, 100)} on ${what}`).to.equal(true)
    const made = `document.querySelectorAll('[src=x], [onerror], [onload], [onfocus], [hx-get="/x"], a[href^="javascript:"], body script').length`
    expect(await page.evaluate(made), `elements of a text on ${what}`).to.equal(0)
    for (const width of [1360, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      if (tooWide > 0)
        wide.add(
          `${new URL(what).pathname} at ${width} px by ${tooWide} px: ${await page.evaluate<string>(WIDEST_ELEMENT_SCRIPT)}`,
        )
    }
    await page.setViewportSize({ width: 1360, height: 800 })
  }

  it('hostile texts appear as plain text in lists, pages and fields', async () => {
    const query = encodeURIComponent(HOSTILE_TEXT)
    const pages: [address: string, texts: string[]][] = [
      ['/recordings?pageSize=100', [...STORED_TEXTS, SPOKEN_TEXTS[0]!.slice(0, 100)]],
      [`/recordings?q=${query}&manager=${query}&externalCallId=${query}`, [HOSTILE_TEXT]],
      [`/recordings?manager=${query}&dateFrom=${query}`, [HOSTILE_TEXT]],
      ...[...STORED_TEXTS.slice(0, 2), ...SPOKEN_TEXTS].map((text): [string, string[]] => [
        `/recordings/${calls.get(text)}?q=${query}`,
        [HOSTILE_TEXT, ...text.split(/\s*\r\n\s*/)],
      ]),
      [`/recordings/${failed}`, [`${HOSTILE_TEXT}.wav`.split('/').at(-1)!]],
      ['/queues', []],
      ['/analytics/load', []],
      ['/upload', []],
      ['/people?pageSize=100', STORED_TEXTS],
      [`/people?q=${query}`, [HOSTILE_TEXT]],
      ['/departments', STORED_TEXTS],
      ...STORED_TEXTS.slice(0, 2).flatMap((text): [string, string[]][] => [
        [`/people/${people.get(text)}`, [text]],
        [`/departments/${departments.get(text)}`, [text, `${text} of the roster`]],
      ]),
      ['/api-keys', STORED_TEXTS],
      ['/audit?pageSize=100', []],
      ['/audit?pageSize=100&action=key.create', STORED_TEXTS],
      ['/audit?pageSize=100&action=person.create', STORED_TEXTS],
      ['/audit?pageSize=100&action=department.create', STORED_TEXTS],
      ['/audit?pageSize=100&action=recording.create', STORED_TEXTS.map((text) => text.slice(0, 60).trim())],
      [`/audit?object=${query}`, []],
      ['/account', []],
      [`/nothing/${query}`, []],
    ]
    const page = await chrome.open(`${app.panelUrl}/account`, { cookie: olga.headers.Cookie })
    for (const [address, texts] of pages) {
      await page.goto(app.panelUrl + address, { waitUntil: 'domcontentloaded' })
      await expectShown(page, texts)
    }
    chrome.ignoreErrors(/status of (400|404)/)
  })

  it('the API rejects hostile texts that a field cannot store and names the field', async () => {
    const person = { email: 'x@example.com', name: 'X', password: OWNER_CREDENTIALS.password, role: 'manager' }
    const forms: [path: string, body: (text: string) => object, field: string][] = [
      ['/v1/people', (name) => ({ ...person, name }), 'name'],
      ['/v1/people', (email) => ({ ...person, email: `${email}@example.com` }), 'email'],
      ['/v1/departments', (name) => ({ name }), 'name'],
      ['/v1/departments', (name) => ({ name: 'Y', managers: [name] }), 'managers'],
      ['/v1/api-keys', (name) => ({ name }), 'name'],
    ]
    const counts = () =>
      app.db.query(`SELECT (SELECT count(*) FROM people) p, (SELECT count(*) FROM departments) d,
        (SELECT count(*) FROM department_managers) m, (SELECT count(*) FROM api_keys) k, (SELECT count(*) FROM recordings) r`)
    const before = (await counts()).rows
    for (const text of REJECTED_TEXTS) {
      for (const [path, body, field] of forms) {
        const { status, json } = await app.olga.post(path, body(text))
        expect(status, `${path} ${field}`).to.equal(400)
        expect(json.message[0], path).to.match(new RegExp(`^${field}`))
      }
      // A multipart field contains bytes, so it cannot have a lone surrogate.
      for (const field of text.isWellFormed() ? ['managerName', 'phoneNumber', 'externalCallId'] : []) {
        const { status, json } = await app.ida.upload('sound', { [field]: text })
        expect([status, json.message[0].split(' ')[0]], field).to.deep.equal([400, field])
      }
    }
    expect((await counts()).rows).to.deep.equal(before)
  })

  it('a rejected form shows a hostile text as it was typed', async () => {
    const page = await chrome.open(`${app.panelUrl}/account`, { cookie: olga.headers.Cookie })
    const forms: [path: string, field: string, button: string][] = [
      ['/people/new', 'name', 'Add'],
      ['/departments/new', 'name', 'Add'],
      ['/api-keys', 'name', 'Create key'],
    ]
    for (const [path, field, button] of forms) {
      for (const text of [`${HOSTILE_TEXT}\0`, HOSTILE_TEXT + 'x'.repeat(10_000)]) {
        await page.goto(app.panelUrl + path)
        await page.evaluate(`for (const form of document.forms) form.noValidate = true`)
        const email = page.locator('main [name=email]')
        if (await email.count()) {
          await email.fill('new@example.com')
          await page.locator('main [name=password]').fill('a sparrow on the roof')
        }
        // Sets the value by script, which keeps the NUL character and ignores the maximum length of the field.
        await page.locator(`#f-${field}`).evaluate((input: any, text) => (input.value = text), text) // oxlint-disable-line typescript/no-explicit-any
        await page.locator('main').getByRole('button', { name: button, exact: true }).click()
        await page.locator('.error').first().waitFor()
        await expectShown(page, [HOSTILE_TEXT])
      }
    }
    chrome.ignoreErrors(/status of 400/)
  })

  it('the login shows a hostile e-mail as plain text', async () => {
    const page = await chrome.open(`${app.panelUrl}/login?next=${encodeURIComponent(`/${HOSTILE_TEXT}`)}`)
    for (const email of [`"<script>hit()</script>"@example.com`, `${HOSTILE_TEXT}\0`, 'x'.repeat(10_000)]) {
      await page.evaluate(`document.forms[0].noValidate = true`)
      await page.locator('#email').evaluate((input: any, text) => (input.value = text), email) // oxlint-disable-line typescript/no-explicit-any
      await page.locator('#password').fill(HOSTILE_TEXT)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('alert').waitFor()
      await expectShown(page, [email.replace('\0', '\ufffd').trim()])
    }
    chrome.ignoreErrors(/status of 40[01]/)
  })

  it('transcript files and exports contain hostile texts; CSV cells never start a formula', async () => {
    const isFormula = (cell: string) => /^[=+\-@\t\r＝＋－＠]/.test(cell)
    for (const [text, id] of calls) {
      const file = (format: string) => olga.open(`/recordings/${id}/transcript.${format}`)
      expect((await file('json')).json.text).to.equal(text)
      const txt = await file('txt')
      expect(txt.text.replace(/\s+/g, ' ')).to.equal(`00:00:00 ${text} `.replace(/\s+/g, ' '))
      expect(txt.headers.get('content-type')).to.equal('text/plain; charset=utf-8')
      expect(txt.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(txt.headers.get('content-disposition')).to.match(/^attachment; filename\*=UTF-8''[\w.%-]+$/)
      const vtt = (await file('vtt')).text
      expect(vtt).not.to.contain('<script').and.not.to.contain('<img')
      for (const form of [vtt, (await file('srt')).text]) {
        const times = form.match(/^[\d:]{8}[.,]\d{3} --> [\d:]{8}[.,]\d{3}$/gm)
        expect(form.match(/\d --> \d/g)).to.deep.equal(times?.map(() => '0 --> 0'))
        if (text.length <= 80) expect(times).to.have.length(1)
      }
    }
    const csv = parseCsv((await olga.open('/recordings/export?format=csv')).text)
    const cells = csv.slice(1).flat()
    expect(cells.filter(isFormula)).to.deep.equal([])
    const escapeFormula = (text: string) => (isFormula(text) || isSpreadsheetConvertible(text) ? `'${text}` : text)
    expect(cells).to.include.members([...calls.keys()].map(escapeFormula))
    const lines = (await olga.open('/recordings/export?format=jsonl')).text.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).transcript.text)).to.have.members([...calls.keys()])
    const response = await fetch(`${app.panelUrl}/recordings/export?format=zip`, { headers: olga.headers })
    const entries = parseZip(Buffer.from(await response.arrayBuffer()))
    expect(entries.map(([, content]) => content)).to.include.members([...calls.keys()].map((text) => `${text}\n`))
    for (const [name] of entries)
      expect(name)
        .to.match(/^[^/\\"<>|:*?]+$/)
        .and.not.match(/^\.\./)
  })

  it('no hostile text starts a formula in the CSV of the audit log', async () => {
    const { text } = await olga.open('/audit/export')
    const cells = parseCsv(text).slice(1).flat()
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).to.deep.equal([])
    expect(cells).to.include.members([HOSTILE_TEXT, LONG_WORD, `'=1+1`, `'@SUM(A1)`])
  })
})
