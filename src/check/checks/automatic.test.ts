import { expect } from 'chai'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments } from '../../test/transcripts.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('automatic checks', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()
  before(async () => {
    await recognizer.start()
    recognizer.answer = (recognition) => recognition.finish(makeTurnSegments('Добрый день', 'Да'))
    app = await startTestApp({ asrUrl: recognizer.url, ANALYSIS_SEED_RULES: false }, { automatic: false })
    await createPublishedRuleSet(app.olga, 'manners')
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  const settings = async () => (await app.olga.get('/v1/analysis/settings')).json
  const analysis = async (id: string) => (await app.ida.get(`/v1/recordings/${id}/analysis`)).json
  async function transcribeCall(): Promise<string> {
    const { id } = (await app.ida.upload('call')).json
    await waitUntil('it is transcribed', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    return id
  }
  const waitForCheck = (id: string) => waitUntil('it is checked', async () => (await analysis(id)).status === 'done')

  it('a new installation does not check calls automatically and shows the reason', async () => {
    expect(await settings()).to.deep.equal({ agentChannel: { default: 0 }, automatic: false })
    const id = await transcribeCall()
    expect(await analysis(id)).to.include({
      status: 'none',
      reason: 'Automatic checks are off',
      reasonCode: 'automaticOff',
    })
    expect((await app.db.query('SELECT FROM analyses')).rowCount).to.equal(0)
  })

  it('a person can check a call while automatic checks are off', async () => {
    const id = await transcribeCall()
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    await waitForCheck(id)
  })

  it('an owner enables automatic checks: later calls are checked, and the change is audited', async () => {
    const earlier = await transcribeCall()
    const put = await app.olga.put('/v1/analysis/settings', { agentChannel: { default: 0 }, automatic: true })
    expect(put.json.automatic).to.equal(true)
    await waitForCheck(await transcribeCall())
    expect(await analysis(earlier)).to.include({ status: 'none', reason: null, reasonCode: null })
    const [entry] = (await app.olga.get('/v1/audit?action=settings.change')).json.items
    expect(entry.details).to.deep.equal({ before: { automatic: false }, after: { automatic: true } })
  })

  it('a change of other settings leaves automatic checks on', async () => {
    await app.olga.put('/v1/analysis/settings', { agentChannel: { default: 1 } })
    expect(await settings()).to.deep.equal({ agentChannel: { default: 1 }, automatic: true })
    expect((await app.ida.put('/v1/analysis/settings', { agentChannel: { default: 1 } })).status).to.equal(403)
  })

  it('a call shows that the check is off if the provider is none', async () => {
    await app.restart({ ANALYSIS_PROVIDER: 'none' })
    const { status, reason, reasonCode } = await analysis(await transcribeCall())
    expect([status, reason, reasonCode]).to.deep.equal([
      'none',
      'The call check is off: ANALYSIS_PROVIDER is none',
      'off',
    ])
  })
})
