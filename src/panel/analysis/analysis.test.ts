import { expect } from 'chai'
import { modelMessages } from '../../check/model/messages.ts'
import { hashModelConfig } from '../../check/model/model-pause.ts'
import { pauseQueueAutomatically } from '../../platform/queue/pauses.ts'
import { createLoggedInPerson } from '../../test/people.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: check settings', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({
      ANALYSIS_PROVIDER: 'llm-compatible',
      ANALYSIS_ALLOW_EXTERNAL_EGRESS: true,
      ANALYSIS_BASE_URL: 'https://models.example.com/v1',
      ANALYSIS_MODEL: 'judge-1',
      ANALYSIS_API_KEY: 'a-secret-key-of-the-model',
      ANALYSIS_PRICE_INPUT_PER_MILLION: 0.3,
      ANALYSIS_PRICE_OUTPUT_PER_MILLION: 1.2,
      ANALYSIS_PRICE_CURRENCY: 'BYN',
      API_RUN_MODE: 'api',
    })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  it('check settings show provider, host and prices, but no secrets', async () => {
    const { text } = await olga.open('/analysis')
    for (const expectedText of ['models.example.com', 'judge-1', '0.30 BYN per million tokens sent', '>on</span>'])
      expect(text).to.contain(expectedText)
    expect(text).not.to.contain('a-secret-key')
  })

  it('every page shows owners since when and why the model is paused', async () => {
    await pauseQueueAutomatically(app.db, { name: 'analysis', cause: hashModelConfig(app.config) }, modelMessages.key())
    const why = /Paused since \d+ \w+ \d\d:\d\d\. The model rejects the key\. Check ANALYSIS_API_KEY\. Next attempt at /
    const { text: list } = await olga.open('/recordings')
    expect(list).to.contain('Calls are not checked. Paused since').and.match(why)
    const { text: provider } = await olga.open('/analysis')
    expect(provider).to.contain('>paused</span>').and.match(why).and.not.contain('class="banner"')
    expect((await olga.open('/queues/analysis')).text).to.match(why)
    const { text: inRussian } = await olga.open('/queues/analysis', { 'Accept-Language': 'ru' })
    expect(inRussian).to.match(/На паузе с \d+ \S+ \d\d:\d\d\. Модель не принимает ключ\. .* Следующая попытка: /)
    await app.db.query('DELETE FROM paused_queues')
  })

  it('the check settings show since when a person has paused the checks, without a banner', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    for (const path of ['/analysis', '/queues/analysis'])
      expect((await olga.open(path)).text).to.contain('Paused manually since')
    expect((await olga.open('/recordings')).text).not.to.contain('class="banner"')
    await app.olga.post('/v1/queues/analysis/resume')
  })

  it('an owner turns automatic checks off and on', async () => {
    const isAutomatic = async () => (await app.olga.get('/v1/analysis/settings')).json.automatic
    for (const to of ['off', 'on'] as const) {
      const { headers } = await olga.submit(`/analysis/automatic/${to}`)
      expect(headers.get('location')).to.equal('/analysis')
      expect((await olga.open('/analysis')).text).to.contain(`Automatic checks are ${to}`)
      expect(await isAutomatic()).to.equal(to === 'on')
    }
  })

  it('an owner sets the agent’s channel by source and whether names are masked', async () => {
    const fields = { default: '1', crm: '0', upload: '', external: 'true', maskNames: 'true' }
    const saved = await olga.submit('/analysis', fields)
    expect([saved.status, saved.headers.get('location')]).to.deep.equal([303, '/analysis'])
    const settings = { agentChannel: { default: 1, crm: 0 }, maskNames: true, automatic: true }
    expect((await app.olga.get('/v1/analysis/settings')).json).to.deep.equal(settings)
    const { text } = await olga.open('/analysis')
    expect(text).to.match(/name="default">\s*<option value="0">channel 1<\/option>\s*<option value="1" selected>/)
    expect(text).to.match(/name="upload">\s*<option value="" selected>default/)
    await olga.submit('/analysis', { default: '0' })
    expect((await app.olga.get('/v1/analysis/settings')).json.maskNames, 'a form without it leaves it').to.equal(true)
  })

  it('the list of model requests shows host, size, masks, tokens, cost and outcome', async () => {
    const id = await app.submitCall('QUEUED')
    await app.db.query(
      `INSERT INTO model_requests (id, at, recording_id, host, model, purpose, attempt, bytes, body_sha256, redactions,
         state, status_code, input_tokens, output_tokens, cost, currency, duration_ms)
       VALUES (gen_random_uuid(), '2026-03-01T07:01:00Z', $1, 'models.example.com', 'judge-1', 'check', 2, 5120, 'ab12', 3,
         'answered', 200, 2620, 700, 0.0016, 'BYN', 4200)`,
      [id],
    )
    const { text } = await olga.open('/analysis/requests')
    const cells = [...text.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) =>
      cell!
        .replace(/<span class="label">.*?<\/span>|<[^>]*>/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    expect(cells.slice(1)).to.deep.equal([
      'open · only this call',
      'judge-1 models.example.com',
      'check, attempt 2',
      '5 kB',
      '3',
      '2,620 + 700',
      '0.0016 BYN',
      '4.2 s',
      'answered 200',
    ])
    expect((await olga.open('/analysis/requests?from=2026-03-02')).text).to.contain('No requests yet')
    expect((await olga.open('/analysis/requests?to=2026-03-01')).text).to.contain('answered 200')
    expect((await olga.open(`/analysis/requests?call=${id}`)).text).to.contain('show all')
    expect((await olga.open('/analysis/requests?from=x')).text).to.contain('Enter a date such as')
  })

  it('only owners can open the check settings', async () => {
    const hanna = app.browser({ Cookie: (await createLoggedInPerson(app, 'Hanna', { role: 'head' })).headers.Cookie! })
    for (const path of ['/analysis', '/analysis/requests']) expect((await hanna.open(path)).status).to.equal(403)
    expect((await hanna.open('/recordings')).text).not.to.contain('href="/analysis"')
  })
})
