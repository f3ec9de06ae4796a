import { expect } from 'chai'
import { enqueueAutomaticCheck } from '../check/checks/check-requests.ts'
import { analysisQueue } from '../check/checks/queue.ts'
import { runInTransaction } from '../platform/db/db.ts'
import type { RecordingJson } from '../calls/recordings/schema.ts'
import { insertCalls, type TestCallRow } from '../test/calls.ts'
import { TestCrmApp } from '../test/crm-app.ts'
import { createPublishedRuleSet } from '../test/rule-sets.ts'
import { SeededRandom } from '../test/seeded-random.ts'
import { waitUntil } from '../test/wait.ts'
import { isCrmAutomationOn } from './automation/state.ts'
import { crmSyncQueue } from './queues.ts'

const ORDER_COUNT = 50
const DAY_MS = 24 * 3600_000
const SEGMENTS_JSON = JSON.stringify([{ start: 0, end: 2, channel: 0, text: 'Добрый день' }])
const [CLIENT_A, CLIENT_B] = ['+375291110001', '+375291110002']
const [ANNA, PYOTR] = [1, 2]
/** SALES is a funnel of a department. UNREAD belongs to no department, so its deals are not read. */
const [SALES, UNREAD] = [0, 1]
const [OWN, OF_PYOTR, OF_B, MOVED] = [101, 102, 103, 104]

/** An event of the scenario. It happens once, after the events named in `after`. */
interface ScenarioEvent {
  after?: string[]
  happen: () => Promise<unknown>
}

/**
 * Submits, corrects and deletes calls, adds portal calls and deals, and applies a roster in random order. Background work of the
 * service runs in between. `after` fixes the order only if another order correctly gives another result.
 * A correction, a choice and a deletion follow their submission. A change of a deal follows the deal.
 * Two corrections of a call id keep their order. The deletion of a portal call follows its link, because deleted calls leave no
 * trace. A portal call with audio follows the submission of its call, because a loaded call rejects the submission.
 * Rule sets select calls by direction only: rule sets of a department apply to the calls of a new roster only after a recheck.
 */
describe('CRM calls, deals and people in random order', function () {
  this.timeout(600_000)
  const crm = new TestCrmApp()
  const { data } = crm.portal
  const at = new Date(Date.now() - DAY_MS)
  const ids = new Map<string, string>()
  let contacts: number[]
  let department: string

  before(async () => {
    await crm.start({ ANALYSIS_SEED_RULES: false })
    await crm.disableLimiter()
    data.addUser('Анна', 'Ковалёва')
    data.addUser('Пётр', 'Орлов')
    data.addFunnel('Sales')
    data.addFunnel('Suppliers')
    contacts = [CLIENT_A, CLIENT_B].map((phone) => data.addContact('Client', [phone]))
    await createPublishedRuleSet(crm.app.olga, 'in', { applies: { direction: ['INBOUND', null] } })
    await createPublishedRuleSet(crm.app.olga, 'out', { applies: { direction: ['OUTBOUND'] } })
    await crm.enableAutomation()
    department = (await crm.app.olga.post('/v1/departments', { name: 'Sales', funnels: [SALES] })).json.id
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps('users', 'departments', 'funnels', 'stages')
  })
  after(() => crm.stop())

  /** Inserts a submitted call without the API, which would write a file for each call. */
  const submit = (name: string, fields: TestCallRow) => async () => {
    const now = new Date().toISOString()
    const common = { status: 'QUEUED', direction: 'INBOUND', at: at.toISOString(), createdAt: now }
    const [id] = await insertCalls(crm.app, [{ ...common, ...fields }])
    ids.set(name, id!)
  }
  const succeed = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer
    expect(status, text).to.be.within(200, 204)
  }
  const correct = (name: string, fields: object) => () =>
    succeed(crm.app.olga.patch(`/v1/recordings/${ids.get(name)}`, fields))
  const remove = (name: string) => () => succeed(crm.app.olga.delete(`/v1/recordings/${ids.get(name)}`))
  const choose = (name: string, deal: number) => async () => {
    await crm.runSteps('deals')
    await succeed(crm.app.olga.put(`/v1/recordings/${ids.get(name)}/deals`, { dealIds: [String(deal)] }))
  }
  const portalCall = (callId: string, userId: number, phone: string, dealIds: number[] | null, audio?: Buffer) => async () =>
    void data.addCall({ callId, userId, phone, dealIds, audio, startedAt: at.getTime() }) // prettier-ignore
  const deal = (id: number, client: number, assignedById: number) => async () => {
    const createdTime = data.time(at.getTime() - id * 3600_000)
    data.addDeal(`deal ${id}`, { id, contactId: contacts[client], assignedById, createdTime })
  }
  const change = (id: number, fields: object) => async () => {
    Object.assign(data.deals.get(id)!, fields, { updatedTime: data.time() })
  }
  const move = (id: number, stage: string) => async () => data.moveDeal(id, stage)
  const applyRoster = async () => {
    const members = [ANNA, PYOTR].map((userId) => ({ userId: String(userId), departmentId: department }))
    await succeed(crm.app.olga.put('/v1/crm/roster', { members }))
  }

  const EVENTS: Record<string, ScenarioEvent> = {
    roster: { happen: applyRoster },
    'deal of Anna': { happen: deal(OWN, 0, ANNA) },
    'deal of Pyotr': { happen: deal(OF_PYOTR, 0, ANNA) },
    'given to Pyotr': { after: ['deal of Pyotr'], happen: change(OF_PYOTR, { assignedById: PYOTR }) },
    'deal of B': { happen: deal(OF_B, 1, PYOTR) },
    'deal of B is won': { after: ['deal of B'], happen: move(OF_B, 'WON') },
    'deal that moves': { happen: deal(MOVED, 1, PYOTR) },
    'deal has moved': { after: ['deal that moves'], happen: move(MOVED, `C${UNREAD}:NEW`) },
    // A call submitted without a manager. The portal names the manager, and a person corrects the phone.
    nameless: { happen: submit('nameless', { externalCallId: 'X1', phone: CLIENT_A }) },
    'nameless in the portal': { happen: portalCall('X1', ANNA, CLIENT_A, null) },
    'nameless has another phone': { after: ['nameless'], happen: correct('nameless', { phoneNumber: CLIENT_B }) },
    // Calls with two spellings of one manager. The roster decides which deal belongs to the manager.
    spelled: { happen: submit('spelled', { manager: 'Петр Орлов', phone: CLIENT_A }) },
    'spelled otherwise': { happen: submit('spelled otherwise', { manager: 'ПЁТР ОРЛОВ', phone: CLIENT_B }) },
    'is outbound': { after: ['spelled otherwise'], happen: correct('spelled otherwise', { direction: 'OUTBOUND' }) },
    // A call with a wrong call id and a wrong manager.
    mistyped: {
      happen: submit('mistyped', { externalCallId: 'X', manager: 'Анна Ковалева', phone: CLIENT_A }),
    },
    'mistyped in the portal': { happen: portalCall('X2', PYOTR, CLIENT_B, [OF_B]) },
    'mistyped is X2': { after: ['mistyped'], happen: correct('mistyped', { externalCallId: 'X2' }) },
    // A call with the id of another call, which is loaded after the correction.
    mistaken: { happen: submit('mistaken', { externalCallId: 'X3', manager: 'Анна', phone: CLIENT_B }) },
    'mistaken in the portal': {
      after: ['mistaken'],
      happen: portalCall('X3', ANNA, CLIENT_A, [OWN], Buffer.from('X3')),
    },
    'mistaken is not X3': { after: ['mistaken'], happen: correct('mistaken', { externalCallId: null }) },
    // Deleted calls: the portal does not know the first one and knows the second one.
    unknown: { happen: submit('unknown', { phone: CLIENT_A, manager: 'Анна Ковалёва' }) },
    'unknown is removed': { after: ['unknown'], happen: remove('unknown') },
    removed: { happen: submit('removed', { externalCallId: 'X4', phone: CLIENT_A }) },
    'removed in the portal': { happen: portalCall('X4', PYOTR, CLIENT_A, [OWN]) },
    'is removed': {
      after: ['removed', 'removed in the portal', 'roster'],
      happen: async () => {
        await work('calls')
        await work('matches')
        await remove('removed')()
      },
    },
    early: { happen: submit('early', { phone: CLIENT_A, manager: 'анна ковалева' }) },
    'early was earlier': {
      after: ['early'],
      happen: correct('early', { callStartedAt: new Date(at.getTime() - 40 * DAY_MS).toISOString() }),
    },
    elsewhere: { happen: submit('elsewhere', { externalCallId: 'X5', phone: CLIENT_B }) },
    'elsewhere in the portal': { happen: portalCall('X5', ANNA, CLIENT_B, [MOVED]) },
    named: { happen: submit('named', { externalCallId: 'X6', phone: CLIENT_A }) },
    'named in the portal': { happen: portalCall('X6', ANNA, CLIENT_A, null) },
    'named by a person': { after: ['named'], happen: correct('named', { managerName: 'Пётр Орлов' }) },
    chosen: { happen: submit('chosen', { phone: CLIENT_A }) },
    'chosen by a person': { after: ['chosen', 'deal of B'], happen: choose('chosen', OF_B) },
  }

  /** The background work of the service, which runs in random order. After all events, each kind runs once more. */
  const WORK = {
    deals: () => crm.runSteps('deals', 'contacts', 'stage-history'),
    calls: () => crm.runSteps('calls'),
    loads: async () => {
      await crm.makeJobsDue()
      await crm.runDueJobs(crmSyncQueue)
    },
    texts: insertTranscripts,
    matches: () => crm.linkDeals(),
    checks: () => crm.runDueJobs(analysisQueue),
  }
  const work = (name: keyof typeof WORK) => WORK[name]()

  /** Stores transcripts in place of the recognizer. */
  async function insertTranscripts() {
    for (const { id } of await crm.sql(`SELECT id FROM recordings WHERE status = 'QUEUED'`)) {
      await runInTransaction(crm.core.db, async (sql) => {
        await sql.query({
          text: `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments) VALUES ($1, 'Добрый день', 'm', 'greedy', 'ru', $2)`,
          values: [id, SEGMENTS_JSON],
        })
        await sql.query({ text: `UPDATE recordings SET status = 'DONE', duration_seconds = 60 WHERE id = $1`, values: [id] })
        await enqueueAutomaticCheck(sql, crm.core.config, id)
      })
    }
  } // prettier-ignore

  async function deleteAllData() {
    const tables = ['recordings', 'crm_calls', 'crm_sync_jobs', 'crm_deals', 'crm_stage_history', 'crm_contacts', 'crm_roster']
    for (const table of [...tables, 'department_managers', 'managers']) await crm.sql(`DELETE FROM ${table}`)
    await crm.sql(`DELETE FROM crm_steps WHERE name IN ('deals', 'contacts', 'stage-history', 'calls', 'matches', 'match-backlog')`)
    for (const table of [data.deals, data.stageHistory, data.calls, data.activities, data.files]) table.clear()
    ids.clear()
  } // prettier-ignore

  async function runRandomOrder(seed: number): Promise<string[]> {
    const shuffle = new SeededRandom(seed)
    const order: string[] = []
    while (order.length < Object.keys(EVENTS).length) {
      const next = Object.keys(EVENTS).filter(
        (name) => !order.includes(name) && (EVENTS[name]!.after ?? []).every((one) => order.includes(one)),
      )
      const name = shuffle.pick(next)
      order.push(name)
      await EVENTS[name]!.happen()
      if (shuffle.chance(1 / 4)) await work(shuffle.pick(Object.keys(WORK) as (keyof typeof WORK)[]))
    }
    for (const name of [...Object.keys(WORK), 'matches'] as (keyof typeof WORK)[]) await work(name)
    return order
  }

  const read = async (path: string) => {
    const { status, json, text } = await crm.app.olga.get(path)
    expect(status, text).to.equal(200)
    return json
  }

  /** Fetches the calls, their deals and checks, and the reports. */
  async function fetchOutcome() {
    const [loaded] = await crm.sql(`SELECT id FROM recordings WHERE source = 'crm'`)
    if (loaded) ids.set('X3 itself', loaded.id)
    const [from, to] = [at.getTime() - 60 * DAY_MS, Date.now() + DAY_MS].map((time) => new Date(time).toISOString().slice(0, 10))
    const period = `from=${from}&to=${to}`
    const paths = ['analytics/sales', 'analytics/quality', 'analytics/refusals', 'crm/reconciliation']
    const [{ items }, reason, facets, ...reports] = await Promise.all([
      read('/v1/recordings?pageSize=100'),
      read(`/v1/recordings/${ids.get('elsewhere')}/deals`),
      read('/v1/recordings/facets'),
      ...paths.map((path) => read(`/v1/${path}?${period}`)),
    ])
    const calls = items.map(({ id, managerName, department, score }: RecordingJson) => ({ id, managerName, department, score }))
    const links = await crm.sql('SELECT recording_id, deal_id, linked_by, ambiguous FROM crm_call_deals')
    const checks = await crm.sql(`SELECT a.recording_id, a.status, s.key FROM analyses a LEFT JOIN rule_set_versions v ON v.id = a.version_id
      LEFT JOIN rule_sets s ON s.id = v.rule_set_id WHERE a.is_current`)
    const managers = await crm.sql('SELECT id, name FROM managers')
    return replaceIds({ calls, links, checks, reason: reason.reason, facets, reports }, managers)
  } // prettier-ignore

  /**
   * Replaces ids by names and sorts all lists, so that results of different orders are comparable. Spellings of a manager's name
   * become one, because the service keeps the first one.
   */
  function replaceIds(found: object, managers: { id: string; name: string }[]): unknown {
    let text = JSON.stringify(found, (key, value: unknown) => (key === 'asOf' ? undefined : value))
    const names = [...ids, ...managers.map(({ id, name }) => [name, id] as const)]
    for (const [name, id] of names) text = text.replaceAll(id, name)
    return JSON.parse(text.toLowerCase().replaceAll('ё', 'е'), (_, value: unknown) =>
      Array.isArray(value) ? value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : value,
    )
  }

  /** Formats one line per value, so that differences between two results are short. */
  const formatLines = (value: unknown, path = ''): string[] =>
    value !== null && typeof value === 'object'
      ? Object.entries(value).flatMap(([key, one]) => formatLines(one, `${path}/${key}`))
      : [`${path} ${String(value)}`]

  it(`${ORDER_COUNT} random orders of calls, deals and people have the same result`, async () => {
    let expected: string[] | undefined
    for (let seed = 1; seed <= ORDER_COUNT; seed++) {
      await deleteAllData()
      const order = await runRandomOrder(seed)
      const found = formatLines(await fetchOutcome())
      expected ??= found
      const [more, fewer] = [found.filter((line) => !expected!.includes(line)), expected.filter((line) => !found.includes(line))]
      expect({ more, fewer }, `seed ${seed}: ${order.join(', ')}`).to.deep.equal({ more: [], fewer: [] })
    }
  }) // prettier-ignore
})
