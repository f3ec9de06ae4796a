import { expect } from 'chai'
import { runInTransaction } from '../../platform/db/db.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { TestCrmApp } from '../../test/crm-app.ts'
import type { PortalFault } from '../../test/portal/faults.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { waitUntil } from '../../test/wait.ts'
import { rescueExpiredJobs, createQueueWork } from '../../platform/queue/attempts.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { crmWriteQueue } from '../queues.ts'
import { planCrmComments } from './plan.ts'

describe('deal comments', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  let deal: string
  before(async () => {
    await crm.start({ PUBLIC_BASE_URL: 'https://panel.example' })
    await crm.disableLimiter()
    data.addUser('Anna', 'Kovaleva')
    data.addFunnel('General')
    deal = String(data.addDeal('Windows'))
    await crm.enableAutomation()
    await crm.chooseFunnels([0])
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps('funnels', 'stages', 'deals')
  })
  after(() => crm.stop())
  beforeEach(async () => {
    for (const table of ['crm_comments', 'recordings']) await crm.sql(`DELETE FROM ${table}`)
    data.comments.clear()
    crm.portal.faults = []
    crm.portal.requests.length = 0
  })

  /** Inserts a transcribed and checked call that is linked to the deal. */
  const addCall = async ({ score = 72, began = 'now()', ambiguous = false } = {}): Promise<string> => {
    const id = generateId()
    await crm.sql(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status, call_started_at, direction, manager_name, duration_seconds, score)
       VALUES ($1, 'crm', $2, 1, 'DONE', ${began}, 'INBOUND', 'Anna Kovaleva', 95, $3)`,
      [id, id, score],
    )
    await crm.sql(
      `INSERT INTO analyses (id, recording_id, status, is_current, score) VALUES ($1, $2, 'DONE', true, $3)`,
      [generateId(), id, score],
    )
    const link = 'INSERT INTO crm_call_deals (recording_id, deal_id, linked_by, ambiguous) VALUES ($1, $2, $3, $4)'
    await crm.sql(link, [id, deal, 'phone', ambiguous])
    await crm.sql(`INSERT INTO crm_matches (recording_id, state) VALUES ($1, $2)`, [
      id,
      ambiguous ? 'ambiguous' : 'linked',
    ])
    return id
  }
  const write = async () => {
    await planCrmComments(crm.core)
    await crm.sql(`UPDATE crm_comments SET next_attempt_at = now() WHERE status = 'QUEUED'`)
    await crm.runDueJobs(crmWriteQueue)
  }
  const texts = () => data.comments.rows.map(({ COMMENT }) => COMMENT)
  const states = async () => (await crm.sql('SELECT status FROM crm_comments')).map(({ status }) => status)
  const put = async (on: boolean) => (await crm.app.olga.put('/v1/crm/writing', { on })).json

  it('comments are off at first; a preview shows the text without writing it', async () => {
    const id = await addCall()
    await write()
    const none = { since: null, reason: null, reasonCode: null, pause: null, sent: 0, failed: 0, waiting: 0 }
    expect((await crm.app.olga.get('/v1/crm/writing')).json).to.deep.equal({ configured: true, on: false, ...none })
    const { json } = await crm.app.olga.get(`/v1/crm/writing/preview?recordingId=${id}`)
    expect(json.dealId).to.equal(deal)
    expect(json.text).to.match(
      /^Call .*, incoming, 1 min 35 s, Anna Kovaleva\nScore 72 of 100\.\nhttps:\/\/panel\.example\/recordings\//,
    )
    expect(crm.portal.requests).to.deep.equal([])
    expect(texts()).to.deep.equal([])
  })

  it('only new calls with a certain deal get a comment, by the write webhook', async () => {
    expect(await put(true)).to.include({ on: true })
    await addCall({ began: `now() - interval '1 minute'` })
    await addCall({ ambiguous: true })
    const id = await addCall()
    await write()
    await write()
    expect(texts()).to.have.length(1)
    expect(texts()[0]).to.contain(`https://panel.example/recordings/${id}`)
    expect(crm.portal.requests.map(({ hook }) => hook)).to.deep.equal(['write'])
    expect((await crm.app.olga.get('/v1/crm/writing')).json).to.include({ sent: 1, waiting: 0, failed: 0 })
  })

  it('a changed check updates the comment, unless a person removed the comment', async () => {
    const id = await addCall()
    await write()
    const rescored = async (score: number) => {
      await crm.sql('UPDATE recordings SET score = $2 WHERE id = $1', [id, score])
      await crm.sql('UPDATE analyses SET changed_at = now() WHERE recording_id = $1', [id])
      await write()
    }
    await rescored(90)
    expect(texts()).to.have.length(1)
    expect(texts()[0]).to.contain('Score 90 of 100.')
    data.comments.clear()
    const fault: PortalFault = { kind: 'error', status: 400, code: 'NOT_FOUND' }
    crm.portal.planFault({ method: 'crm.timeline.comment.update', times: 1, fault })
    await rescored(50)
    await rescored(40)
    expect([texts(), await states()]).to.deep.equal([[], ['REMOVED']])
  })

  it('a check that changes while its comment is sent updates the comment afterwards', async () => {
    const id = await addCall()
    crm.portal.planFault({ method: 'crm.timeline.comment.add', times: 1, fault: { kind: 'slow', ms: 500 } })
    const first = write()
    await waitUntil('it is under way', () => crm.portal.findRequests('crm.timeline.comment.add').length === 1)
    await crm.sql('UPDATE recordings SET score = 33 WHERE id = $1', [id])
    await crm.sql('UPDATE analyses SET changed_at = now() WHERE recording_id = $1', [id])
    await first
    await write()
    expect(texts().map((text) => text.split('\n')[1])).to.deep.equal(['Score 33 of 100.'])
  })

  it('moving a call to another deal adds a comment there and marks the old one', async () => {
    const other = String(data.addDeal('Doors'))
    await crm.runSteps('deals')
    const id = await addCall()
    await write()
    const move = async (to: string) => {
      await crm.app.olga.put(`/v1/recordings/${id}/deals`, { dealIds: [to] })
      await write()
      await write()
      return Object.fromEntries(data.comments.rows.map(({ ENTITY_ID, COMMENT }) => [ENTITY_ID, COMMENT.split('\n')[1]]))
    }
    const left = 'This call belongs to another deal.'
    expect(await move(other)).to.deep.equal({ [deal]: left, [other]: 'Score 72 of 100.' })
    await crm.sql('UPDATE analyses SET changed_at = now() WHERE recording_id = $1', [id])
    expect(await move(deal)).to.deep.equal({ [deal]: 'Score 72 of 100.', [other]: left })
    expect(data.comments.rows.length).to.equal(2)
  })

  it('an existing comment is updated and moves with its call at any age', async () => {
    const [old, strange] = [await addCall(), await addCall()]
    await write()
    await crm.sql(`UPDATE recordings SET call_started_at = now() - interval '300 days'`)
    await crm.sql('DELETE FROM crm_comments WHERE recording_id = $1', [strange])
    data.comments.rows
      .filter(({ COMMENT }) => COMMENT.includes(strange))
      .forEach(({ ID }) => data.comments.remove(Number(ID)))
    await crm.sql('UPDATE recordings SET score = 55')
    await crm.sql('UPDATE analyses SET changed_at = now()')
    await write()
    expect(texts().map((text) => text.split('\n')[1])).to.deep.equal(['Score 55 of 100.'])
    const other = String(data.addDeal('Roof'))
    await crm.runSteps('deals')
    await crm.app.olga.put(`/v1/recordings/${old}/deals`, { dealIds: [other] })
    await write()
    expect(data.comments.rows.map(({ ENTITY_ID, COMMENT }) => [ENTITY_ID, COMMENT.split('\n')[1]])).to.deep.equal([
      [deal, 'This call belongs to another deal.'],
      [other, 'Score 55 of 100.'],
    ])
  })

  it('a call moved during its check gets a comment in the new deal afterwards', async () => {
    const id = await addCall()
    await write()
    await crm.sql(`UPDATE recordings SET call_started_at = now() - interval '300 days'`)
    const other = String(data.addDeal('Gate'))
    await crm.runSteps('deals')
    const text = `INSERT INTO analyses (id, recording_id, status) VALUES ($1, $2, 'QUEUED')`
    await crm.sql(text, [generateId(), id])
    await crm.app.olga.put(`/v1/recordings/${id}/deals`, { dealIds: [other] })
    await write()
    await crm.sql(`UPDATE crm_matches SET matched_at = now() - interval '1 day'`)
    await crm.sql(`DELETE FROM analyses WHERE status = 'QUEUED'`)
    await crm.sql('UPDATE analyses SET changed_at = now()')
    await write()
    expect(data.comments.rows.map(({ ENTITY_ID }) => ENTITY_ID)).to.deep.equal([deal, other])
  })

  it('old changes are planned in pages, each in its own transaction', async () => {
    for (let n = 0; n < 3; n++) await addCall()
    await write()
    const changes = await crm.sql(
      `UPDATE analyses a SET changed_at = now() + n * interval '1 microsecond'
         FROM (SELECT id, row_number() OVER () AS n FROM analyses) o WHERE o.id = a.id RETURNING a.id`,
    )
    await crm.sql(`UPDATE recordings SET call_started_at = now() - interval '300 days'`)
    await crm.sql('UPDATE crm_automation SET comments_planned_at = NULL')
    await crm.sql('UPDATE crm_matches SET matched_at = NULL')
    await planCrmComments(crm.core, 1)
    const planned = await crm.sql(`SELECT xmin::text AS page FROM crm_comments WHERE status = 'QUEUED'`)
    expect([planned.length, new Set(planned.map(({ page }) => page)).size]).to.deep.equal([changes.length, 3])
  })

  it('planning comments blocks neither other workers nor an owner’s pause', async () => {
    const id = await addCall()
    await write()
    await crm.sql('UPDATE analyses SET changed_at = now() WHERE recording_id = $1', [id])
    let planning: Promise<void> | undefined
    await runInTransaction(crm.core.db, async (sql) => {
      await sql.query({ text: 'SELECT FROM crm_comments FOR UPDATE' })
      planning = planCrmComments(crm.core)
      await waitUntil('it waits for the comment', async () => {
        const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        return (await crm.sql(text)).length === 1
      })
      await planCrmComments(crm.core)
      expect((await crm.app.olga.post('/v1/crm/automation/pause')).status).to.equal(200)
      expect((await crm.app.olga.post('/v1/crm/automation/resume')).status).to.equal(200)
    })
    await planning
    expect(await states()).to.deep.equal(['QUEUED'])
  })

  it('the comment of a merged deal is reused in the remaining deal', async () => {
    const gone = String(data.addDeal('Twin'))
    await crm.runSteps('deals')
    const id = await addCall()
    await crm.sql('UPDATE crm_call_deals SET deal_id = $2 WHERE recording_id = $1', [id, gone])
    await write()
    data.mergeDeals(Number(deal), Number(gone))
    await crm.sql('UPDATE crm_deals SET missed_at = now(), merged_into = $2 WHERE id = $1', [gone, deal])
    await crm.sql('UPDATE crm_call_deals SET deal_id = $2 WHERE recording_id = $1', [id, deal])
    await write()
    await write()
    expect(data.comments.rows.map(({ ENTITY_ID }) => ENTITY_ID)).to.deep.equal([deal])
    expect(texts()[0]).to.contain('Score 72 of 100.')
    expect(crm.portal.findRequests('crm.timeline.comment.update')).to.deep.equal([])
  })

  it('while the portal rejects comments, they wait, and the reason is shown', async () => {
    const read = async () => (await crm.app.olga.get('/v1/crm/writing')).json
    crm.portal.write.state = 'removed'
    for (let n = 0; n < 3; n++) await addCall()
    await write()
    const until = await crm.sql(
      `SELECT round(extract(epoch FROM probe_at - now()) / 60)::int AS m FROM paused_queues WHERE name = 'crm-write'`,
    )
    expect(until).to.deep.equal([{ m: 60 }])
    const { reason, pause } = await read()
    expect(pause).to.include({ reason })
    const listed = (await crm.app.olga.get('/v1/queues')).json.find(
      ({ name }: { name: string }) => name === 'crm-write',
    )
    expect(listed).to.deep.include({ paused: true, pause })
    expect(await read()).to.include({ waiting: 3, failed: 0, reasonCode: 'INVALID_CREDENTIALS' })
    expect((await read()).reason)
      .to.contain('Invalid request credentials')
      .and.not.contain(crm.portal.write.code)
    expect(await createQueueWork(crm.core, crmWriteQueue).claim()).to.equal(undefined)
    expect((await crm.app.olga.get('/v1/crm/automation')).json.state).to.equal('on')
    crm.portal.write.state = 'valid'
    await put(false)
    await put(true)
    await write()
    expect(await read()).to.include({ waiting: 0, sent: 3, reason: null })
  })

  const LOSSES: PortalFault[] = [
    { kind: 'drop-before' },
    { kind: 'drop-after' },
    { kind: 'html', status: 500 },
    { kind: 'cut' },
    { kind: 'error', status: 500, code: 'INTERNAL_SERVER_ERROR' },
  ]

  it('each comment is written exactly once despite lost responses and worker crashes', async () => {
    for (let n = 0; n < chooseRepeatCount(1, 5); n++) {
      for (const fault of LOSSES) {
        for (const dies of [false, true]) {
          await addCall()
          crm.portal.planFault({ method: 'crm.timeline.comment.add', times: 1, fault })
          if (dies) await crashAfterRequest()
          await write()
          await write()
        }
      }
    }
    const ids = texts().map((text) => text.split('/').at(-1))
    expect(ids.length).to.equal(10 * chooseRepeatCount(1, 5))
    expect(new Set(ids).size).to.equal(ids.length)
    expect(new Set(await states())).to.deep.equal(new Set(['SENT']))
  })

  /** Simulates a worker that sends its request but dies before it stores the result. */
  async function crashAfterRequest(): Promise<void> {
    await planCrmComments(crm.core)
    const attempt = await createQueueWork(crm.core, crmWriteQueue).claim()
    await createQueueWork(crm.core, crmWriteQueue).run(attempt!, new AbortController().signal)
    attempt!.heartbeat.stop()
    await crm.sql(`UPDATE crm_comments SET lease_until = now() - interval '1 s' WHERE status = 'PROCESSING'`)
    await rescueExpiredJobs(crm.core, crmWriteQueue)
  }

  it('the start time of comment writing is shown only while it is on', async () => {
    const since = async () => [
      (await crm.app.olga.get('/v1/crm/writing')).json.since,
      (await crm.app.olga.get('/v1/crm/connection')).json.writing.since,
    ]
    const [writing, connection] = await since()
    expect(writing).to.be.a('string').and.equal(connection)
    await put(false)
    expect(await since()).to.deep.equal([null, null])
  })

  it('comment writing cannot be turned on while the automation is paused', async () => {
    await put(false)
    await crm.app.olga.post('/v1/crm/automation/pause')
    const paused = await crm.app.olga.put('/v1/crm/writing', { on: true })
    expect([paused.status, paused.json.message]).to.deep.equal([409, 'Turn on automation first'])
    expect((await crm.app.ida.put('/v1/crm/writing', { on: true })).status).to.equal(403)
    const switched = await crm.sql(`SELECT details FROM audit WHERE action = 'crm.writing' ORDER BY id`)
    expect(switched.map(({ details }) => details.after)).to.deep.equal([true, false, true, false].map((on) => ({ on })))
  })
})
