import { expect } from 'chai'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

const SEGMENTS = [
  { start: 0.4, end: 2, channel: 0, text: 'Hello & welcome.' },
  { start: 62.9, end: 64, channel: 1, text: 'Hello.' },
]

describe('channel of the agent', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())
  afterEach(async () => {
    await app.db.query('DELETE FROM recordings')
    await app.db.query('DELETE FROM settings')
  })

  const call = async (more = {}): Promise<string> => {
    const [id] = await insertCalls(app, [{ manager: 'Max', ...more }])
    await app.db.query('UPDATE transcripts SET segments = $1, text = $2', [JSON.stringify(SEGMENTS), 'Hello'])
    return id!
  }
  const settings = '/v1/analysis/settings'
  const speakers = (id: string) => `/v1/recordings/${id}/speakers`
  const noted = async (action: string) =>
    (await app.db.query('SELECT details, object_id FROM audit WHERE action = $1 ORDER BY at', [action])).rows

  it('an owner sets the agent’s channel by source; the default is the first channel', async () => {
    const [upload, crm] = [await call(), await call({ source: 'crm' })]
    const of = async (id: string) => (await app.olga.get(speakers(id))).json
    expect((await app.olga.get(settings)).json.agentChannel).to.deep.equal({ default: 0 })
    expect(await of(upload)).to.deep.equal({ agentChannel: 0, setFor: 'source' })
    const set = await app.olga.put(settings, { agentChannel: { default: 1, crm: 0 } })
    expect([set.status, set.json.agentChannel]).to.deep.equal([200, { default: 1, crm: 0 }])
    expect((await app.olga.get(settings)).json).to.deep.equal(set.json)
    expect([(await of(upload)).agentChannel, (await of(crm)).agentChannel]).to.deep.equal([1, 0])
    expect((await noted('settings.change')).at(-1)!.details).to.deep.equal({
      before: { agentChannel: { default: 0 } },
      after: { agentChannel: { default: 1, crm: 0 } },
    })
  })

  it('only owners can change the settings, and invalid channels are rejected by field', async () => {
    const max = await createLoggedInManager(app, 'Max', { manageRecordings: true })
    for (const client of [max, app.ida]) {
      expect((await client.get(settings)).status).to.equal(403)
      expect((await client.put(settings, { agentChannel: { default: 0 } })).status).to.equal(403)
    }
    for (const [body, message] of [
      [{ agentChannel: { default: 2 } }, /^agentChannel\.default must be/],
      [{ agentChannel: { default: '0' } }, /^agentChannel\.default must be/],
      [{ agentChannel: { upload: 1 } }, /^agentChannel\.default is required/],
      [{ agentChannel: { default: 0, phone: 1 } }, /^agentChannel\.phone is not/],
      [{}, /^agentChannel is required/],
    ] as const) {
      const { status, json } = await app.olga.put(settings, body)
      expect(status).to.equal(400)
      expect(json.message[0]).to.match(message)
    }
    await app.db.query(`DELETE FROM people WHERE email = 'max@example.com'`)
  })

  it('a person who manages a call sets and resets its agent’s channel; both are audited', async () => {
    const [mine, other] = [await call(), await call({ manager: 'Otto' })]
    const max = await createLoggedInManager(app, 'Max', { manageRecordings: true })
    const swapped = await max.put(speakers(mine), { agentChannel: 1 })
    expect([swapped.status, swapped.json]).to.deep.equal([200, { agentChannel: 1, setFor: 'call' }])
    await app.olga.put(settings, { agentChannel: { default: 0 } })
    expect((await max.get(speakers(mine))).json.agentChannel, 'stands over the settings').to.equal(1)
    expect((await max.put(speakers(mine), { agentChannel: null })).json).to.deep.equal({
      agentChannel: 0,
      setFor: 'source',
    })
    expect((await noted('recording.speakers')).map(({ object_id }) => object_id)).to.deep.equal([mine, mine])
    expect((await app.ida.get(speakers(mine))).status, 'serves the panel').to.equal(403)
    expect((await max.get(speakers(other))).status).to.equal(404)
    expect((await max.put(speakers(other), { agentChannel: 1 })).status).to.equal(404)
    expect((await max.put(speakers(mine), { agentChannel: 2 })).status).to.equal(400)
    await app.db.query(`UPDATE people SET rights = '{}' WHERE email = 'max@example.com'`)
    expect((await max.put(speakers(mine), { agentChannel: 1 })).status).to.equal(403)
  })

  it('text exports name speakers on request; subtitles name them in English by default', async () => {
    const id = await call()
    const text = async (query: string) => (await app.ida.get(`/v1/recordings/${id}/transcript?format=${query}`)).text
    expect(await text('txt')).to.equal('Hello\n')
    expect(await text('txt&speakers=en')).to.equal('00:00:00 Agent: Hello & welcome.\n00:01:02 Client: Hello.\n')
    await app.olga.put(speakers(id), { agentChannel: 1 })
    expect(await text('txt&speakers=ru')).to.equal('00:00:00 Клиент: Hello & welcome.\n00:01:02 Менеджер: Hello.\n')
    expect(await text('srt&speakers=en')).to.contain('00:00:00,400 --> 00:00:02,000\nClient: Hello & welcome.\n')
    expect(await text('srt')).to.equal(await text('srt&speakers=en'))
    expect(await text('vtt&speakers=en')).to.contain('<v Client>Hello &amp; welcome.')
    expect(await text('vtt')).to.equal(await text('vtt&speakers=en'))
    expect(await text('vtt&speakers=ru')).to.contain('<v Клиент>Hello &amp; welcome.')
    expect((await app.ida.get(`/v1/recordings/${id}/transcript?format=txt&speakers=de`)).status).to.equal(400)
  })
})
