import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople } from '../../test/people.ts'
import { describeInBrowser } from '../../test/browser.ts'
import { openLoggedInBrowser, findElementText, HOSTILE_NAME, HOSTILE_NAME_HTML } from '../../test/panel-forms.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: search synonyms', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 1000 })
    await createTestPeople(app)
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  const save = (groups: string, headers = {}) => olga.submit('/search', { groups }, headers)
  const fetchStoredGroups = async () => (await app.olga.get('/v1/search/synonyms')).json.groups
  const readTypedText = (text: string) => /<textarea[^>]*>\n?([^<]*)<\/textarea>/.exec(text)?.[1]

  it('an owner enters one group of synonyms per line, separated by commas', async () => {
    const { status, headers } = await save(' договор,контракт , \r\n\r\nprice offer, quotation\r\n')
    expect([status, headers.get('location')]).to.deep.equal([303, '/search'])
    expect(await fetchStoredGroups()).to.deep.equal([['договор', 'контракт'], ['price offer', 'quotation']])
    const { text } = await olga.open('/search')
    expect(text).to.contain('Applies to the next search.')
    expect(readTypedText(text)).to.equal('договор, контракт\nprice offer, quotation')
    await save('')
    expect(await fetchStoredGroups()).to.deep.equal([])
  }) // prettier-ignore

  it('rejected synonyms are kept, with an error for each wrong line', async () => {
    const long = 'x'.repeat(65)
    const { status, text } = await save(['alone', 'a, b, c', '', `x, ${long}`].join('\r\n'))
    expect(status).to.equal(400)
    expect(findElementText(text, 'f-groups-error')!.split('\n')).to.deep.equal([
      'Line 1: enter 2 to 10 words separated by commas.',
      `Line 4, “${long}”: must have at most 64 characters.`,
    ])
    expect(text).to.contain(`x, ${long}</textarea>`).and.contain('aria-describedby="f-groups-hint f-groups-error"')
    const others = await save(['a, b', '', 'B, !', `x, ${HOSTILE_NAME}`].join('\n'))
    expect(others.text).to.contain('Line 3, “!”: must contain a letter or a digit.').and.not.contain('<img src=x')
    expect(findElementText(others.text, 'f-groups-error')!.split('\n')).to.deep.equal([
      'Line 1, “b”: must be in one group only.',
      'Line 3, “B”: must be in one group only.',
      'Line 3, “!”: must contain a letter or a digit.',
      `Line 4, “${HOSTILE_NAME_HTML}”: must have at most 4 words.`,
    ])
  })

  it('the page of synonyms and its errors are in Russian', async () => {
    const russian = { 'Accept-Language': 'ru' }
    expect((await olga.open('/search', russian)).text)
      .to.contain('<h1>Синонимы</h1>')
      .and.contain('слова через запятую: договор, контракт')
    expect(findElementText((await save('цена, !\nцена', russian)).text, 'f-groups-error')).to.equal(
      'Строка 2: введите от 2 до 10 слов через запятую.',
    )
    expect(findElementText((await save('цена, !', russian)).text, 'f-groups-error')).to.equal(
      'Строка 1, «!»: нужна хотя бы одна буква или цифра.',
    )
  })

  it('more than 200 lines of synonyms are rejected', async () => {
    const { text } = await save(Array.from({ length: 201 }, (_, n) => `a${n}, b${n}`).join('\n'))
    expect(findElementText(text, 'f-groups-error')).to.equal('At most 200 lines.')
  })

  it('a comma within a synonym is shown as a space', async () => {
    await app.olga.put('/v1/search/synonyms', { groups: [['one,two', 'three']] })
    expect(readTypedText((await olga.open('/search')).text)).to.equal('one two, three')
  })

  it('a found synonym names the searched word, in the list and in the call', async () => {
    await save('договор, контракт')
    const [id] = await insertCalls(app, [{ text: 'Контракты и договоры готовы.' }])
    const query = `?q=${encodeURIComponent('договора')}`
    const pages = await Promise.all(
      ['/recordings', `/recordings/${id}`].flatMap((path) => [
        olga.open(path + query),
        olga.open(path + query, { 'Accept-Language': 'ru' }),
      ]),
    )
    const [english, russian] = ['Synonym of “договора”', 'Синоним слова «договора»']
    for (const [n, { text }] of pages.entries()) {
      expect(text).to.match(new RegExp(`<mark[^>]* title="${n % 2 ? russian : english}">Контракты</mark>`))
      expect(text).to.match(/<mark(?![^>]*title)[^>]*>договоры<\/mark>/)
    }
  })

  it('the audit log shows old and new groups of synonyms', async () => {
    await save('договор, контракт')
    await save('договор, соглашение\nцена, стоимость')
    expect((await olga.open('/audit?action=settings.change')).text)
      .to.contain('договор, соглашение; цена, стоимость')
      .and.contain('договор, контракт')
  })

  it('only owners can open and change synonyms', async () => {
    for (const name of ['hanna', 'max']) {
      const browser = await openLoggedInBrowser(app, `${name}@example.com`)
      expect((await browser.open('/search')).status).to.equal(403)
      expect((await browser.submit('/search', { groups: '' })).status).to.equal(403)
      expect((await browser.open('/recordings')).text).to.not.contain('href="/search"')
    }
    expect((await olga.open('/recordings')).text).to.contain('href="/search"')
  })

  describeInBrowser('in a browser', (chrome) => {
    it('an owner saves synonyms with the keyboard', async () => {
      const page = await chrome.open(`${app.panelUrl}/search`, { cookie: olga.headers.Cookie })
      await page.getByLabel('Synonym groups').fill('tea, coffee')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByText('Saved. Applies to the next search.').waitFor()
      expect(await fetchStoredGroups()).to.deep.equal([['tea', 'coffee']])
    })
  })
})
