import { EMPTY_WEEK_FIGURES } from '../reports/weekly/week-figures.ts'
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join as path } from 'node:path'
import { createSessionCookie } from '../people/auth/session-cookie.ts'
import { sha256 } from '../platform/lib/crypto.ts'
import { generateId } from '../platform/lib/ids.ts'
import { insertCalls, type TestCallRow } from './calls.ts'
import type { PermissionCaller, ObjectOwner } from './permission-table.ts'
import { MANNERS_RULES } from './rule-sets.ts'
import type { TestApp } from './server.ts'

/** Tests insert no calls in this period. */
export const EMPTY_PERIOD = { from: '1999-03-01', to: '1999-04-01' }

/** Creates objects for access tests, a new one for each request. Objects belong to the caller, to a department or to nobody. */
export class TestObjectFactory {
  readonly app: TestApp
  /** The manager name in each caller's own calls; null if the caller has none. */
  private readonly names: Record<PermissionCaller, string | null>
  readonly persons: Record<PermissionCaller, string>
  private readonly departments: Record<'sales' | 'support', string>
  private number = 0

  constructor(
    app: TestApp,
    names: Record<PermissionCaller, string | null>,
    persons: Record<PermissionCaller, string>,
    departments: Record<'sales' | 'support', string>,
  ) {
    this.app = app
    this.names = names
    this.persons = persons
    this.departments = departments
  }

  nextNumber(): number {
    return ++this.number
  }

  managerNameOf(caller: PermissionCaller, whose: ObjectOwner): string | null {
    return { own: this.names[caller], sales: 'Anna', support: 'Otto', nobody: null }[whose]
  }

  /**
   * Inserts a call with an audio file on a day of its own.
   * @returns its id, a query that finds only this call, and its storage key
   */
  async call(
    caller: PermissionCaller,
    whose: ObjectOwner,
    more: TestCallRow = {},
  ): Promise<{ id: string; query: string; key: string }> {
    const day = new Date(Date.UTC(2001, 0, ++this.number)).toISOString()
    const defaults = {
      manager: this.managerNameOf(caller, whose),
      at: day,
      createdAt: day,
      externalCallId: `call-${this.number}`,
      fileName: 'call.wav',
    }
    const [id] = await insertCalls(this.app, [{ ...defaults, text: 'слово', ...more }])
    await this.app.db.query(`UPDATE recordings SET storage_key = storage_key || '.wav' WHERE id = $1`, [id])
    await this.storeAudio(`inserted/${id}.wav`)
    const next = new Date(Date.parse(day) + 24 * 3_600_000).toISOString()
    return { id: id!, query: `dateFrom=${day}&dateTo=${next}`, key: `inserted/${id}.wav` }
  }

  async storeAudio(key: string): Promise<void> {
    const file = path(this.app.config.audioDir, key)
    await mkdir(dirname(file), { recursive: true })
    await copyFile('samples/call.wav', file)
  }

  /** Inserts a call and returns the id of its manager; null if it has none. */
  async createCallManager(caller: PermissionCaller, whose: ObjectOwner): Promise<string | null> {
    const { id } = await this.call(caller, whose)
    const { rows } = await this.app.db.query('SELECT manager_id AS id FROM recordings WHERE id = $1', [id])
    return rows[0].id
  }

  /**
   * Inserts a failed delivery with its call.
   * @returns the path of the delivery
   */
  async delivery(caller: PermissionCaller, whose: ObjectOwner): Promise<string> {
    const { id } = await this.call(caller, whose)
    const delivery = generateId()
    await this.app.db.query(
      `INSERT INTO deliveries (id, recording_id, event, url, body, status)
       VALUES ($1, $2, 'recording.done', 'http://127.0.0.1:9/', '{}', 'FAILED')`,
      [delivery, id],
    )
    return `/v1/recordings/${id}/deliveries/${delivery}`
  }

  /** Returns the caller for `own`, otherwise inserts a manager of the department. */
  async person(caller: PermissionCaller, whose: ObjectOwner): Promise<{ id: string; name: string }> {
    if (whose === 'own') return { id: this.persons[caller], name: this.names[caller] ?? 'Max' }
    const [id, name] = [generateId(), `Person ${++this.number}`]
    await this.app.db.query(
      `INSERT INTO people (id, email, name, role, rights, password_hash) VALUES ($1, $2, $3, 'manager', '{}', 'none')`,
      [id, `p${this.number}@example.com`, name],
    )
    if (whose !== 'nobody') {
      await this.app.db.query('INSERT INTO person_departments (person_id, department_id) VALUES ($1, $2)', [
        id,
        this.departments[whose],
      ])
    }
    return { id, name }
  }

  /**
   * Inserts a session of the caller or of another person.
   * @returns the id of the session
   */
  async session(caller: PermissionCaller, whose: ObjectOwner): Promise<string> {
    const { id } = await this.person(caller, whose)
    const { token } = createSessionCookie(this.app.config)
    const { rows } = await this.app.db.query(
      `INSERT INTO sessions (token_hash, person_id, expires_at) VALUES ($1, $2, now() + '1 hour') RETURNING id`,
      [sha256(token), id],
    )
    return rows[0].id
  }

  inDepartment(whose: ObjectOwner): string[] {
    return whose === 'sales' || whose === 'support' ? [this.departments[whose]] : []
  }

  department(whose: ObjectOwner): string {
    return `/v1/departments/${this.inDepartment(whose)[0]}`
  }

  /**
   * Inserts a rule set with a published version and a draft, for one department or for all.
   * @returns the path of the rule set
   */
  async ruleSet(whose: ObjectOwner): Promise<string> {
    const [id, key] = [generateId(), `set-${++this.number}`]
    const applies = { departmentIds: this.inDepartment(whose) }
    await this.app.db.query(
      `INSERT INTO rule_sets (id, key, name, mode, applies, position, origin)
       VALUES ($1, $2, '{"en": "Set", "ru": "Набор"}', 'score', $3, 1, 'own')`,
      [id, key, JSON.stringify(applies)],
    )
    await this.app.db.query(
      `INSERT INTO rule_set_versions (id, rule_set_id, number, state, rules, hash)
       VALUES ($1, $3, 1, 'published', $4, ''), ($2, $3, 2, 'draft', $4, '')`,
      [generateId(), generateId(), id, JSON.stringify(MANNERS_RULES)],
    )
    return `/v1/rule-sets/${id}`
  }

  /**
   * Inserts a checked call with a finding that waits for a review.
   * @returns the path of the finding
   */
  async finding(caller: PermissionCaller, whose: ObjectOwner): Promise<string> {
    const { id } = await this.call(caller, whose)
    const set = (await this.ruleSet('nobody')).slice(-36)
    const [check, one] = [generateId(), generateId()]
    await this.app.db.query(
      `WITH checked AS (
         INSERT INTO analyses (id, recording_id, status, is_current, provider, version_id, transcript_hash)
         SELECT $1, $2, 'DONE', true, 'rules', v.id, 'hash' FROM rule_set_versions v
          WHERE v.rule_set_id = $3 AND v.state = 'published' RETURNING version_id)
       INSERT INTO findings (id, analysis_id, version_id, position, is_label, rule_key, rule_hash, machine_verdict,
                             machine_decided_by, verdict, decided_by, why, waits)
       SELECT $4, $1, version_id, 0, false, 'insults', 'hash', 'missed', 'rules', 'missed', 'rules',
              '{"code": "forbidden", "count": 1}', 'critical' FROM checked`,
      [check, id, set, one],
    )
    return `/v1/recordings/${id}/analysis/findings/${one}`
  }

  /**
   * Inserts a finding and clears all other pending reviews.
   * @returns the id of the finding
   */
  async waitingFinding(caller: PermissionCaller, whose: ObjectOwner): Promise<string> {
    await this.app.db.query('UPDATE findings SET waits = NULL')
    return (await this.finding(caller, whose)).slice(-36)
  }

  /** Stores the weekly report of 2001-W01 with one call of one manager. */
  async weeklyReport(managerId: string | null): Promise<void> {
    const row = { managerId, manager: null, weeks: [{ ...EMPTY_WEEK_FIGURES, calls: 1 }], worst: [], best: [] }
    await this.app.db.query(
      `INSERT INTO weekly_reports (week, state, made_at, timezone, managers) VALUES ('2001-W01', 'final', now(), 'UTC', $1)
       ON CONFLICT (week) DO UPDATE SET managers = excluded.managers`,
      [JSON.stringify([{ ...row, coach: null, refusals: [], reconciliation: null }])],
    )
  }

  /**
   * Inserts a recheck that the caller or another person has estimated.
   * @returns the path of the recheck
   */
  async analysisRun(caller: PermissionCaller, whose: ObjectOwner): Promise<string> {
    const id = generateId()
    await this.app.db.query(
      `INSERT INTO analysis_runs (id, state, from_at, to_at, estimate, person_id, person_name, scope)
       VALUES ($1, 'estimated', now(), now(), $2, $3, 'P', '{}')`,
      [
        id,
        { calls: 0, words: 0, inputTokens: null, outputTokens: null, cost: null, seconds: 0 },
        whose === 'own' ? this.persons[caller] : generateId(),
      ],
    )
    return `/v1/analysis-runs/${id}`
  }

  /** Inserts a recheck or a separation run. @param path of the list in the API @returns the path of the run */
  run(path: string, caller: PermissionCaller, whose: ObjectOwner): Promise<string> {
    return path === '/v1/analysis-runs' ? this.analysisRun(caller, whose) : this.separationRun(caller, whose)
  }

  async separationRun(caller: PermissionCaller, whose: ObjectOwner): Promise<string> {
    const id = generateId()
    const person = whose === 'own' ? this.persons[caller] : generateId()
    await this.app.db.query(
      `INSERT INTO separation_runs (id, state, from_at, to_at, estimate, person_id, person_name)
       VALUES ($1, 'estimated', now(), now(), $2, $3, 'P')`,
      [id, { calls: 0, checkedCalls: 0, audioSeconds: 0, seconds: 0 }, person],
    )
    return `/v1/separation-runs/${id}`
  }

  /**
   * Starts a test run of a department's rule set.
   * @returns the path of the test run
   */
  async backtest(whose: ObjectOwner): Promise<string> {
    const { json } = await this.app.olga.post(`${await this.ruleSet(whose)}/backtests`, EMPTY_PERIOD)
    return `/v1/backtests/${json.id}`
  }
}
