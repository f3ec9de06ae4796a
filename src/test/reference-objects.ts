import { EMPTY_WEEK_FIGURES } from '../reports/weekly/week-figures.ts'
import type { Operation } from '../platform/http/operation.ts'
import { generateId } from '../platform/lib/ids.ts'
import { insertBulkAction } from './bulk-actions.ts'
import { insertCalls } from './calls.ts'
import { createDepartment, createLoggedInPerson, createTestPeople } from './people.ts'
import type { TestClient } from './client.ts'
import { insertDeals } from './checked-calls.ts'
import { TestObjectFactory } from './object-factory.ts'
import { OBJECT_REFERENCES, type ObjectReferenceKind } from './references.ts'
import type { TestApp } from './server.ts'
import {
  createCalibrationReference,
  insertAssignment,
  insertComment,
  insertNotification,
  insertOwner,
  insertPlaylistItem,
  insertShared,
} from './work-objects.ts'

/** The callers of the reference table. `head`, `bare` and `manager` are in Sales; `bare` is a head without rights. */
export const REFERENCE_CALLERS = ['owner', 'key', 'head', 'bare', 'manager', 'nobody'] as const
export type ReferenceCaller = (typeof REFERENCE_CALLERS)[number]

/** The object that a request names: the caller's own, one of Support or of another person, or one that does not exist. */
export type ObjectRelation = 'own' | 'foreign' | 'unknown'

/** Values of path parameters by name, and `value` for a field of a query or body. */
export type ReferenceValues = Record<string, string>

/** Managers with calls, deals and report rows. `number` is their id in the CRM and the id of their won deal. */
const REPORT_MANAGERS = [
  { name: 'Anna', number: 90001, funnel: 8001 },
  { name: 'Max', number: 90002, funnel: 8001 },
  { name: 'Otto', number: 90003, funnel: 8002 },
]
const ROSTER_USER_IDS = [90004, 90005]
/** A part of a call by its path parameter. */
type CallPart = 'findingId' | 'deliveryId' | 'commentId' | 'recordingId'
const CALL_DAY = '2001-02-01T10:00:00Z'

/** Creates an object of any kind that a request of any caller can name. */
export class ReferenceObjects {
  clients!: Record<ReferenceCaller, TestClient>
  objects!: TestObjectFactory
  departments!: Record<'sales' | 'support', string>
  private readonly app: TestApp
  private people!: { head: string; foreign: string }
  private persons!: Record<ReferenceCaller, string>
  /** The call of the last thread, if it is the caller's own. */
  private threadCall: string | undefined

  constructor(app: TestApp) {
    this.app = app
  }

  async seed(): Promise<this> {
    const { app } = this
    const { sales, support, hanna, max, otto } = await createTestPeople(app)
    const noRights = { audio: false, export: false, manageRecordings: false, analytics: false, editRules: false }
    const bert = await createLoggedInPerson(app, 'Bert', { role: 'head', departments: [sales], rights: noRights })
    const { id: olga, name } = (await app.olga.get('/v1/auth/me')).json.person
    this.departments = { sales, support }
    this.people = { head: hanna.id, foreign: otto.id }
    this.clients = { owner: app.olga, key: app.ida, head: hanna, bare: bert, manager: max, nobody: app.nobody }
    this.persons = { owner: olga, key: max.id, head: hanna.id, bare: bert.id, manager: max.id, nobody: max.id }
    const names = { owner: name, key: null, head: 'Hanna', bare: 'Bert', manager: 'Max', nobody: null }
    this.objects = new TestObjectFactory(app, names, this.persons, this.departments)
    await app.olga.patch(`/v1/departments/${sales}`, { funnels: [8001] })
    await app.olga.patch(`/v1/departments/${support}`, { funnels: [8002] })
    await this.seedReports()
    return this
  }

  /** Inserts a call, deals, a portal call and a row of a weekly report for each manager. */
  private async seedReports(): Promise<void> {
    const weeks: object[] = []
    for (const { name, number, funnel } of REPORT_MANAGERS) {
      const [call] = await insertCalls(this.app, [{ manager: name, at: CALL_DAY, createdAt: CALL_DAY, text: 'слово' }])
      const text = 'UPDATE managers SET crm_user_id = $2 WHERE name = $1 RETURNING id'
      const { rows } = await this.app.db.query<{ id: string }>(text, [name, String(number)])
      const times = { createdAt: CALL_DAY, closedAt: CALL_DAY }
      const responsible = String(number)
      await insertDeals(this.app, [
        { id: number, funnel, outcome: 'won', responsible, calls: [call!], ...times },
        { id: number + 100, funnel, outcome: 'lost', responsible, ...times },
      ])
      await this.app.db.query(
        `INSERT INTO crm_calls (id, call_id, user_id, type, duration_seconds, started_at, failed_code, load_state, recording_id)
         VALUES ($1, $2, $2, 2, 60, $3, '200', 'received', $4)`,
        [number, String(number), CALL_DAY, call],
      )
      const week = {
        managerId: rows[0]!.id,
        manager: null,
        weeks: [{ ...EMPTY_WEEK_FIGURES, calls: 1 }],
        worst: [],
        best: [],
      }
      weeks.push({ ...week, coach: null, refusals: [], reconciliation: null })
    }
    await this.app.db.query(
      `INSERT INTO weekly_reports (week, state, made_at, timezone, managers) VALUES ('2001-W05', 'final', now(), 'UTC', $1)`,
      [JSON.stringify(weeks)],
    )
    await this.app.db.query(
      `INSERT INTO crm_users (id, name, active) SELECT n::text, 'User ' || n, true FROM unnest($1::int[]) n`,
      [ROSTER_USER_IDS],
    )
  }

  /** Creates an object and returns its id for a path or a field. */
  async createReference(
    kind: ObjectReferenceKind,
    operation: Operation,
    caller: ReferenceCaller,
    which: ObjectRelation,
  ): Promise<ReferenceValues> {
    if (kind === 'calibration' || kind === 'calibrationPart') {
      const find = (one: ObjectRelation) => this.objects.finding(caller, ownerOf(caller, one))
      const personId = this.personOf(caller, kind === 'calibration' ? which : 'own')
      return createCalibrationReference(this.app, { operation, kind, which, find, personId })
    }
    const part = /\{(findingId|deliveryId|commentId|recordingId)\}/.exec(operation.path)?.[1] as CallPart | undefined
    if (part && kind !== 'mention')
      return this.createCallReference(part, kind === 'recording' || kind === 'playlist', caller, which)
    const value = which === 'unknown' ? this.makeUnknownId(kind) : await this.creators[kind](caller, which, operation)
    return { id: value, value }
  }

  /** Creates an object of the caller for {id} in the path of an operation. */
  async createOwnPath(operation: Operation, caller: ReferenceCaller): Promise<ReferenceValues> {
    // A thread is in the call of the path.
    if (operation.id === 'createComment' && this.threadCall) return { id: this.threadCall }
    const inPath = OBJECT_REFERENCES.find((one) => one.operation === operation && one.place === 'path')
    return inPath ? this.createReference(inPath.kind, operation, caller, 'own') : {}
  }

  /** Creates a finding, a delivery or a comment of the caller with its call. If the request tests the part, the call in the path is the caller's own. */
  private async createCallReference(
    part: CallPart,
    isOfCall: boolean,
    caller: ReferenceCaller,
    which: ObjectRelation,
  ): Promise<ReferenceValues> {
    const createPart = async (one: ObjectRelation): Promise<string[]> => {
      if (one === 'unknown') return [generateId(), generateId()]
      if (part === 'commentId') return this.createComment(caller, one)
      if (part === 'recordingId') return this.createPlaylistItem(caller, one)
      const kind = part === 'findingId' ? 'finding' : 'delivery'
      const address = await this.objects[kind](caller, ownerOf(caller, one))
      return address.match(/[0-9a-f-]{36}/g)!
    }
    const [ownCall, ownPart] = await createPart('own')
    const [call, named] = which === 'own' ? [ownCall, ownPart] : await createPart(which)
    return { id: isOfCall ? call! : ownCall!, [part]: named! }
  }

  /** Inserts a comment of the caller with its call. @returns the ids of the call and of the comment */
  private async createComment(caller: ReferenceCaller, which: ObjectRelation): Promise<[string, string]> {
    const { id } = await this.objects.call(caller, ownerOf(caller, which))
    return [id, await insertComment(this.app, id, this.persons[caller])]
  }

  /** Creates a playlist with a call. @returns the ids of the playlist and of the call */
  private async createPlaylistItem(caller: ReferenceCaller, which: ObjectRelation): Promise<[string, string]> {
    const person = this.personOf(caller, which)
    const playlist = await insertShared(this.app, 'playlists', person)
    const { id } = await this.objects.call(caller, ownerOf(caller, which))
    await insertPlaylistItem(this.app, playlist, id, person)
    return [playlist, id]
  }

  private personOf(caller: ReferenceCaller, which: ObjectRelation): string {
    return which === 'own' ? this.persons[caller] : this.people.foreign
  }

  private async createThread(caller: ReferenceCaller, which: ObjectRelation): Promise<string> {
    const [call, comment] = await this.createComment(caller, which)
    this.threadCall = which === 'own' ? call : undefined
    return comment
  }

  private makeUnknownId(kind: ObjectReferenceKind): string {
    if (kind === 'manager') return `Nobody ${this.objects.nextNumber()}`
    return (
      { file: 'in/none.wav', deal: '99999', funnel: '8999', crmUser: '99999', rule: 'no-set/no-rule' }[
        kind as string
      ] ?? generateId()
    )
  }

  private readonly creators: Record<
    ObjectReferenceKind,
    (caller: ReferenceCaller, which: ObjectRelation, operation: Operation) => Promise<string> | string
  > = {
    recording: (caller, which, { id }) => this.createCall(caller, which, id),
    finding: async (caller, which) => parseLastId(await this.objects.finding(caller, ownerOf(caller, which))),
    delivery: () => '',
    file: () => this.createFile(),
    deal: (caller, which) => String(findManager(caller, which).number),
    funnel: (caller, which) => String(findManager(caller, which).funnel),
    manager: async (caller, which, operation) => {
      if (isAboutChecks(operation)) await this.objects.finding(caller, ownerOf(caller, which))
      return findManager(caller, which).name
    },
    crmUser: (_, which) => String(ROSTER_USER_IDS[which === 'own' ? 0 : 1]),
    department: async (caller, which, operation) => {
      if (isAboutChecks(operation)) await this.objects.finding(caller, ownerOf(caller, which))
      return this.createDepartment(which, operation)
    },
    person: (caller, which, operation) => this.createPerson(caller, which, operation),
    ruleSet: (caller, which, operation) => this.createRuleSet(caller, which, operation),
    rule: async (caller, which) => `${(await this.createCheckedSet(caller, which)).key}/insults`,
    backtest: async (_, which) => parseLastId(await this.objects.backtest(which === 'own' ? 'sales' : 'support')),
    run: async (caller, which) =>
      parseLastId(await this.objects.analysisRun(caller, which === 'own' ? 'own' : 'nobody')),
    separationRun: async (caller, which) =>
      parseLastId(await this.objects.separationRun(caller, which === 'own' ? 'own' : 'nobody')),
    key: async () => (await this.app.olga.post('/v1/api-keys', { name: `key ${this.objects.nextNumber()}` })).json.id,
    session: (caller, which) => this.objects.session(caller, which === 'own' ? 'own' : 'support'),
    estimate: () => this.createEstimate(),
    load: (_, __, { id }) => this.createLoad(id),
    comment: (caller, which) => this.createThread(caller, which),
    mention: (_, which) => (which === 'own' ? this.persons.owner : this.people.foreign),
    view: (caller, which) => insertShared(this.app, 'saved_views', this.personOf(caller, which)),
    playlist: (caller, which) => insertShared(this.app, 'playlists', this.personOf(caller, which)),
    playlistItem: () => '',
    assignment: async (caller, which) => {
      const { id } = await this.objects.call(caller, ownerOf(caller, which))
      return insertAssignment(this.app, id, this.personOf(caller, which))
    },
    bulkAction: (caller, which) => insertBulkAction(this.app, this.personOf(caller, which)),
    calibration: () => '',
    calibrationPart: () => '',
    reviewer: (_, which) => (which === 'own' ? insertOwner(this.app) : this.people.foreign),
    notification: async (caller, which) => {
      const { id } = await this.objects.call(caller, ownerOf(caller, which))
      return insertNotification(this.app, id, this.personOf(caller, which))
    },
  }

  private async createCall(caller: ReferenceCaller, which: ObjectRelation, operation: string): Promise<string> {
    if (operation === 'createCalibration')
      return (await this.objects.finding(caller, ownerOf(caller, which))).split('/')[3]!
    const status = { retryRecording: 'FAILED', cancelRecording: 'QUEUED' }[operation]
    // Anna, the manager of the other calls of Sales, has no login.
    const isAssigned = operation === 'createAssignment' && which === 'own'
    const fields = { ...(status && { status }), ...(isAssigned && { manager: 'Max' }) }
    const { id } = await this.objects.call(caller, ownerOf(caller, which), fields)
    if (operation === 'readWaveform') {
      const text = 'INSERT INTO waveforms (recording_id, duration_seconds, peaks) VALUES ($1, 1, $2)'
      await this.app.db.query(text, [id, [Buffer.from([1])]])
    }
    if (operation === 'listModelRequests') {
      const text = `INSERT INTO model_requests (id, recording_id, host, model, purpose, attempt, bytes, body_sha256, redactions)
                    VALUES ($1, $2, 'm.example.com', 'm', 'check', 1, 1, '', 0)`
      await this.app.db.query(text, [generateId(), id])
    }
    if (operation === 'listPlaylists') {
      const person = this.personOf(caller, which)
      await insertPlaylistItem(this.app, await insertShared(this.app, 'playlists', person), id, person)
    }
    if (operation === 'listAssignments') await insertAssignment(this.app, id, this.personOf(caller, which))
    if (operation.endsWith('Audit')) await this.app.olga.get(`/v1/recordings/${id}`)
    return id
  }

  async createFile(): Promise<string> {
    const key = `in/${this.objects.nextNumber()}.wav`
    await this.objects.storeAudio(key)
    return key
  }

  /** Operations that change a department get a new one, so that the others stay unchanged. */
  private createDepartment(which: ObjectRelation, { method, path }: Operation): Promise<string> | string {
    if (path === '/v1/departments/{id}' && method !== 'get')
      return createDepartment(this.app, `Department ${this.objects.nextNumber()}`)
    return this.departments[which === 'own' ? 'sales' : 'support']
  }

  /** The audit log can only be filtered by people who have acted. */
  private async createPerson(caller: ReferenceCaller, which: ObjectRelation, { id }: Operation): Promise<string> {
    if (id.endsWith('Audit')) return which === 'own' ? this.people.head : this.people.foreign
    return (await this.objects.person(caller, which === 'own' ? 'sales' : 'support')).id
  }

  private async createRuleSet(caller: ReferenceCaller, which: ObjectRelation, operation: Operation): Promise<string> {
    if (isAboutChecks(operation)) return (await this.createCheckedSet(caller, which)).id
    const id = parseLastId(await this.objects.ruleSet(which === 'own' ? 'sales' : 'support'))
    if (operation.id === 'restoreRuleSetVersion')
      await this.app.db.query(`DELETE FROM rule_set_versions WHERE rule_set_id = $1 AND state = 'draft'`, [id])
    return id
  }

  /**
   * Creates a checked call with a finding to review.
   * @returns id and key of its rule set, which applies to all departments
   */
  private async createCheckedSet(caller: ReferenceCaller, which: ObjectRelation): Promise<{ id: string; key: string }> {
    const finding = parseLastId(await this.objects.finding(caller, ownerOf(caller, which)))
    const { rows } = await this.app.db.query<{ id: string; key: string }>(
      `SELECT s.id, s.key FROM findings f JOIN rule_set_versions v ON v.id = f.version_id JOIN rule_sets s ON s.id = v.rule_set_id
        WHERE f.id = $1`,
      [finding],
    )
    return rows[0]!
  }

  private async createEstimate(): Promise<string> {
    await this.app.db.query(`UPDATE crm_history_loads SET state = 'done'`)
    const { rows } = await this.app.db.query<{ id: string }>(
      `INSERT INTO crm_history_estimates (from_at, to_at, figures, allowed, expires_at)
       VALUES (now(), now(), '{}', true, now() + interval '1 hour') RETURNING id`,
    )
    return rows[0]!.id
  }

  private async createLoad(operation: string): Promise<string> {
    const { rows } = await this.app.db.query<{ id: string }>(
      'INSERT INTO crm_history_loads (estimate_id, state, from_at, to_at) VALUES ($1, $2, now(), now()) RETURNING id',
      [await this.createEstimate(), operation === 'resumeCrmLoad' ? 'paused' : 'running'],
    )
    return rows[0]!.id
  }
}

const isAboutChecks = ({ id }: Operation): boolean => ['listReviews', 'countReviews', 'createCalibration'].includes(id)

const parseLastId = (address: string): string => address.slice(-36)

/** Returns whose calls count as own: a manager's own calls, otherwise those of Sales. */
const ownerOf = (caller: ReferenceCaller, which: ObjectRelation) =>
  which === 'foreign' ? 'support' : caller === 'manager' ? 'own' : 'sales'

const findManager = (caller: ReferenceCaller, which: ObjectRelation) =>
  REPORT_MANAGERS[which === 'foreign' ? 2 : caller === 'manager' ? 1 : 0]!
