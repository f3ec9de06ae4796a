import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import type { PortalFault } from '../../test/portal/faults.ts'
import { waitUntil } from '../../test/wait.ts'
import { createQueueWork } from '../../platform/queue/attempts.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { crmWriteQueue } from '../queues.ts'
import { planCrmComments } from './plan.ts'

const ADD = 'crm.timeline.comment.add'

describe('rejected deal comments', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  let deals: number[]
  before(async () => {
    await crm.start({ PUBLIC_BASE_URL: 'https://panel.example' })
    await crm.disableLimiter()
    data.addUser('Anna', 'Kovaleva')
    data.addFunnel('General')
    deals = Array.from({ length: 6 }, (_, n) => data.addDeal(`Deal ${n}`))
    await crm.enableAutomation()
    await crm.chooseFunnels([0])
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps('funnels', 'stages', 'deals')
    await crm.app.olga.put('/v1/crm/writing', { on: true })
  })
  after(() => crm.stop())
  beforeEach(async () => {
    for (const table of ['crm_comments', 'recordings']) await crm.sql(`DELETE FROM ${table}`)
    await crm.sql('DELETE FROM paused_queues')
    data.comments.clear()
    crm.portal.faults = []
    crm.portal.requests.length = 0
  })

  /** Plans comments and runs the due jobs. */
  const write = async () => {
    await planCrmComments(crm.core)
    await crm.runDueJobs(crmWriteQueue)
  }
  /** Moves the due times of comments, and of the pause of their queue, back by `seconds`. */
  const pass = async (seconds: number) => {
    await crm.sql('UPDATE crm_comments SET next_attempt_at = next_attempt_at - make_interval(secs => $1)', [seconds])
    await crm.sql('UPDATE paused_queues SET probe_at = probe_at - make_interval(secs => $1)', [seconds])
  }
  const rows = async () =>
    (
      await crm.sql(
        `SELECT recording_id AS id, status, attempts, last_error AS error,
                round(extract(epoch FROM next_attempt_at - now()))::int AS wait FROM crm_comments`,
      )
    ).reduce<Record<string, Record<string, unknown>>>((all, { id, ...row }) => ({ ...all, [id]: row }), {})
  const writing = async () => (await crm.app.olga.get('/v1/crm/writing')).json
  const commented = () => data.comments.rows.map(({ ENTITY_ID }) => Number(ENTITY_ID)).toSorted((a, b) => a - b)
  const isOf = (deal: number) => (asked: Record<string, unknown>) =>
    String((asked.fields as Record<string, unknown>).ENTITY_ID) === String(deal)

  it('comments wait while the write webhook is invalid, and writing cannot be turned on', async () => {
    const why = 'CRM_WRITE_WEBHOOK_URL must be the address of an incoming webhook: https://PORTAL/rest/USER/CODE/'
    const right = crm.portal.writeUrl
    const put = async (on: boolean) => (await crm.app.olga.put('/v1/crm/writing', { on })).json
    const configs = [crm.app.config, crm.core.config]
    const configure = (link: string) => configs.forEach((config) => (config.CRM_WRITE_WEBHOOK_URL = link))
    const id = await crm.addTranscribedCall(deals[0]!)
    try {
      configure(`${right}crm.deal.list/x`)
      await write()
      const waiting = (await rows())[id]!
      expect(waiting).to.include({ status: 'QUEUED', attempts: 0, error: why })
      expect(waiting.wait).to.be.within(50, 60)
      expect(await writing()).to.include({ on: true, waiting: 1, failed: 0, reason: why, reasonCode: 'NOT_CONFIGURED' })
      await put(false)
      expect(await put(true)).to.include({ statusCode: 409, message: why })
      configure(right)
      expect(await put(true)).to.include({ on: true, reason: null })
      await crm.sql('UPDATE crm_automation SET writing_since = created_at FROM recordings WHERE recordings.id = $1', [
        id,
      ])
      await pass(60)
      await write()
      expect(commented()).to.deep.equal([deals[0]])
    } finally {
      configure(right)
      await put(true)
    }
  })

  it('a person’s comment that links to the recording is not changed', async () => {
    const id = await crm.addTranscribedCall(deals[0]!)
    const link = `https://panel.example/recordings/${id}`
    const theirs = [`Please listen: ${link}`, link, `Call 12 Mar 2026 17:28, incoming\n${link}\nI called her back.`]
    theirs.forEach((COMMENT, n) =>
      data.comments.add({
        ID: String(n + 1),
        ENTITY_ID: String(deals[0]),
        ENTITY_TYPE: 'deal',
        COMMENT,
        CREATED: data.time(),
        AUTHOR_ID: '1',
      }),
    )
    for (const [kind, pause] of [
      ['drop-before', 90],
      ['drop-after', 180],
    ] as const) {
      crm.portal.planFault({ method: ADD, times: 1, fault: { kind } })
      await write()
      await pass(pause)
    }
    await write()
    const texts = data.comments.rows.map(({ COMMENT }) => COMMENT)
    expect([texts.slice(0, 3), texts.length]).to.deep.equal([theirs, 4])
    expect(texts[3]).to.match(/^Call /)
    expect((await rows())[id]!.status).to.equal('SENT')
  })

  it('a lost response counts no attempt, and the comment waits 90 seconds', async () => {
    const id = await crm.addTranscribedCall(deals[0]!)
    crm.portal.planFault({ method: ADD, times: 1, fault: { kind: 'drop-after' } })
    await write()
    const { status, attempts, error, wait } = (await rows())[id]!
    expect([status, attempts]).to.deep.equal(['QUEUED', 0])
    expect(error).to.match(/^crm\.timeline\.comment\.add: the portal/)
    expect(wait).to.be.within(80, 90)
    await pass(90)
    await write()
    expect([(await rows())[id]!.status, commented()]).to.deep.equal(['SENT', [deals[0]]])
  })

  it('after repeated lost responses, the pause of a comment doubles up to an hour', async () => {
    const id = await crm.addTranscribedCall(deals[0]!)
    crm.portal.planFault({ method: ADD, fault: { kind: 'drop-before' } })
    const waits: unknown[] = []
    for (let n = 0; n < 8; n++) {
      await write()
      waits.push((await rows())[id]!.wait)
      await pass(3600)
    }
    for (const [n, wait] of waits.entries()) {
      const pause = Math.min(3600, 90 * 2 ** n)
      expect(wait, `loss ${n + 1}`).to.be.within(pause - 10, pause)
    }
  })

  it('a stop during a request counts no attempt, and the comment waits 90 seconds', async () => {
    const id = await crm.addTranscribedCall(deals[0]!)
    await planCrmComments(crm.core)
    crm.portal.planFault({ method: ADD, times: 1, fault: { kind: 'silent' } })
    const stopping = new AbortController()
    const work = createQueueWork(crm.core, crmWriteQueue)
    const attempt = (await work.claim())!
    const run = work.run(attempt, stopping.signal)
    await waitUntil('it asks', () => crm.portal.findRequests(ADD).length === 1)
    stopping.abort()
    await run
    await work.store(attempt)
    const { status, attempts, wait } = (await rows())[id]!
    expect([status, attempts]).to.deep.equal(['QUEUED', 0])
    expect(wait).to.be.within(80, 90)
  })

  for (const fault of [
    { kind: 'drop-before' },
    { kind: 'error', status: 500, code: 'INTERNAL_SERVER_ERROR' },
  ] as PortalFault[]) {
    it(`a comment finally fails if the portal accepts only other comments (${fault.kind})`, async () => {
      crm.portal.planFault({ method: ADD, when: isOf(deals[0]!), fault })
      const id = await crm.addTranscribedCall(deals[0]!)
      for (let n = 0; n < 9; n++) {
        await write()
        await crm.addTranscribedCall(deals[1]!)
        await write()
        await crm.sql(`UPDATE crm_comments SET next_attempt_at = now() WHERE status = 'QUEUED'`)
      }
      expect((await rows())[id]).to.include({ status: 'FAILED', attempts: 8 })
    })
  }

  const DENIALS: PortalFault[] = [
    { kind: 'error', status: 400, code: 'ACCESS_DENIED', description: 'Access denied!' },
    { kind: 'error', status: 400, code: '', description: 'Access denied.' },
  ]
  const refuse = (refused: number[], fault = DENIALS[0]!) =>
    refused.map((deal) => crm.portal.planFault({ method: ADD, when: isOf(deal), fault }))
  for (const fault of DENIALS) {
    it(`a deal that rejects its comment fails only that comment (code “${fault.kind === 'error' ? fault.code : ''}”)`, async () => {
      refuse([deals[0]!], fault)
      const [refused] = [await crm.addTranscribedCall(deals[0]!), await crm.addTranscribedCall(deals[1]!)]
      await write()
      await crm.addTranscribedCall(deals[2]!)
      await write()
      expect(commented()).to.deep.equal([deals[1], deals[2]])
      const row = (await rows())[refused]!
      expect(row.status).to.equal('FAILED')
      expect(row.error).to.match(/^crm\.timeline\.comment\.add: .*access denied/i)
      expect(await writing()).to.include({ sent: 2, failed: 1, waiting: 0, reason: null })
    })
  }

  it('after rejections by several deals, all comments wait and are written later', async () => {
    const withdraw = refuse(deals)
    for (const deal of deals) await crm.addTranscribedCall(deal)
    await write()
    expect(crm.portal.findRequests(ADD)).to.have.length(3)
    expect(await writing()).to.include({ sent: 0, failed: 0, waiting: 6, reasonCode: 'ACCESS_DENIED' })
    expect(await createQueueWork(crm.core, crmWriteQueue).claim()).to.equal(undefined)
    await pass(3600)
    await write()
    expect(crm.portal.findRequests(ADD), 'one is tried after an hour').to.have.length(4)
    expect(await writing()).to.include({ failed: 0, waiting: 6, reasonCode: 'ACCESS_DENIED' })
    for (const one of withdraw) one()
    await pass(3600)
    await pass(3600)
    await write()
    expect(commented()).to.deep.equal(deals)
    expect(await writing()).to.include({ sent: 6, failed: 0, waiting: 0, reason: null })
  })

  it('three deals that always reject comments delay other comments only once', async () => {
    refuse(deals.slice(0, 3))
    for (const deal of deals.slice(0, 3)) await crm.addTranscribedCall(deal)
    await write()
    await crm.addTranscribedCall(deals[3]!)
    await write()
    expect([commented(), (await writing()).waiting]).to.deep.equal([[], 4])
    await pass(3600)
    await write()
    expect(commented(), 'what was planned meanwhile comes first').to.deep.equal([deals[3]])
    expect(await writing()).to.include({ sent: 1, failed: 3, waiting: 0, reason: null })
    await crm.addTranscribedCall(deals[4]!)
    await write()
    expect(commented()).to.deep.equal([deals[3], deals[4]])
  })

  it('occasional rejections between accepted comments pause nothing', async () => {
    refuse(deals.slice(0, 3))
    for (let n = 0; n < 3; n++) {
      await crm.addTranscribedCall(deals[n]!)
      await write()
      await crm.addTranscribedCall(deals[n + 3]!)
      await write()
    }
    expect([commented(), (await writing()).failed]).to.deep.equal([deals.slice(3), 3])
  })
})
