import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { SHIPPED_RULE_SETS } from '../../check/rules/shipped.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { describeInBrowser, reloadBrowserPage } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { createRuleSet, MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describeInBrowser('panel: rule sets', (chrome) => {
  let app: TestPanel
  let cast: TestPeople
  let olga: PanelBrowser
  let calls: string[]
  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    cast = await createTestPeople(app)
    olga = await app.openOwnerBrowser()
    const texts = [
      ['Good morning', 'Yes', 'Goodbye'],
      ['Ahoy', 'Yes', 'Goodbye'],
      ['Good morning', 'Yes', 'Get lost'],
    ]
    calls = await insertCalls(
      app,
      texts.map((_, n) => ({
        manager: 'Max',
        phone: `+37529111000${n}`,
        at: new Date(Date.now() - n * 3600_000).toISOString(),
      })),
    )
    for (const [n, id] of calls.entries()) await replaceTranscript(app, id, makeTurnSegments(...texts[n]!))
  })
  after(() => app.stop())

  const cookie = () => olga.headers.Cookie!.split('; ').find((one) => one.startsWith('svc_session='))!
  const open = (path: string, options = {}) => chrome.open(app.panelUrl + path, { cookie: cookie(), ...options })
  const fetchRuleSet = async (id: string) => (await app.olga.get(`/v1/rule-sets/${id}`)).json
  const logInAs = async (email: string) => {
    const browser = app.browser()
    await browser.submit('/login', { email, password: OWNER_CREDENTIALS.password, next: '/' })
    return browser
  }

  it('a rule is shown as a sentence with its points and their share', async () => {
    const id = await createPublishedRuleSet(app.olga, 'sentences', {
      rules: [{ ...MANNERS_RULES[0]!, window: { first: 20 } }, MANNERS_RULES[1]!, MANNERS_RULES[2]!],
    })
    const page = await open(`/rule-sets/${id}`)
    const texts = (await page.locator('.rule .what').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(texts[0]).to.equal('Greets The agent says one of good morning in the first 20 seconds.')
    expect(texts[2]).to.equal('No insults The agent does not say any of shut up Critical: if missed, the score is 0.')
    expect(await page.locator('.rule .weight').first().innerText()).to.match(/60 points\s+60%/)
  })

  it('phrases become chips, and a typed rule is tested before it is saved', async () => {
    const id = await createPublishedRuleSet(app.olga, 'chips')
    const page = await open(`/rule-sets/${id}/draft`)
    await page.getByLabel('Phone, manager or address').fill(`${app.panelUrl}/recordings/${calls[1]}`)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('list', { name: 'Found calls' }).getByRole('button').click()
    await page.locator('#rule-greeting .badge.missed').waitFor()
    await page.getByRole('link', { name: 'Greets', exact: true }).click()
    await page.locator('.chips-edit').getByLabel('Phrases', { exact: true }).fill('ahoy')
    await page.keyboard.press('Enter')
    await page.locator('#trial .badge.met').waitFor()
    expect(await page.locator('#trial q').first().innerText()).to.contain('Ahoy')
    expect((await fetchRuleSet(id)).draft, 'nothing is stored by a trial').to.equal(null)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('#rule-greeting .badge.met').waitFor()
    const { draft, rules } = await fetchRuleSet(id)
    expect(draft.rules[0].any).to.deep.equal({ ...MANNERS_RULES[0]!.any, en: ['good morning', 'ahoy'] })
    expect(rules, 'what is published stays').to.deep.equal(MANNERS_RULES)
  })

  it('errors of a rule are shown in Russian on the Russian panel', async () => {
    const id = await createPublishedRuleSet(app.olga, 'faults-ru')
    const page = await open(`/rule-sets/${id}/draft/new`, { locale: 'ru-RU' })
    await page.locator('main button.primary').last().click()
    await page.locator('.field.invalid').first().waitFor()
    const fieldErrors = (await page.locator('.field .error').allInnerTexts()).filter(Boolean)
    expect(fieldErrors).to.include('Добавьте фразу.').and.include('Заполните это поле.')
    expect(fieldErrors.join(' ')).not.to.match(/[a-z]/i)
    chrome.ignoreErrors(/status of 400/)
  })

  it('an invalid rule shows errors beside its fields and keeps the input', async () => {
    const id = await createPublishedRuleSet(app.olga, 'faults')
    const page = await open(`/rule-sets/${id}/draft/new`)
    await page.getByLabel('Name in English').fill('Offers tea')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const error = page.locator('.field.invalid:has(textarea[name="any.en"]) .error')
    expect(await error.innerText()).to.equal('Add a phrase.')
    chrome.ignoreErrors(/status of 400/)
    await page.locator('.chips-edit').getByLabel('Phrases', { exact: true }).fill('a cup of {what}')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('No placeholder «{what}»').first().waitFor()
    expect(await page.getByLabel('Name in English').inputValue()).to.equal('Offers tea')
    expect(await page.locator('.chips-edit li').first().innerText()).to.contain('a cup of {what}')
    chrome.ignoreErrors(/status of 400/)
  })

  it('a person who saves over another change sees it and can save again', async () => {
    const id = await createPublishedRuleSet(app.olga, 'conflict')
    const page = await open(`/rule-sets/${id}/draft/rules/greeting`)
    const heavier = MANNERS_RULES.map((rule) => (rule.key === 'farewell' ? { ...rule, weight: 41 } : rule))
    await app.olga.put(`/v1/rule-sets/${id}/draft`, { rules: heavier })
    await page.getByLabel('Points').fill('59')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(await page.locator('.form-error').innerText()).to.match(/^olga changed the draft: Says goodbye \(changed\)/)
    chrome.ignoreErrors(/status of 409/)
    expect(await page.getByLabel('Points').inputValue()).to.equal('59')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(/\/draft(#.*)?$/)
    const { draft } = await fetchRuleSet(id)
    expect(draft.rules.map(({ weight }: { weight: number }) => weight)).to.deep.equal([59, 41, 0])
  })

  it('without scripts, a rule can be written, tested and saved with plain forms', async () => {
    const id = await createPublishedRuleSet(app.olga, 'plain')
    const page = await open(`/rule-sets/${id}/draft/new`, { javaScriptEnabled: false })
    await page.getByLabel('Rule type').selectOption('pace')
    await page.getByRole('button', { name: 'Show fields' }).click()
    await page.getByLabel('Name in English').fill('Calm')
    await page.getByLabel('At most, words a minute').fill('150')
    await page.getByRole('button', { name: 'Test without saving' }).click()
    expect(await page.locator('#trial .sentence').innerText()).to.equal('The agent speaks at most 150 words a minute.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByLabel('Points').isHidden()
    const rule = (await fetchRuleSet(id)).draft.rules.at(-1)
    expect(rule).to.deep.equal({
      key: 'calm',
      name: { en: 'Calm', ru: 'Calm' },
      kind: 'pace',
      side: 'agent',
      max: 150,
      weight: 5,
    })
    await page.goto(`${app.panelUrl}/rule-sets/${id}/draft/rules/greeting`)
    await page.getByLabel('Phrases', { exact: true }).fill('good morning\nhello there')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect((await fetchRuleSet(id)).draft.rules[0].any.en).to.deep.equal(['good morning', 'hello there'])
  })

  it('saving a rule changes only the edited fields', async () => {
    const name = { en: 'It', ru: 'Он' }
    const rules = [
      { key: 'share', name, kind: 'talkShare', min: 35, max: 65, weight: 5 },
      { key: 'pace', name, kind: 'pace', max: 150, weight: 5 },
      { key: 'silence', name, kind: 'longestSilence', side: 'client', max: 9, weight: 5 },
      { key: 'steps', name, kind: 'order', all: [{ en: ['one'] }, { en: ['two '] }], after: { side: 'any', within: 9 }, weight: 5 },
      { key: 'empathy', name, kind: 'model', hint: { en: 'He feels\nwith her ' }, na: 'anchor', weight: 5 },
    ] // prettier-ignore
    const id = await createPublishedRuleSet(app.olga, 'untouched', { rules: rules as typeof MANNERS_RULES })
    const page = await open(`/rule-sets/${id}`)
    for (const { key } of rules) {
      await page.goto(`${app.panelUrl}/rule-sets/${id}/draft/rules/${key}`)
      await page.getByLabel('Points').fill('7')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.waitForURL(/\/draft(#.*)?$/)
    }
    expect((await fetchRuleSet(id)).draft.rules).to.deep.equal(rules.map((rule) => ({ ...rule, weight: 7 })))
    await page.goto(`${app.panelUrl}/rule-sets/${id}/draft/rules/empathy`)
    await page.getByLabel('Apply only if the situation arises').uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(/\/draft(#.*)?$/)
    expect((await fetchRuleSet(id)).draft.rules.at(-1)).not.to.have.property('na')
  })

  it('a draft is compared on past calls and published after confirming new zero scores', async () => {
    const id = await createPublishedRuleSet(app.olga, 'published')
    const rules = [
      { ...MANNERS_RULES[0]!, any: { en: ['good morning', 'ahoy'] } },
      { ...MANNERS_RULES[2]!, any: { en: ['get lost'] } },
    ]
    await app.olga.put(`/v1/rule-sets/${id}/draft`, { rules })
    const page = await open(`/rule-sets/${id}/backtests`)
    const [first] = (await app.olga.get('/v1/rule-sets')).json.items
    await app.olga.post(`/v1/rule-sets/${id}/move`, { beforeId: first.id })
    await page.getByRole('button', { name: 'Start test run', exact: true }).click()
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor()
    await waitUntil('the backtest', async () => {
      const [last] = (await app.olga.get(`/v1/rule-sets/${id}/backtests`)).json.items
      return last.state === 'done'
    })
    await reloadBrowserPage(page)
    const rows = (await page.locator('.rates tbody tr').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(rows[0]).to.match(/^Greets always met 66\.7% 100% \+33\.3/)
    expect(await page.locator('.changed-calls').innerText()).to.match(/Ahoy/)
    // Publishing uses the newest test run of this draft, even if later test runs of other drafts exist.
    await app.db.query(
      `INSERT INTO backtests
       SELECT (jsonb_populate_record(b, jsonb_build_object('id', n.id, 'draft', jsonb_set(b.draft, '{rules}', '[]')))).*
         FROM backtests b, unnest($2::uuid[]) AS n (id) WHERE b.rule_set_id = $1`,
      [id, Array.from({ length: 30 }, generateId)],
    )
    await page.getByRole('link', { name: 'Publish', exact: true }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    expect(await page.locator('.form-error').innerText()).to.equal('Confirm the rules that set the score to 0.')
    chrome.ignoreErrors(/status of 409/)
    await page.getByLabel('No insults: 1 call').check()
    await page.getByLabel('Note').fill('New script')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Version 2 is in use.').waitFor()
    const recheck = page.getByRole('link', { name: 'Recheck past calls' })
    expect(await recheck.getAttribute('href')).to.match(/^\/recalculations\?ruleSet=[-0-9a-f]{36}$/)
    expect((await fetchRuleSet(id)).version).to.equal(2)
    await page.goto(`${app.panelUrl}/rule-sets/${id}/versions/2`)
    expect(await page.locator('.changes').innerText())
      .to.contain('ahoy')
      .and.to.match(/Says goodbye\s+removed/)
    await page.goto(`${app.panelUrl}/rule-sets/${id}/versions/1`)
    await page.getByRole('button', { name: 'Copy to draft' }).click()
    await page.waitForURL(/\/draft$/)
    expect((await fetchRuleSet(id)).draft.rules).to.deep.equal(MANNERS_RULES)
    await app.olga.post(`/v1/rule-sets/${id}/move`, { beforeId: null })
  })

  it('the page of a rule set loads the phrases of a rule on demand', async () => {
    const rules = [{ ...MANNERS_RULES[0]!, any: { en: ['hi', 'hello', 'hey', 'ahoy there'] } }]
    const id = await createPublishedRuleSet(app.olga, 'greetings', { rules })
    const path = `/rule-sets/${id}/phrases/greeting`
    expect((await olga.open(`/rule-sets/${id}`)).text)
      .to.contain(`href="${path}"`)
      .and.not.to.contain('ahoy there')
    for (const address of [path, `/rule-sets/${id}/versions/1/phrases/greeting`])
      expect((await olga.open(address)).text)
        .to.contain('ahoy there')
        .and.to.contain('<h1>')
    expect((await olga.open(`/rule-sets/${id}/phrases/other`)).status).to.equal(404)
    const page = await open(`/rule-sets/${id}`)
    await page.locator('.all-words > summary').click()
    await page.locator('.all-words').getByText('ahoy there').waitFor()
    expect((await olga.open(`/rule-sets/new?copyOf=${id}`)).text).to.contain('value="greetings (copy)"')
    await app.olga.delete(`/v1/rule-sets/${id}`)
  })

  it('the page of a shipped rule set has at most 15 KB compressed', async () => {
    const id = await createPublishedRuleSet(app.olga, 'shipped', { rules: SHIPPED_RULE_SETS[0]!.rules })
    const { text } = await olga.open(`/rule-sets/${id}`)
    expect(gzipSync(text).length).to.be.below(15_000)
    await app.olga.delete(`/v1/rule-sets/${id}`)
  })

  it('a head edits rule sets of their departments and copies others; managers get 403', async () => {
    const id = await createPublishedRuleSet(app.olga, 'global')
    const hanna = await logInAs('hanna@example.com')
    const { text } = await hanna.open(`/rule-sets/${id}`)
    expect(text).to.contain(`/rule-sets/new?copyOf=${id}`).and.to.contain('Copy for your department')
    expect(text).not.to.contain(`/rule-sets/${id}/draft`)
    expect((await hanna.open(`/rule-sets/${id}/draft`)).status).to.equal(403)
    expect((await hanna.open(`/rule-sets/new?copyOf=${id}`)).text).to.match(new RegExp(`value="${cast.sales}" checked`))
    const copied = await hanna.submit('/rule-sets/new', {
      'name.en': 'Ours',
      begin: id,
      'applies.departmentIds': cast.sales,
    })
    expect(copied.status).to.equal(303)
    const { key, applies, draft } = (
      await cast.hanna.get(copied.headers.get('location')!.replace('/draft', '').replace('/', '/v1/'))
    ).json
    expect([key, applies, draft.rules]).to.deep.equal(['ours', { departmentIds: [cast.sales] }, MANNERS_RULES])
    const max = await logInAs('max@example.com')
    for (const path of ['/rule-sets', `/rule-sets/${id}`, '/reviews', '/recalculations', '/rule-sets/new']) {
      expect((await max.open(path)).status, path).to.equal(403)
    }
    expect((await max.open('/recordings')).text).not.to.contain('/rule-sets')
    await createRuleSet(app.olga, 'unpublished')
    expect((await olga.open('/rule-sets')).text).to.contain('not published')
  })

  it('reviewers can confirm or overturn a dispute in place, and recheck a period', async () => {
    await app.olga.post(`/v1/recordings/${calls[1]}/analysis/rerun`)
    const found = await waitUntil('the check', async () => {
      const { json } = await app.olga.get(`/v1/recordings/${calls[1]}/analysis`)
      return json.status === 'done' && json.findings.length > 0 && json
    })
    const { id, rule } = found.findings.find(({ verdict }: { verdict: string }) => verdict === 'missed')
    await app.olga.post(`/v1/recordings/${calls[1]}/analysis/findings/${id}/dispute`, { comment: 'I did' })
    const page = await open('/reviews?reason=disputed')
    const card = page.locator('.finding-card', { hasText: rule.name.en })
    await card.getByRole('textbox').fill('In other words')
    await card.getByRole('button', { name: 'Change to met' }).click()
    await page.getByText('changed to met', { exact: true }).waitFor()
    const { json } = await app.olga.get(`/v1/recordings/${calls[1]}/analysis`)
    expect(json.findings.find((one: { id: string }) => one.id === id)).to.include({
      verdict: 'met',
      decidedBy: 'person',
    })
    await app.olga.post(`/v1/recordings/${calls[1]}/analysis/findings/${id}/dispute`, { comment: 'Not so' })
    await page.goto(`${app.panelUrl}/reviews?reason=disputed`)
    await card.getByRole('button', { name: 'Keep as met' }).click()
    await page.getByText('kept as met', { exact: true }).waitFor()
    expect((await app.olga.get('/v1/reviews?reason=disputed')).json.total, 'what a person said is right').to.equal(0)
    await page.goto(`${app.panelUrl}/recalculations`)
    await page.getByRole('button', { name: 'Estimate' }).click()
    await page.getByText(/^3 calls to recheck/).waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('Checked: 3 of 3').waitFor()
    const [run] = (await app.olga.get('/v1/analysis-runs')).json.items
    expect(run.progress.queued).to.equal(3)
    chrome.ignoreErrors(/status of 404/) // the call has no audio
  })
})
