import { expect } from 'chai'
import { generateId } from '../../platform/lib/ids.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople } from '../../test/people.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import type { AnalysisJson } from './check-schema.ts'

describe('check of a call', () => {
  let app: TestApp
  let setId: string
  const recognizer = new ScriptedRecognizer()

  before(async () => {
    await recognizer.start()
    app = await startTestApp({ asrUrl: recognizer.url, ANALYSIS_SEED_RULES: false })
    setId = await createPublishedRuleSet(app.olga, 'manners')
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })
  afterEach(() => app.db.query('DELETE FROM paused_queues'))

  const analysis = async (id: string, query = ''): Promise<AnalysisJson> =>
    (await app.ida.get(`/v1/recordings/${id}/analysis${query}`)).json
  const reached = (id: string, status: string) =>
    waitUntil(`the check is ${status}`, async () => {
      const found = await analysis(id)
      return found.status === status && found
    })
  const verdicts = ({ findings }: AnalysisJson) => findings.map(({ rule, verdict }) => `${rule.key} ${verdict}`)
  const score = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json.score
  /** Uploads a call and finishes its recognition with these lines. */
  async function transcribeCall(name: string, ...lines: string[]): Promise<string> {
    const { id } = (await app.ida.upload(name)).json
    const recognition = await recognizer.waitForRecognition(name)
    recognition.finish(makeTurnSegments(...lines))
    return id
  }
  /** Replaces the transcript without queueing a check, then requests a check and waits for it. */
  async function recheckCall(id: string, ...lines: string[]): Promise<AnalysisJson> {
    if (lines.length > 0) await replaceTranscript(app, id, makeTurnSegments(...lines))
    expect((await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)).status).to.equal(202)
    return reached(id, 'done')
  }

  it('a new transcript is checked automatically, and each verdict quotes it', async () => {
    const id = await transcribeCall('polite', 'Добрый день, чем помочь?', 'Сколько стоит?', 'Тысяча. До свидания!')
    const found = await reached(id, 'done')
    expect(found).to.include({ provider: 'rules', score: 100, scoreAuto: 100, scoreBeforeCritical: 100, coverage: 100 })
    expect(found).to.deep.include({
      reason: null,
      ruleSet: { id: setId, key: 'manners', name: { en: 'manners', ru: 'manners' }, version: 1 },
      usage: null,
      cost: null,
    })
    expect(verdicts(found)).to.deep.equal(['greeting met', 'farewell met', 'insults met'])
    const [greeting] = found.findings
    expect(greeting).to.deep.include({ decidedBy: 'rules', review: null, why: 'Found: 1.' })
    expect(greeting!.rule).to.include({ weight: 60, critical: false })
    const [quote] = greeting!.evidence
    expect(quote).to.include({ segment: 0, quote: 'Добрый день', side: 'agent', from: 0, to: 11 })
    expect(await score(id)).to.equal(100)
    expect((await app.ida.get('/v1/recordings?scoreBelow=100')).json.total).to.equal(0)
    expect((await app.ida.get('/v1/recordings?scoreBelow=100.5')).json.total).to.equal(1)
  })

  it('a missed critical rule makes the score 0; the score without it is kept', async () => {
    const id = await transcribeCall('rude', 'Добрый день', 'Дорого', 'Заткнитесь')
    expect(await reached(id, 'done')).to.include({ score: 0, scoreAuto: 0, scoreBeforeCritical: 60 })
    expect(await score(id)).to.equal(0)
  })

  it('a change of the agent’s channel starts another check', async () => {
    const id = await transcribeCall('swapped', 'Алло', 'Добрый день', 'Да', 'До свидания')
    expect((await reached(id, 'done')).score).to.equal(0)
    await app.olga.put(`/v1/recordings/${id}/speakers`, { agentChannel: 1 })
    await waitUntil('it is checked again by itself', async () => (await score(id)) === 100)
  })

  it('a check of a mono call leaves rules unknown that need to know the speakers', async () => {
    const [id] = await insertCalls(app, [{ text: 'Добрый день' }])
    const found = await recheckCall(id!)
    expect(verdicts(found)).to.deep.equal(['greeting met', 'farewell missed', 'insults unknown'])
    expect(found.findings[0]!.evidence[0]!.side).to.equal('unknown')
  })

  it('an unchecked call has no check; a check without an applicable set is skipped', async () => {
    const [never, short] = await insertCalls(app, [{ text: 'да' }, { text: 'да', direction: 'OUTBOUND' }])
    expect(await analysis(never!)).to.deep.include({ status: 'none', score: null, findings: [], updatedAt: null })
    await app.olga.patch(`/v1/rule-sets/${setId}`, { applies: { direction: ['INBOUND', null] } })
    await app.olga.post(`/v1/recordings/${short}/analysis/rerun`)
    expect((await reached(short!, 'skipped')).reason).to.equal('No rule set applies to the call')
    await app.olga.patch(`/v1/rule-sets/${setId}`, { applies: {} })
  })

  it('a call too short for every score set gets that reason, even with label sets', async () => {
    const [short] = await insertCalls(app, [{ text: 'да' }])
    await app.db.query('UPDATE recordings SET duration_seconds = 17 WHERE id = $1', [short])
    await app.olga.patch(`/v1/rule-sets/${setId}`, { applies: { minDurationSeconds: 30, minWords: 4 } })
    await app.olga.post(`/v1/recordings/${short}/analysis/rerun`)
    const tooShort = { score: null, reason: 'Not checked: shorter than 30 s', reasonCode: 'tooShort' }
    expect(await reached(short!, 'skipped')).to.include(tooShort)
    const labels = await createPublishedRuleSet(app.olga, 'short-topics', { mode: 'label', rules: [MANNERS_RULES[0]!] })
    expect(await recheckCall(short!)).to.include(tooShort)
    await app.olga.patch(`/v1/rule-sets/${setId}`, { applies: { minWords: 4 } })
    await app.olga.post(`/v1/recordings/${short}/analysis/rerun`)
    await waitUntil('it has too few words', async () => {
      const { reason, reasonCode } = await analysis(short!)
      return reasonCode === 'tooFewWords' && reason === 'Not checked: fewer than 4 words'
    })
    await app.olga.patch(`/v1/rule-sets/${setId}`, { applies: {} })
    await app.olga.delete(`/v1/rule-sets/${labels}`)
  })

  it('the first applicable score set judges a call, and every label set adds labels', async () => {
    const labels = await createPublishedRuleSet(app.olga, 'topics', {
      mode: 'label',
      rules: [
        { key: 'price', name: { en: 'Price', ru: 'Цена' }, kind: 'said', side: 'client', any: { ru: ['дорого'] } },
        { key: 'time', name: { en: 'Time', ru: 'Время' }, kind: 'said', side: 'client', any: { ru: ['не сейчас'] } },
      ],
    })
    const other = await createPublishedRuleSet(app.olga, 'other')
    const id = await transcribeCall('labels', 'Добрый день', 'Это дорого', 'До свидания')
    const found = await reached(id, 'done')
    expect(found.ruleSet!.key).to.equal('manners')
    expect(
      found.labels.map(({ ruleSet, rule, evidence }) => [ruleSet.key, rule.key, evidence[0]!.quote]),
    ).to.deep.equal([['topics', 'price', 'дорого']])
    await app.olga.patch(`/v1/rule-sets/${other}`, { position: 1 })
    await app.olga.patch(`/v1/rule-sets/${setId}`, { position: 2 })
    expect((await recheckCall(id)).ruleSet!.key).to.equal('other')
    for (const one of [labels, other]) expect((await app.olga.delete(`/v1/rule-sets/${one}`)).status).to.equal(204)
    expect((await recheckCall(id)).ruleSet!.key, 'archived sets judge nothing').to.equal('manners')
  })

  it('the API returns the earlier check by the number of its version', async () => {
    const id = await transcribeCall('versions', 'Добрый день', 'Да', 'Всего хорошего')
    expect((await reached(id, 'done')).score).to.equal(60)
    const rules = MANNERS_RULES.map((rule) =>
      rule.key === 'farewell' ? { ...rule, any: { ru: ['всего хорошего'] } } : rule,
    )
    await app.olga.put(`/v1/rule-sets/${setId}/draft`, { rules })
    expect((await app.olga.post(`/v1/rule-sets/${setId}/publish`, { revision: 1 })).json.version).to.equal(2)
    expect((await analysis(id)).score, 'nothing is judged anew by itself').to.equal(60)
    expect((await recheckCall(id)).score).to.equal(100)
    expect(await analysis(id, '?version=1')).to.include({ score: 60, status: 'done' })
    const { versions } = await analysis(id)
    expect(versions.map(({ id: set, key, version }) => [set, key, version])).to.deep.equal([
      [setId, 'manners', 2],
      [setId, 'manners', 1],
    ])
    expect((await app.ida.get(`/v1/recordings/${id}/analysis?version=7`)).status).to.equal(404)
    expect((await app.ida.get(`/v1/recordings/${id}/analysis?version=x`)).json.message[0]).to.match(/^version must be/)
    expect(await score(id)).to.equal(100)
  })

  it('the parameter `set` selects among versions of the same number', async () => {
    const id = await transcribeCall('two-sets', 'Добрый день', 'Да')
    const first = (await reached(id, 'done')).ruleSet!
    const other = await createPublishedRuleSet(app.olga, 'second', { rules: [MANNERS_RULES[0]!] })
    while (first.version > (await app.olga.get(`/v1/rule-sets/${other}`)).json.version) {
      await app.olga.put(`/v1/rule-sets/${other}/draft`, { rules: [MANNERS_RULES[0]!] })
      await app.olga.post(`/v1/rule-sets/${other}/publish`, { revision: 1 })
    }
    await app.olga.patch(`/v1/rule-sets/${other}`, { position: 1 })
    expect((await recheckCall(id)).ruleSet).to.include({ key: 'second', version: first.version })
    const of = async (set?: string) =>
      (await analysis(id, `?version=${first.version}${set ? `&set=${set}` : ''}`)).ruleSet!.key
    expect([await of(), await of(other), await of(setId)]).to.deep.equal(['second', 'second', 'manners'])
    expect((await analysis(id, `?set=${setId}`)).ruleSet, 'the last by the set').to.deep.equal(first)
    expect((await analysis(id)).versions.map(({ key }) => key)).to.deep.equal(['second', 'manners'])
    expect((await app.ida.get(`/v1/recordings/${id}/analysis?version=99&set=${other}`)).status).to.equal(404)
    expect((await app.ida.get(`/v1/recordings/${id}/analysis?set=x`)).status).to.equal(400)
    expect((await app.olga.delete(`/v1/rule-sets/${other}`)).status).to.equal(204)
  })

  it('a new transcript cancels running checks, clears the score and is checked again', async () => {
    const id = await transcribeCall('again', 'Добрый день', 'Да', 'До свидания')
    await reached(id, 'done')
    await app.db.query(`DELETE FROM transcripts WHERE recording_id = $1`, [id])
    await app.db.query(`UPDATE recordings SET status = 'FAILED' WHERE id = $1`, [id])
    await app.olga.post('/v1/queues/analysis/pause')
    await app.db.query(
      `INSERT INTO analyses (id, recording_id, priority, status, attempt_token, lease_until)
       VALUES ($2, $1, 5, 'PROCESSING', gen_random_uuid(), now() + interval '1 minute')`,
      [id, generateId()],
    )
    await app.ida.post(`/v1/recordings/${id}/retry`)
    const recognition = await recognizer.waitForRecognition('again', 2)
    recognition.finish(makeTurnSegments('Алло', 'Да'))
    expect(await reached(id, 'queued')).to.deep.include({ score: null, findings: [] })
    expect(await score(id)).to.equal(null)
    await app.olga.post('/v1/queues/analysis/resume')
    expect((await reached(id, 'done')).score).to.equal(0)
    const { rows } = await app.db.query('SELECT status, score FROM analyses WHERE recording_id = $1 ORDER BY id', [id])
    expect(
      rows.map((row) => [row.status, row.score]),
      'what ran had read the old text',
    ).to.deep.equal([
      ['DONE', 60],
      ['CANCELLED', null],
      ['DONE', 0],
    ])
  })

  it('a failed check is a job of the queue analysis and leaves the transcript unchanged', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    const id = await transcribeCall('broken', 'Добрый день', 'Да')
    await reached(id, 'queued')
    const { json } = await app.olga.get('/v1/queues/analysis/jobs?state=waiting')
    expect(json.items[0]).to.include({ recordingId: id, state: 'waiting', priority: 5 })
    const broken = [{ start: 0, end: 1, channel: 0 }]
    const { rows } = await app.db.query('SELECT segments FROM transcripts WHERE recording_id = $1', [id])
    await app.db.query('UPDATE transcripts SET segments = $2 WHERE recording_id = $1', [id, JSON.stringify(broken)])
    await app.db.query('UPDATE analyses SET attempts = 4 WHERE recording_id = $1', [id])
    await app.olga.post('/v1/queues/analysis/resume')
    expect((await reached(id, 'failed')).reason).to.equal(
      'The service could not check the call; the log has the reason',
    )
    const call = await app.db.query('SELECT status, score FROM recordings WHERE id = $1', [id])
    expect(call.rows).to.deep.equal([{ status: 'DONE', score: null }])
    await app.db.query('UPDATE transcripts SET segments = $2 WHERE recording_id = $1', [
      id,
      JSON.stringify(rows[0].segments),
    ])
    expect((await app.olga.post('/v1/queues/analysis/retry-failed')).json).to.deep.equal({ retried: 1 })
    expect((await reached(id, 'done')).score).to.equal(60)
  })

  it('retry-failed omits failed checks that a later check replaced', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    const ids = await insertCalls(app, [{ text: 'Добрый день' }, { text: 'Добрый день' }, { text: 'Добрый день' }])
    const failed = [generateId(), generateId(), generateId()]
    const insert = 'INSERT INTO analyses (id, recording_id, priority, status) VALUES ($1, $2, 5, $3)'
    for (const [n, id] of failed.entries()) await app.db.query(insert, [id, ids[n], 'FAILED'])
    await app.db.query(insert, [generateId(), ids[0], 'SKIPPED'])
    await app.db.query(insert, [generateId(), ids[1], 'CANCELLED'])
    const { json } = await app.olga.get('/v1/queues/analysis/jobs?retryable=true')
    expect(json.total).to.equal(2)
    expect((await app.olga.post('/v1/queues/analysis/retry-failed')).json).to.deep.equal({ retried: 2 })
    const { rows } = await app.db.query(`SELECT id FROM analyses WHERE status = 'FAILED'`)
    expect(rows).to.deep.equal([{ id: failed[0] }])
    await app.olga.post('/v1/queues/analysis/resume')
    for (const id of ids.slice(1)) await reached(id, 'done')
  })

  it('deleting a call deletes its checks and findings', async () => {
    const id = await transcribeCall('deleted', 'Добрый день')
    await reached(id, 'done')
    expect((await app.ida.delete(`/v1/recordings/${id}`)).status).to.equal(204)
    const { rows } = await app.db.query(
      `SELECT (SELECT count(*) FROM analyses WHERE recording_id = $1)::int AS checks,
              (SELECT count(*) FROM findings f LEFT JOIN analyses a ON a.id = f.analysis_id WHERE a.id IS NULL)::int AS lost`,
      [id],
    )
    expect(rows[0]).to.deep.equal({ checks: 0, lost: 0 })
    expect((await app.ida.get(`/v1/recordings/${id}/analysis`)).status).to.equal(404)
  })

  it('owners and heads with the right to edit rules can repeat a check', async () => {
    const { hanna, max, sales } = await createTestPeople(app)
    const [mine, others, queued] = await insertCalls(app, [
      { manager: 'Anna' },
      { manager: 'Otto' },
      { manager: 'Anna', status: 'CANCELLED' },
    ])
    const rerun = (id: string) => `/v1/recordings/${id}/analysis/rerun`
    expect((await hanna.post(rerun(mine!))).status).to.equal(202)
    expect((await hanna.post(rerun(others!))).status).to.equal(404)
    expect((await max.post(rerun(mine!))).status).to.equal(403)
    expect((await app.olga.post(rerun(queued!))).json.message).to.equal('The call has no transcript yet')
    await app.db.query(`UPDATE people SET rights = '{}' WHERE id = $1`, [hanna.id])
    expect((await hanna.post(rerun(mine!))).status).to.equal(403)
    await app.olga.delete(`/v1/departments/${sales}`)
  })

  it('the provider mock marks its checks and scores as invented', async () => {
    await app.restart({ ANALYSIS_PROVIDER: 'mock' })
    // The id of the call determines the invented verdicts. Some calls get no score, because too few points were checked.
    let [id, found] = ['', undefined as Awaited<ReturnType<typeof reached>> | undefined]
    for (let n = 0; typeof found?.score !== 'number'; n++) {
      id = await transcribeCall(`mock ${n}`, 'Добрый день', 'Да')
      found = await reached(id, 'done')
    }
    expect(found.provider).to.equal('mock')
    expect(found.findings).not.to.deep.equal([])
    expect(new Set(found.findings.map(({ why }) => why))).to.deep.equal(new Set(['Invented for a demonstration']))
    const call = (await app.ida.get(`/v1/recordings/${id}`)).json
    expect(call).to.include({ score: found.score, scoreIsMock: true })
    expect(found.score).to.be.a('number')
    const { total } = (await app.ida.get('/v1/recordings?scoreFrom=0&scoreBelow=101')).json
    expect(total, 'no filter takes it').to.equal(
      (await app.db.query('SELECT FROM recordings WHERE score IS NOT NULL')).rowCount,
    )
    const before = verdicts(found)
    expect(verdicts(await recheckCall(id)), 'always the same of a call').to.deep.equal(before)
  })

  it('the provider none checks no calls', async () => {
    await app.restart({ ANALYSIS_PROVIDER: 'none' })
    const id = await transcribeCall('none', 'Добрый день', 'Да')
    await waitUntil('it is transcribed', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    expect((await analysis(id)).status).to.equal('none')
    expect((await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)).status).to.equal(409)
    await app.restart({ ANALYSIS_PROVIDER: 'rules' })
    expect((await recheckCall(id)).score).to.be.a('number')
    expect((await app.ida.get(`/v1/recordings/${id}`)).json).not.to.have.property('scoreIsMock')
  })
})
