import { expect } from 'chai'
import { auditActionsOf, fetchNewAuditEntries } from '../../test/audit.ts'
import { createCalibration, judgeCalibrationCall, submitCalibration } from '../../test/calibrations.ts'
import { insertCheckedCalls } from '../../test/checked-calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createLoggedInPerson, createTestPeople, type TestPeople } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { MAX_CALIBRATIONS } from './values.ts'

type Reviewer = TestClient & { id: string }

const CHECKED = { score: 50, verdicts: { greeting: 'met', needs: 'missed' } } as const

describe('calibrations', () => {
  let app: TestApp
  let cast: TestPeople
  let olga: Reviewer
  /** Another head of Sales. */
  let hugo: Reviewer
  /** The head of Support. */
  let sara: Reviewer
  let calls: { max: string; anna: string; otto: string; unchecked: string }

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
    olga = Object.assign(app.olga, { id: (await app.olga.get('/v1/auth/me')).json.person.id as string })
    hugo = await createLoggedInPerson(app, 'Hugo', { role: 'head', departments: [cast.sales] })
    sara = await createLoggedInPerson(app, 'Sara', { role: 'head', departments: [cast.support] })
  })
  after(() => app.stop())
  beforeEach(async () => {
    await app.db.query('TRUNCATE calibrations, recordings CASCADE')
    const [max, anna, otto, unchecked] = await insertCheckedCalls(app, [
      { ...CHECKED, manager: 'Max', at: '2026-03-01T10:00:00Z', labels: ['expensive'] },
      { ...CHECKED, manager: 'Anna', at: '2026-03-02T10:00:00Z' },
      { ...CHECKED, manager: 'Otto', at: '2026-03-03T10:00:00Z' },
      { manager: 'Max' },
    ])
    calls = { max: max!, anna: anna!, otto: otto!, unchecked: unchecked! }
  })

  const post = (client: TestClient, body: object) => client.post('/v1/calibrations', { name: 'March', ...body })
  const create = (client: TestClient, people: Reviewer[], recordingIds = [calls.max, calls.anna]) =>
    createCalibration(
      client,
      recordingIds,
      people.map(({ id }) => id),
    )
  const read = async (client: TestClient, id: string) => (await client.get(`/v1/calibrations/${id}`)).json
  const readCall = (client: TestClient, id: string, call: string) => client.get(`/v1/calibrations/${id}/calls/${call}`)
  const submit = (client: TestClient, id: string) => client.post(`/v1/calibrations/${id}/submit`)
  const readResults = (client: TestClient, id: string) => client.get(`/v1/calibrations/${id}/results`)

  it('lets participants judge the rules of the check, change a verdict and submit once', async () => {
    const id = await create(cast.hanna, [cast.hanna, hugo])
    const { json } = await readCall(hugo, id, calls.max)
    const summarize = (rules: { rule: { key: string }; verdict: string | null; comment: string | null }[]) =>
      rules.map(({ rule, verdict, comment }) => [rule.key, verdict, comment])
    expect(summarize(json.rules)).to.have.deep.members([
      ['greeting', null, null],
      ['needs', null, null],
    ])
    await judgeCalibrationCall(hugo, id, calls.max, { greeting: 'met', needs: 'met' })
    await judgeCalibrationCall(hugo, id, calls.max, { needs: 'not_applicable' }, ' Wrong number ')
    expect(summarize((await readCall(hugo, id, calls.max)).json.rules)).to.have.deep.members([
      ['greeting', 'met', null],
      ['needs', 'not_applicable', 'Wrong number'],
    ])
    expect(await read(hugo, id)).to.include({ calls: 2, rules: 4, judged: 2, submittedAt: null })
    expect((await submit(hugo, id)).json.message).to.equal('Give a verdict on every rule of every call first')
    await submitCalibration(hugo, id, { greeting: 'met', needs: 'met' })
    const late = await hugo.put(`/v1/calibrations/${id}/rules/${json.rules[0].id}`, { verdict: 'missed' })
    expect(late.status).to.equal(409)
    expect((await submit(hugo, id)).status, 'again').to.equal(200)
  })

  it('deletes a verdict that its author withdraws', async () => {
    const id = await create(cast.hanna, [cast.hanna, hugo])
    await judgeCalibrationCall(hugo, id, calls.max, { greeting: 'met' })
    const { rules } = (await readCall(hugo, id, calls.max)).json
    const { id: rule } = rules.find((one: { verdict: string | null }) => one.verdict === 'met')
    const { json } = await hugo.put(`/v1/calibrations/${id}/rules/${rule}`, { verdict: null })
    expect(json.judged).to.equal(0)
  })

  it('keeps the rules of the check at its creation', async () => {
    const id = await create(cast.hanna, [cast.hanna, hugo])
    const before = (await readCall(hugo, id, calls.max)).json.rules
    await app.db.query('UPDATE analyses SET is_current = false WHERE recording_id = $1', [calls.max])
    expect((await readCall(hugo, id, calls.max)).json.rules).to.deep.equal(before)
  })

  it('shows nothing of the others and of the check before the submission', async () => {
    const id = await create(olga, [cast.hanna, hugo])
    const readAll = async () =>
      JSON.stringify([
        await read(cast.hanna, id),
        (await cast.hanna.get('/v1/calibrations')).json,
        (await readCall(cast.hanna, id, calls.max)).json,
        (await readResults(cast.hanna, id)).json,
      ])
    const before = await readAll()
    await submitCalibration(hugo, id, { greeting: 'missed', needs: 'met' })
    // A decision about the verdict of the check is not visible either.
    await app.db.query(`UPDATE findings SET verdict = 'not_applicable', machine_verdict = 'not_applicable'`)
    expect(await readAll()).to.equal(before)
    expect((await readResults(cast.hanna, id)).status).to.equal(409)
    expect((await readResults(olga, id)).json.pairs, 'the creator does not take part').to.deep.equal([])
    await submitCalibration(cast.hanna, id, { greeting: 'met', needs: 'met' })
    expect((await readResults(cast.hanna, id)).json.pairs).to.have.length(1)
  })

  it('hides the progress of others, and unsubmitted verdicts from everybody', async () => {
    const id = await create(olga, [olga, cast.hanna, hugo])
    await submitCalibration(hugo, id, { greeting: 'met', needs: 'met' })
    await judgeCalibrationCall(cast.hanna, id, calls.max, { greeting: 'missed', needs: 'missed' })
    const submittedAt = async (client: TestClient) =>
      (await read(client, id)).participants.map((one: { submittedAt: string | null }) => one.submittedAt !== null)
    expect(await submittedAt(olga), 'not submitted').to.deep.equal([false, false, false])
    expect(await submittedAt(hugo), 'submitted').to.deep.equal([false, true, false])
    const { json } = await readResults(hugo, id)
    expect([json.pairs, json.items]).to.deep.equal([[], []])
    const entries = await app.db.query(`SELECT details::text FROM audit WHERE action LIKE 'calibration.%'`)
    expect(JSON.stringify(entries.rows)).not.to.match(/missed|"met/)
  })

  it('counts the agreement by pair and by rule, and lists the differences', async () => {
    const id = await create(olga, [olga, cast.hanna, hugo])
    await submitCalibration(olga, id, { greeting: 'met', needs: 'met' })
    await judgeCalibrationCall(cast.hanna, id, calls.max, { needs: 'missed' }, 'No question')
    await judgeCalibrationCall(cast.hanna, id, calls.max, { greeting: 'met' })
    await judgeCalibrationCall(cast.hanna, id, calls.anna, { greeting: 'met', needs: 'met' })
    await submit(cast.hanna, id)
    await submitCalibration(hugo, id, { greeting: 'missed', needs: 'met' })
    const { json } = await readResults(olga, id)
    // Names are in the order Hanna, Hugo, olga. Four rules of calls are compared for each pair.
    const figures = ({ compared, agreed }: { compared: number; agreed: number }) => [compared, agreed]
    expect(json.pairs.map((pair: { people: { name: string }[] }) => pair.people.map(({ name }) => name))).to.deep.equal(
      [
        ['Hanna', 'Hugo'],
        ['Hanna', 'olga'],
        ['Hugo', 'olga'],
      ],
    )
    expect(json.pairs.map(figures)).to.deep.equal([
      [4, 1],
      [4, 3],
      [4, 2],
    ])
    // Hanna and Hugo: 3 and 2 of 4 met, so chance gives 3/8 + 1/8 = 0.5, and kappa is (0.25 - 0.5) / 0.5.
    expect(json.pairs[0].kappa).to.equal(-0.5)
    const byRule = Object.fromEntries(
      json.rules.map((one: { rule: { key: string }; pairs: [] }) => [one.rule.key, one.pairs.map(figures)]),
    )
    expect(byRule).to.deep.equal({
      greeting: [
        [2, 0],
        [2, 2],
        [2, 0],
      ],
      needs: [
        [2, 1],
        [2, 1],
        [2, 2],
      ],
    })
    expect(json.rules.map(figures)).to.have.deep.members([
      [6, 2],
      [6, 4],
    ])
    expect(json.total).to.equal(3)
    const needs = json.items.find((one: { rule: { key: string } }) => one.rule.key === 'needs')
    expect(needs).to.deep.include({ checkVerdict: 'missed', at: 0 })
    expect(needs.recording.id).to.equal(calls.max)
    expect(needs.verdicts[0]).to.deep.include({ verdict: 'missed', comment: 'No question' })
    expect((await olga.get(`/v1/calibrations/${id}/results?page=2&pageSize=2`)).json.items).to.have.length(1)
  })

  it('changes neither the score nor the verdicts of a call', async () => {
    const readCheck = async () => {
      const { score, findings } = (await olga.get(`/v1/recordings/${calls.max}/analysis`)).json
      return JSON.stringify([score, findings])
    }
    const before = await readCheck()
    await submitCalibration(olga, await create(olga, [olga, cast.hanna]), { greeting: 'missed', needs: 'met' })
    expect(await readCheck()).to.equal(before)
  })

  it('draws random checked calls of a period and a manager, which all participants see', async () => {
    const draw = async (client: TestClient, random: object, people: Reviewer[]) => {
      const participantIds = people.map(({ id }) => id)
      const { json } = await post(client, { random, participantIds })
      if (!json.id) return json.message
      const { items } = people.includes(client as Reviewer) ? await read(client, json.id) : await read(olga, json.id)
      return items.map((one: { recording: { id: string } }) => one.recording.id)
    }
    const both = [olga, cast.hanna]
    expect(await draw(olga, { calls: 20 }, both)).to.have.members([calls.max, calls.anna])
    expect(await draw(olga, { calls: 1 }, both)).to.have.length(1)
    expect(await draw(olga, { calls: 20, manager: '"Anna"' }, both)).to.deep.equal([calls.anna])
    expect(await draw(olga, { calls: 20, from: '2026-03-02' }, both)).to.deep.equal([calls.anna])
    expect(await draw(olga, { calls: 20, to: '2026-03-01' }, both)).to.deep.equal([calls.max])
    const none = 'random.calls must find a checked call that you see. Change the manager or the period'
    expect(await draw(cast.hanna, { calls: 5, manager: 'Otto' }, both)).to.deep.equal([none])
  })

  it('answers alike for unknown people and for those who cannot take part', async () => {
    const recordingIds = [calls.max]
    const refuse = async (id: string) => {
      const { status, json } = await post(cast.hanna, { recordingIds, participantIds: [cast.hanna.id, id] })
      expect(status).to.equal(400)
      return json.message[0] as string
    }
    const unknown = await refuse('01890a5d-ac96-774b-bcce-b302099a8059')
    expect(unknown).to.match(/^participantIds must contain/)
    expect(await refuse(sara.id), 'a head who does not see the call').to.equal(unknown)
    expect(await refuse(cast.max.id), 'a manager').to.equal(unknown)
    expect(await refuse(cast.hanna.id.toUpperCase()), 'the same person twice').to.equal(unknown)
    await app.db.query(`UPDATE people SET rights = rights || '{"editRules": false}' WHERE id = $1`, [hugo.id])
    expect(await refuse(hugo.id), 'without the right').to.equal(unknown)
    await app.db.query(`UPDATE people SET rights = rights || '{"editRules": true}' WHERE id = $1`, [hugo.id])
    const random = { calls: 1 }
    const { json } = await post(cast.hanna, { random, participantIds: [cast.hanna.id, sara.id] })
    expect(json.message, 'no common call').to.deep.equal([unknown])
  })

  it('rejects unchecked and foreign calls, and a wrong choice of calls', async () => {
    const participantIds = [cast.hanna.id, hugo.id]
    const refuse = async (body: object) => (await post(cast.hanna, { participantIds, ...body })).json.message
    const unseen = ['recordingIds must contain only checked calls that you see']
    expect(await refuse({ recordingIds: [calls.unchecked] })).to.deep.equal(unseen)
    expect(await refuse({ recordingIds: [calls.max, calls.otto] })).to.deep.equal(unseen)
    for (const both of [{}, { recordingIds: [calls.max], random: { calls: 1 } }])
      expect(await refuse(both)).to.deep.equal(['recordingIds or random must be given, but not both'])
    expect((await refuse({ random: { calls: 21 } }))[0]).to.match(/^random.calls /)
    expect((await refuse({ recordingIds: [calls.max], participantIds: [hugo.id] }))[0]).to.match(/^participantIds /)
    await app.db.query(`UPDATE analyses SET provider = 'mock'`)
    expect(await refuse({ recordingIds: [calls.max] }), 'invented').to.deep.equal(unseen)
  })

  it('offers people who can decide verdicts and share calls with the actor', async () => {
    const offer = async (client: TestClient) =>
      (await client.get('/v1/calibration-people')).json.items.map((one: { name: string }) => one.name)
    expect(await offer(olga)).to.deep.equal(['Hanna', 'Hugo', 'olga', 'Sara'])
    expect(await offer(cast.hanna)).to.deep.equal(['Hanna', 'Hugo', 'olga'])
  })

  it('exists only for its creator and its participants, and only the creator deletes it', async () => {
    const id = await create(cast.hanna, [cast.hanna, hugo])
    for (const client of [olga, sara]) {
      expect((await client.get(`/v1/calibrations/${id}`)).status).to.equal(404)
      expect((await readCall(client, id, calls.max)).status).to.equal(404)
      expect((await readResults(client, id)).status).to.equal(404)
      expect((await submit(client, id)).status).to.equal(404)
      expect((await client.get('/v1/calibrations')).json.total).to.equal(0)
    }
    expect((await hugo.delete(`/v1/calibrations/${id}`)).status).to.equal(404)
    const other = await create(olga, [cast.hanna, hugo])
    expect((await readCall(olga, other, calls.max)).status, 'a creator who does not take part').to.equal(404)
    expect((await cast.hanna.delete(`/v1/calibrations/${id}`)).status).to.equal(204)
    expect((await hugo.get(`/v1/calibrations/${id}`)).status).to.equal(404)
  })

  it('lists those that wait for the person first', async () => {
    const waiting = await create(olga, [olga, hugo])
    const done = await create(olga, [cast.hanna, hugo])
    const list = async (query = '') =>
      (await olga.get(`/v1/calibrations${query}`)).json.items.map((one: { id: string }) => one.id)
    expect(await list()).to.deep.equal([waiting, done])
    expect(await list('?waiting=true')).to.deep.equal([waiting])
    await submitCalibration(olga, waiting, { greeting: 'met', needs: 'met' })
    expect(await list('?waiting=true')).to.deep.equal([])
    expect(await list()).to.deep.equal([done, waiting])
  })

  for (const to of ['Otto', null])
    it(`a call that moves to ${to ?? 'nobody'} is hidden from those who no longer see it, and not counted`, async () => {
      const id = await create(cast.hanna, [cast.hanna, hugo, olga])
      await judgeCalibrationCall(hugo, id, calls.max, { greeting: 'met', needs: 'met' })
      await app.db.query('UPDATE recordings SET manager_name = $2 WHERE id = $1', [calls.max, to])
      expect(await read(hugo, id)).to.include({ calls: 1, rules: 2, judged: 0 })
      expect((await readCall(hugo, id, calls.max)).status).to.equal(404)
      await submitCalibration(hugo, id, { greeting: 'met', needs: 'met' })
      await submitCalibration(olga, id, { greeting: 'missed', needs: 'met' })
      const { json } = await readResults(olga, id)
      expect(json.pairs[0], 'verdicts on an unseen call are not submitted').to.include({ compared: 2, agreed: 1 })
      expect(json.items.map((one: { recording: { id: string } }) => one.recording.id)).to.deep.equal([calls.anna])
      await app.db.query(`UPDATE recordings SET manager_name = 'Otto' WHERE id = $1`, [calls.anna])
      expect((await readResults(hugo, id)).json).to.deep.include({ total: 0, rules: [] })
    })

  it('keeps the verdicts of deactivated people and loses those of deleted calls', async () => {
    const id = await create(olga, [olga, hugo])
    await submitCalibration(olga, id, { greeting: 'met', needs: 'met' })
    await submitCalibration(hugo, id, { greeting: 'met', needs: 'missed' })
    await app.db.query('UPDATE people SET active = false WHERE id = $1', [hugo.id])
    expect((await readResults(olga, id)).json.pairs[0]).to.include({ compared: 4, agreed: 2 })
    await app.db.query('UPDATE people SET active = true WHERE id = $1', [hugo.id])
    await olga.delete(`/v1/recordings/${calls.max}`)
    expect((await readResults(olga, id)).json.pairs[0]).to.include({ compared: 2, agreed: 1 })
    const { rows } = await app.db.query('SELECT count(*)::int AS count FROM calibration_verdicts')
    expect(rows[0].count).to.equal(4)
  })

  it('limits the calibrations of a person and audits each change', async () => {
    const entries = await fetchNewAuditEntries(app, async () => {
      const id = await create(cast.hanna, [cast.hanna, hugo], [calls.max])
      await submitCalibration(cast.hanna, id, { greeting: 'met', needs: 'met' })
      await cast.hanna.delete(`/v1/calibrations/${id}`)
    })
    expect(auditActionsOf(entries).filter((action) => !action.endsWith('.read'))).to.deep.equal([
      'calibration.create',
      'calibration.judge',
      'calibration.judge',
      'calibration.submit',
      'calibration.delete',
    ])
    await app.db.query(
      `INSERT INTO calibrations (id, creator_id, name) SELECT gen_random_uuid(), $1, 'C' FROM generate_series(1, $2)`,
      [cast.hanna.id, MAX_CALIBRATIONS],
    )
    const more = await post(cast.hanna, { recordingIds: [calls.max], participantIds: [cast.hanna.id, hugo.id] })
    expect(more.status).to.equal(409)
  })
})
