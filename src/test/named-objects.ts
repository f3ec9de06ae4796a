import { NOTHING } from '../reports/weekly/gather.ts'
import type { Operation } from '../platform/http/operation.ts'
import { newId } from '../platform/lib/ids.ts'
import { insertCalls } from './calls.ts'
import { createDepartment, createPerson, seedCast } from './cast.ts'
import type { Client } from './client.ts'
import { insertDeals } from './company.ts'
import { Objects } from './objects.ts'
import { REFERENCES, type Kind } from './references.ts'
import type { TestApp } from './server.ts'

/** `bare` is a head without rights; heads and managers are in Sales. */
export const NAMING_CALLERS = ['owner', 'key', 'head', 'bare', 'manager', 'nobody'] as const
export type NamingCaller = (typeof NAMING_CALLERS)[number]

/** The object in a request: the caller's own, one of Support or another person, or one that does not exist. */
export type Which = 'own' | 'foreign' | 'unknown'

/** Values for the parameters of a path, and for a field. */
export type Named = Record<string, string>

/** The managers of the reports, with their user and deal in the CRM. */
const MANAGERS = [
  { name: 'Anna', number: 90001, funnel: 8001 },
  { name: 'Max', number: 90002, funnel: 8001 },
  { name: 'Otto', number: 90003, funnel: 8002 },
]
const FOR_ROSTER = [90004, 90005]
const DAY = '2001-02-01T10:00:00Z'

/** Provides objects of every kind for requests of each caller. */
export class NamedObjects {
  clients!: Record<NamingCaller, Client>
  objects!: Objects
  departments!: Record<'sales' | 'support', string>
  private readonly app: TestApp
  private people!: { head: string; foreign: string }

  constructor(app: TestApp) {
    this.app = app
  }

  async seed(): Promise<this> {
    const { app } = this
    const { sales, support, hanna, max, otto } = await seedCast(app)
    const none = { audio: false, export: false, manageRecordings: false, analytics: false, editRules: false }
    const bert = await createPerson(app, 'Bert', { role: 'head', departments: [sales], rights: none })
    const { id: olga, name } = (await app.olga.get('/v1/auth/me')).json.person
    this.departments = { sales, support }
    this.people = { head: hanna.id, foreign: otto.id }
    this.clients = { owner: app.olga, key: app.ida, head: hanna, bare: bert, manager: max, nobody: app.nobody }
    const persons = { owner: olga, key: max.id, head: hanna.id, bare: bert.id, manager: max.id, nobody: max.id }
    const names = { owner: name, key: null, head: 'Hanna', bare: 'Bert', manager: 'Max', nobody: null }
    this.objects = new Objects(app, names, persons, this.departments)
    await app.olga.patch(`/v1/departments/${sales}`, { funnels: [8001] })
    await app.olga.patch(`/v1/departments/${support}`, { funnels: [8002] })
    await this.seedReports()
    return this
  }

  /** Inserts a call, a deal, a portal row and a row of a weekly report for each manager. */
  private async seedReports(): Promise<void> {
    const weeks: object[] = []
    for (const { name, number, funnel } of MANAGERS) {
      const [call] = await insertCalls(this.app, [{ manager: name, at: DAY, createdAt: DAY, text: 'слово' }])
      const text = 'UPDATE managers SET crm_user_id = $2 WHERE name = $1 RETURNING id'
      const { rows } = await this.app.db.query<{ id: string }>(text, [name, String(number)])
      const times = { createdAt: DAY, closedAt: DAY }
      const responsible = String(number)
      await insertDeals(this.app, [
        { id: number, funnel, outcome: 'won', responsible, calls: [call!], ...times },
        { id: number + 100, funnel, outcome: 'lost', responsible, ...times },
      ])
      await this.app.db.query(
        `INSERT INTO crm_calls (id, call_id, user_id, type, duration_seconds, started_at, failed_code, load_state, recording_id)
         VALUES ($1, $2, $2, 2, 60, $3, '200', 'received', $4)`,
        [number, String(number), DAY, call],
      )
      const week = { managerId: rows[0]!.id, manager: null, weeks: [{ ...NOTHING, calls: 1 }], worst: [], best: [] }
      weeks.push({ ...week, coach: null, refusals: [], reconciliation: null })
    }
    await this.app.db.query(
      `INSERT INTO weekly_reports (week, state, made_at, timezone, managers) VALUES ('2001-W05', 'final', now(), 'UTC', $1)`,
      [JSON.stringify(weeks)],
    )
    await this.app.db.query(
      `INSERT INTO crm_users (id, name, active) SELECT n::text, 'User ' || n, true FROM unnest($1::int[]) n`,
      [FOR_ROSTER],
    )
  }

  /** Returns the id of an object. */
  async name(kind: Kind, operation: Operation, caller: NamingCaller, which: Which): Promise<Named> {
    const part = /\{(findingId|deliveryId)\}/.exec(operation.path)?.[1] as 'findingId' | 'deliveryId' | undefined
    if (part) return this.nameInCall(part, kind === 'recording', caller, which)
    const value = which === 'unknown' ? this.unknown(kind) : await this.named[kind](caller, which, operation)
    return { id: value, value }
  }

  /** Returns an object of the caller for the {id} of a path. */
  async ownPath(operation: Operation, caller: NamingCaller): Promise<Named> {
    const inPath = REFERENCES.find((one) => one.operation === operation && one.place === 'path')
    return inPath ? this.name(inPath.kind, operation, caller, 'own') : {}
  }

  /** A finding or delivery with its call; if only the former is foreign or unknown, the call is the caller's own. */
  private async nameInCall(
    part: 'findingId' | 'deliveryId',
    isOfCall: boolean,
    caller: NamingCaller,
    which: Which,
  ): Promise<Named> {
    const make = async (one: Which): Promise<string[]> => {
      if (one === 'unknown') return [newId(), newId()]
      const kind = part === 'findingId' ? 'finding' : 'delivery'
      const address = await this.objects[kind](caller, whoseOf(caller, one))
      return address.match(/[0-9a-f-]{36}/g)!
    }
    const [ownCall, ownPart] = await make('own')
    const [call, named] = which === 'own' ? [ownCall, ownPart] : await make(which)
    return { id: isOfCall ? call! : ownCall!, [part]: named! }
  }

  private unknown(kind: Kind): string {
    if (kind === 'manager') return `Nobody ${this.objects.next()}`
    return (
      { file: 'in/none.wav', deal: '99999', funnel: '8999', crmUser: '99999', rule: 'no-set/no-rule' }[
        kind as string
      ] ?? newId()
    )
  }

  private readonly named: Record<
    Kind,
    (caller: NamingCaller, which: Which, operation: Operation) => Promise<string> | string
  > = {
    recording: (caller, which, { id }) => this.call(caller, which, id),
    finding: () => '',
    delivery: () => '',
    file: () => this.file(),
    deal: (caller, which) => String(managerOf(caller, which).number),
    funnel: (caller, which) => String(managerOf(caller, which).funnel),
    manager: (caller, which) => managerOf(caller, which).name,
    crmUser: (_, which) => String(FOR_ROSTER[which === 'own' ? 0 : 1]),
    department: (_, which, operation) => this.department(which, operation),
    person: (caller, which, operation) => this.person(caller, which, operation),
    ruleSet: (caller, which, operation) => this.ruleSet(caller, which, operation),
    rule: async (caller, which) => `${(await this.checkedSet(caller, which)).key}/insults`,
    backtest: async (_, which) => idIn(await this.objects.backtest(which === 'own' ? 'sales' : 'support')),
    run: async (caller, which) => idIn(await this.objects.analysisRun(caller, which === 'own' ? 'own' : 'nobody')),
    key: async () => (await this.app.olga.post('/v1/api-keys', { name: `key ${this.objects.next()}` })).json.id,
    session: (caller, which) => this.objects.session(caller, which === 'own' ? 'own' : 'support'),
    estimate: () => this.estimate(),
    load: (_, __, { id }) => this.load(id),
  }

  private async call(caller: NamingCaller, which: Which, operation: string): Promise<string> {
    const status = { retryRecording: 'FAILED', cancelRecording: 'QUEUED' }[operation]
    const { id } = await this.objects.call(caller, whoseOf(caller, which), status ? { status } : {})
    if (operation === 'readWaveform') {
      const text = 'INSERT INTO waveforms (recording_id, duration_seconds, peaks) VALUES ($1, 1, $2)'
      await this.app.db.query(text, [id, [Buffer.from([1])]])
    }
    if (operation === 'listModelRequests') {
      const text = `INSERT INTO model_requests (id, recording_id, host, model, purpose, attempt, bytes, body_sha256, redactions)
                    VALUES ($1, $2, 'm.example.com', 'm', 'check', 1, 1, '', 0)`
      await this.app.db.query(text, [newId(), id])
    }
    if (operation.endsWith('Audit')) await this.app.olga.get(`/v1/recordings/${id}`)
    return id
  }

  async file(): Promise<string> {
    const key = `in/${this.objects.next()}.wav`
    await this.objects.store(key)
    return key
  }

  /** Operations that change objects get new ones. */
  private department(which: Which, { method, path }: Operation): Promise<string> | string {
    if (path === '/v1/departments/{id}' && method !== 'get')
      return createDepartment(this.app, `Department ${this.objects.next()}`)
    return this.departments[which === 'own' ? 'sales' : 'support']
  }

  /** The audit log is filtered by people who have logged in. */
  private async person(caller: NamingCaller, which: Which, { id }: Operation): Promise<string> {
    if (id.endsWith('Audit')) return which === 'own' ? this.people.head : this.people.foreign
    return (await this.objects.person(caller, which === 'own' ? 'sales' : 'support')).id
  }

  private async ruleSet(caller: NamingCaller, which: Which, { id: operation }: Operation): Promise<string> {
    if (operation === 'listReviews') return (await this.checkedSet(caller, which)).id
    const id = idIn(await this.objects.ruleSet(which === 'own' ? 'sales' : 'support'))
    if (operation === 'restoreRuleSetVersion')
      await this.app.db.query(`DELETE FROM rule_set_versions WHERE rule_set_id = $1 AND state = 'draft'`, [id])
    return id
  }

  /** Finds a rule set for all departments that checked one call, with a verdict on insults to review. */
  private async checkedSet(caller: NamingCaller, which: Which): Promise<{ id: string; key: string }> {
    const finding = idIn(await this.objects.finding(caller, whoseOf(caller, which)))
    const { rows } = await this.app.db.query<{ id: string; key: string }>(
      `SELECT s.id, s.key FROM findings f JOIN rule_set_versions v ON v.id = f.version_id JOIN rule_sets s ON s.id = v.rule_set_id
        WHERE f.id = $1`,
      [finding],
    )
    return rows[0]!
  }

  private async estimate(): Promise<string> {
    await this.app.db.query(`UPDATE crm_history_loads SET state = 'done'`)
    const { rows } = await this.app.db.query<{ id: string }>(
      `INSERT INTO crm_history_estimates (from_at, to_at, figures, allowed, expires_at)
       VALUES (now(), now(), '{}', true, now() + interval '1 hour') RETURNING id`,
    )
    return rows[0]!.id
  }

  private async load(operation: string): Promise<string> {
    const { rows } = await this.app.db.query<{ id: string }>(
      'INSERT INTO crm_history_loads (estimate_id, state, from_at, to_at) VALUES ($1, $2, now(), now()) RETURNING id',
      [await this.estimate(), operation === 'resumeCrmLoad' ? 'paused' : 'running'],
    )
    return rows[0]!.id
  }
}

const idIn = (address: string): string => address.slice(-36)

/** The manager whose calls the caller sees; heads see those of their department. */
const whoseOf = (caller: NamingCaller, which: Which) =>
  which === 'foreign' ? 'support' : caller === 'manager' ? 'own' : 'sales'

const managerOf = (caller: NamingCaller, which: Which) =>
  MANAGERS[which === 'foreign' ? 2 : caller === 'manager' ? 1 : 0]!
