import { expect } from 'chai'
import { describeInBrowser, reloadBrowserPage } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { sendCriterionAnswers, sendModelError, ScriptedModel } from '../../test/scripted-model.ts'
import { EMPATHY_RULE, MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

describeInBrowser('panel: test of a draft with the model', (chrome) => {
  let app: TestPanel
  let id: string
  let call: string
  const model = new ScriptedModel()
  before(async () => {
    await model.start()
    app = await startTestPanel({
      ...model.settings,
      ANALYSIS_PRICE_INPUT_PER_MILLION: 300,
      ANALYSIS_PRICE_OUTPUT_PER_MILLION: 1200,
    })
    id = await createPublishedRuleSet(app.olga, 'judged', { rules: [...MANNERS_RULES, EMPATHY_RULE] })
    ;[call] = (await insertCalls(app, [{ manager: 'Max' }])) as [string]
    await replaceTranscript(app, call, makeTurnSegments('Good day to you', 'I lost it', 'Oh, I am sorry to hear'))
  })
  after(async () => {
    await app.stop()
    await model.stop()
  })
  beforeEach(() => {
    model.requests.length = 0
    model.responder = (_, response) =>
      sendCriterionAnswers(response, [
        { id: 'greeting', verdict: 'met', segment: 0, quote: 'Good day to you' },
        { id: 'farewell', verdict: 'missed' },
        { id: 'insults', verdict: 'met' },
        { id: 'empathy', verdict: 'met', segment: 2, quote: 'I am sorry to hear', why: 'He feels with her' },
      ])
  })

  async function open(path: string) {
    const browser = await app.openOwnerBrowser()
    const cookie = browser.headers.Cookie!.split('; ').find((one) => one.startsWith('svc_session='))!
    const page = await chrome.open(app.panelUrl + path, { cookie })
    return page
  }
  const pin = async () => {
    const page = await open(`/rule-sets/${id}/draft`)
    await page.getByLabel('Phone, manager or address').fill(call)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('list', { name: 'Found calls' }).getByRole('button').click()
    await page.locator('#rule-greeting .badge.missed').waitFor()
    return page
  }

  it('a draft is tested without the model until a person asks the model', async () => {
    const page = await pin()
    expect(await page.locator('#rule-empathy .verdict-of').innerText()).to.equal(
      'not determined The model determines this. Ask it to see the result.',
    )
    expect(await page.locator('#sends').innerText())
      .to.contain(new URL(model.url).host)
      .and.to.contain('scripted')
    expect(model.requests).to.have.length(0)
    await page.getByRole('button', { name: 'Ask the model' }).click()
    await page.locator('#rule-empathy .badge.met').waitFor()
    expect(model.requests).to.have.length(1)
    expect(await page.locator('#rule-empathy .verdict-of').innerText())
      .to.contain('by the model · He feels with her')
      .and.to.contain('I am sorry to hear')
    expect(await page.locator('.trial .told').innerText()).to.match(
      /^Result of scripted on .*tokens: 1,000 \+ 500 · 0\.9/,
    )
  })

  it('a reload or another language does not ask the model again', async () => {
    const page = await pin()
    const ask = async (answered: string) => {
      await page.getByRole('button', { name: 'Ask the model' }).click()
      await page.locator(answered).waitFor()
    }
    const draft = `/rule-sets/${id}/draft`
    for (const [path, unasked, answered] of [
      [draft, '#rule-empathy .badge.unknown', '#rule-empathy .badge.met'],
      [`${draft}/rules/empathy`, '#trial .badge.unknown', '#trial .badge.met'],
    ] as const) {
      await page.goto(app.panelUrl + path)
      model.requests.length = 0
      await ask(answered)
      expect(await page.locator('input[name=next]').inputValue(), path).to.equal(path)
      await reloadBrowserPage(page)
      await page.locator(unasked).waitFor()
      expect(model.requests, path).to.have.length(1)
      const browser = await app.openOwnerBrowser()
      expect((await browser.open(`${path}/ask`)).text).to.contain(path)
    }
  })

  it('the model is asked once about a typed rule, and not after further edits', async () => {
    const page = await pin()
    await page.getByRole('link', { name: 'Shows empathy', exact: true }).click()
    await page.locator('#trial .badge.unknown').waitFor()
    await page.getByLabel('Points').fill('30')
    await page.getByRole('button', { name: 'Ask the model' }).click()
    await page.locator('#trial .badge.met').waitFor()
    expect(await page.locator('#trial .told').first().innerText()).to.contain('by the model')
    expect(await page.getByLabel('Points').inputValue()).to.equal('30')
    // The trial without a model responds after the model's trial, and must not replace its result.
    const olga = await app.openOwnerBrowser()
    const look = async () => {
      const typed = await page.evaluate<[string, string][]>(`[...new FormData(document.getElementById('rule-form'))]`)
      const { status } = await olga.submit(`/rule-sets/${id}/draft/rules/empathy/try`, Object.fromEntries(typed))
      return status
    }
    expect(await look()).to.equal(204)
    await page.getByLabel('Points').fill('40')
    expect(await look()).to.equal(200)
    await page.locator('#trial .badge.unknown').waitFor()
    expect(model.requests).to.have.length(1)
  })

  it("a late result without the model does not replace the model's result", async () => {
    const page = await pin()
    await page.getByRole('link', { name: 'Shows empathy', exact: true }).click()
    await page.waitForURL('**/rules/empathy')
    await page.locator('#trial .badge.unknown').waitFor()
    let release = () => undefined as void
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/try', async (route) => {
      await released
      await route.continue()
    })
    const began = page.waitForRequest('**/try')
    await page.getByLabel('Points').fill('30')
    await began
    await page.getByRole('button', { name: 'Ask the model' }).click()
    await page.locator('#trial .badge.met').waitFor()
    const answered = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/try'))
    release()
    await answered
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
    expect(await page.locator('#trial .told').first().innerText()).to.contain('by the model')
  })

  it('if the model fails, the page shows the error and the result without it', async () => {
    model.responder = (_, response) => sendModelError(response, 503)
    const page = await pin()
    await page.getByRole('button', { name: 'Ask the model' }).click()
    expect(await page.locator('.trial .form-error').innerText()).to.contain('The model responded with status 503')
    expect(await page.locator('#rule-greeting .badge.missed').count()).to.equal(1)
  })
})
