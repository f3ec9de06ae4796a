import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join as path } from 'node:path'
import { expect } from 'chai'
import { NOTHING } from '../analytics/weekly/gather.ts'
import { apiOperations } from '../api.ts'
import { sha256 } from '../lib/crypto.ts'
import { newId } from '../lib/ids.ts'
import { insertCalls, type CallRow } from '../test/calls.ts'
import { createDepartment, seedCast, createPerson } from '../test/cast.ts'
import { insertDeals } from '../test/company.ts'
import type { Answer, Client } from '../test/client.ts'
import { CALLERS, readTable, WITHOUT_OBJECT, words, type Caller, type Line, type Whose } from '../test/objects-table.ts'
import { MANNERS } from '../test/rule-sets.ts'
import { OLGA, startTestApp, type TestApp } from '../test/server.ts'
import { createSessionCookie } from './session.ts'

const putJson = (body: object) => ({
  method: 'PUT',
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
})

/** A period that no call is of. */
const MARCH = { from: '1999-03-01', to: '1999-04-01' }

describe('rights on objects', () => {
  let app: TestApp
  let clients: Record<Caller, Client>
  /** What each caller's calls carry, and their id. */
  let names: Record<Caller, string | null>
  let persons: Record<Caller, string>
  let departments: Record<'sales' | 'support', string>
  let number = 0

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 10_000, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    const { sales, support, hanna, max } = await seedCast(app)
    const bea = await createPerson(app, 'Bea', { departments: [sales], rights: { audio: false } })
    const olga = (await app.olga.get('/v1/auth/me')).json.person
    departments = { sales, support }
    clients = { owner: app.olga, key: app.ida, head: hanna, manager: max, bare: bea, nobody: app.nobody }
    names = { owner: olga.name, key: null, head: 'Hanna', manager: 'Max', bare: 'Bea', nobody: null }
    persons = { owner: olga.id, key: max.id, head: hanna.id, manager: max.id, bare: bea.id, nobody: max.id }
  })
  after(() => app.stop())

  const managerOf = (caller: Caller, whose: Whose): string | null =>
    ({ own: names[caller], sales: 'Anna', support: 'Otto', nobody: null })[whose]

  /** A call with a file, on a day that no other call has; returns its id, its day and its key. */
  async function call(
    caller: Caller,
    whose: Whose,
    more: CallRow = {},
  ): Promise<{ id: string; query: string; key: string }> {
    const day = new Date(Date.UTC(2001, 0, ++number)).toISOString()
    const given = {
      manager: managerOf(caller, whose),
      at: day,
      createdAt: day,
      externalCallId: `call-${number}`,
      fileName: 'call.wav',
    }
    const [id] = await insertCalls(app, [{ ...given, text: 'слово', ...more }])
    await app.db.query(`UPDATE recordings SET storage_key = storage_key || '.wav' WHERE id = $1`, [id])
    await store(`inserted/${id}.wav`)
    const next = new Date(Date.parse(day) + 24 * 3_600_000).toISOString()
    return { id: id!, query: `dateFrom=${day}&dateTo=${next}`, key: `inserted/${id}.wav` }
  }
  async function store(key: string): Promise<void> {
    const file = path(app.config.audioDir, key)
    await mkdir(dirname(file), { recursive: true })
    await copyFile('samples/call.wav', file)
  }

  /** A manager of that department; the caller themselves as their own. */
  async function person(caller: Caller, whose: Whose): Promise<{ id: string; name: string }> {
    if (whose === 'own') return { id: persons[caller], name: names[caller] ?? 'Max' }
    const [id, name] = [newId(), `Person ${++number}`]
    await app.db.query(
      `INSERT INTO people (id, email, name, role, rights, password_hash) VALUES ($1, $2, $3, 'manager', '{}', 'none')`,
      [id, `p${number}@example.com`, name],
    )
    if (whose !== 'nobody') {
      await app.db.query('INSERT INTO person_departments (person_id, department_id) VALUES ($1, $2)', [
        id,
        departments[whose],
      ])
    }
    return { id, name }
  }

  /** A new session of the caller, or of somebody else. */
  async function session(caller: Caller, whose: Whose): Promise<string> {
    const { id } = await person(caller, whose)
    const { token } = createSessionCookie(app.config)
    const { rows } = await app.db.query(
      `INSERT INTO sessions (token_hash, person_id, expires_at) VALUES ($1, $2, now() + '1 hour') RETURNING id`,
      [sha256(token), id],
    )
    return rows[0].id
  }

  /** Whether an answer holds or counts the object; its status where it is a refusal. */
  const among = (answer: Answer, isIn: (answer: Answer) => boolean): string =>
    answer.status === 200 ? (isIn(answer) ? 'yes' : 'no') : String(answer.status)

  type Attempt = (client: Client, caller: Caller, whose: Whose) => Promise<Answer | string>
  const onCall =
    (act: (client: Client, address: string) => Promise<Answer>, more: CallRow = {}): Attempt =>
    async (client, caller, whose) =>
      act(client, `/v1/recordings/${(await call(caller, whose, more)).id}`)
  const inList =
    (address: string, isIn: (answer: Answer, id: string) => boolean = ({ json }) => json.total === 1): Attempt =>
    async (client, caller, whose) => {
      const { id, query } = await call(caller, whose)
      const question = address.replace('IDS', id).replace('DATES', query)
      return among(await client.get(question), (answer) => isIn(answer, id))
    }
  /** Whether a report of its day counts the call. */
  const inReport =
    (name: string): Attempt =>
    async (client, caller, whose) => {
      const day = (await call(caller, whose)).query.slice(9, 19)
      const answer = await client.get(`/v1/analytics/${name}?from=${day}&to=${day}`)
      return among(answer, ({ json }) => json.coverage.calls === 1)
    }
  const onPerson =
    (act: (client: Client, address: string) => Promise<Answer>): Attempt =>
    async (client, caller, whose) =>
      act(client, `/v1/people/${(await person(caller, whose)).id}`)
  const inDepartment = (whose: Whose): string[] =>
    whose === 'sales' || whose === 'support' ? [departments[whose]] : []
  const department = (whose: Whose) => `/v1/departments/${inDepartment(whose)[0]}`

  /** A rule set with a published version and a draft, of a department or for everybody. */
  async function ruleSet(whose: Whose): Promise<string> {
    const [id, key] = [newId(), `set-${++number}`]
    const applies = { departmentIds: inDepartment(whose) }
    await app.db.query(
      `INSERT INTO rule_sets (id, key, name, mode, applies, position, origin)
       VALUES ($1, $2, '{"en": "Set", "ru": "Набор"}', 'score', $3, 1, 'own')`,
      [id, key, JSON.stringify(applies)],
    )
    await app.db.query(
      `INSERT INTO rule_set_versions (id, rule_set_id, number, state, rules, hash)
       VALUES ($1, $3, 1, 'published', $4, ''), ($2, $3, 2, 'draft', $4, '')`,
      [newId(), newId(), id, JSON.stringify(MANNERS)],
    )
    return `/v1/rule-sets/${id}`
  }
  /** A verdict on a call that waits for a person. */
  async function finding(caller: Caller, whose: Whose): Promise<string> {
    const { id } = await call(caller, whose)
    const set = (await ruleSet('nobody')).slice(-36)
    const [check, one] = [newId(), newId()]
    await app.db.query(
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
  /** A recalculation that the caller asked for, or somebody else. */
  async function analysisRun(caller: Caller, whose: Whose): Promise<string> {
    const id = newId()
    await app.db.query(
      `INSERT INTO analysis_runs (id, state, from_at, to_at, estimate, person_id, person_name, scope)
       VALUES ($1, 'estimated', now(), now(), $2, $3, 'P', '{}')`,
      [
        id,
        { calls: 0, words: 0, inputTokens: null, outputTokens: null, cost: null, seconds: 0 },
        whose === 'own' ? persons[caller] : newId(),
      ],
    )
    return `/v1/analysis-runs/${id}`
  }
  /** A backtest that runs, of a department's rule set. */
  async function backtest(whose: Whose): Promise<string> {
    const { json } = await app.olga.post(`${await ruleSet(whose)}/backtests`, MARCH)
    return `/v1/backtests/${json.id}`
  }
  const onRuleSet =
    (act: (client: Client, address: string) => Promise<Answer>): Attempt =>
    async (client, _caller, whose) =>
      act(client, await ruleSet(whose))

  const ATTEMPTS: Record<string, Attempt> = {
    listModelRequests: async (client, caller, whose) => {
      const { id } = await call(caller, whose)
      await app.db.query(
        `INSERT INTO model_requests (id, recording_id, host, model, purpose, attempt, bytes, body_sha256, redactions)
         VALUES ($1, $2, 'm.example.com', 'm', 'check', 1, 1, '', 0)`,
        [newId(), id],
      )
      return among(await client.get(`/v1/model-requests?recordingId=${id}`), ({ json }) => json.total === 1)
    },
    createAnalysisRun: async (client, caller, whose) => {
      const { query } = await call(caller, whose)
      const [from, to] = query.split('&').map((one) => one.slice(one.indexOf('=') + 1))
      const answer = await client.post('/v1/analysis-runs', { from, to })
      return answer.status === 201 ? (answer.json.estimate.calls === 1 ? 'yes' : 'no') : String(answer.status)
    },
    readAnalysisRun: async (client, caller, whose) => client.get(await analysisRun(caller, whose)),
    confirmAnalysisRun: async (client, caller, whose) => client.post(`${await analysisRun(caller, whose)}/confirm`),
    cancelAnalysisRun: async (client, caller, whose) => client.post(`${await analysisRun(caller, whose)}/cancel`),
    listAnalysisRuns: async (client, caller, whose) => {
      const id = (await analysisRun(caller, whose)).slice(-36)
      return among(await client.get('/v1/analysis-runs'), ({ json }) =>
        json.items.some((run: { id: string }) => run.id === id),
      )
    },
    listBacktests: onRuleSet((client, address) => client.get(`${address}/backtests`)),
    createBacktest: onRuleSet((client, address) => client.post(`${address}/backtests`, MARCH)),
    estimateRuleSetDraft: onRuleSet((client, address) => client.post(`${address}/draft/estimate`, MARCH)),
    tryRuleSetDraft: async (client, caller, whose) => {
      const { id } = await call(caller, 'own')
      return client.post(`${await ruleSet(whose)}/draft/try`, { recordingId: id })
    },
    readBacktest: async (client, _caller, whose) => client.get(await backtest(whose)),
    listBacktestCalls: async (client, _caller, whose) => client.get(`${await backtest(whose)}/calls`),
    cancelBacktest: async (client, _caller, whose) => client.post(`${await backtest(whose)}/cancel`),
    judgeFinding: async (client, caller, whose) =>
      client.patch(await finding(caller, whose), { verdict: 'met', comment: 'So it was' }),
    disputeFinding: async (client, caller, whose) =>
      client.post(`${await finding(caller, whose)}/dispute`, { comment: 'No' }),
    listReviews: async (client, caller, whose) => {
      await app.db.query('UPDATE findings SET waits = NULL')
      const id = (await finding(caller, whose)).slice(-36)
      const answer = await client.get('/v1/reviews?reason=critical')
      return among(answer, ({ json }) => json.total === 1 && json.items[0].id === id)
    },
    readAnalysis: onCall((client, address) => client.get(`${address}/analysis`)),
    rerunAnalysis: onCall((client, address) => client.post(`${address}/analysis/rerun`)),
    readRuleSet: onRuleSet((client, address) => client.get(address)),
    listRuleSetVersions: onRuleSet((client, address) => client.get(`${address}/versions`)),
    readRuleSetVersion: onRuleSet((client, address) => client.get(`${address}/versions/1`)),
    listRuleSets: async (client, _caller, whose) => {
      const address = await ruleSet(whose)
      await app.db.query(`UPDATE rule_sets SET archived_at = now() WHERE key LIKE 'set-%' AND id <> $1`, [
        address.slice(-36),
      ])
      const answer = await client.get('/v1/rule-sets?pageSize=100')
      await app.db.query('DELETE FROM rule_sets WHERE id = $1', [address.slice(-36)])
      return among(answer, ({ json }) => json.items.some(({ id }: { id: string }) => address.endsWith(id)))
    },
    createRuleSet: (client, _caller, whose) =>
      client.post('/v1/rule-sets', {
        key: `set-${++number}`,
        name: { en: 'Set', ru: 'Набор' },
        mode: 'score',
        applies: { departmentIds: inDepartment(whose) },
        rules: MANNERS,
      }),
    changeRuleSet: onRuleSet((client, address) => client.patch(address, { position: 2 })),
    saveRuleSetDraft: onRuleSet((client, address) => client.put(`${address}/draft`, { revision: 1, rules: MANNERS })),
    publishRuleSetDraft: onRuleSet((client, address) => client.post(`${address}/publish`, { revision: 1 })),
    restoreRuleSetVersion: onRuleSet(async (client, address) => {
      await app.db.query(`DELETE FROM rule_set_versions WHERE rule_set_id = $1 AND state = 'draft'`, [
        address.slice(-36),
      ])
      return client.post(`${address}/versions/1/restore`)
    }),
    archiveRuleSet: onRuleSet((client, address) => client.delete(address)),
    deleteRuleSetDraft: onRuleSet((client, address) => client.delete(`${address}/draft?revision=1`)),
    readRecording: onCall((client, address) => client.get(address)),
    readTranscript: onCall((client, address) => client.get(`${address}/transcript`)),
    readHistory: onCall((client, address) => client.get(`${address}/history`)),
    readPartialText: onCall((client, address) => client.get(`${address}/partial-text`)),
    readNeighbours: onCall((client, address) => client.get(`${address}/neighbours`)),
    readWaveform: async (client, caller, whose) => {
      const { id } = await call(caller, whose)
      await app.db.query('INSERT INTO waveforms (recording_id, duration_seconds, peaks) VALUES ($1, 1, $2)', [
        id,
        [Buffer.from([1])],
      ])
      return client.get(`/v1/recordings/${id}/waveform`)
    },
    playRecording: onCall((client, address) => client.get(`${address}/playback`)),
    readSpeakers: onCall((client, address) => client.get(`${address}/speakers`)),
    changeSpeakers: onCall((client, address) => client.send(`${address}/speakers`, putJson({ agentChannel: 1 }))),
    retryDelivery: async (client, caller, whose) => {
      const { id } = await call(caller, whose)
      const delivery = newId()
      await app.db.query(
        `INSERT INTO deliveries (id, recording_id, event, url, body, status)
         VALUES ($1, $2, 'recording.done', 'http://127.0.0.1:9/', '{}', 'FAILED')`,
        [delivery, id],
      )
      return client.post(`/v1/recordings/${id}/deliveries/${delivery}/retry`)
    },
    readDeals: onCall((client, address) => client.get(`${address}/deals`)),
    chooseDeals: onCall((client, address) => client.put(`${address}/deals`, { dealIds: [] })),
    readAudio: onCall((client, address) => client.get(`${address}/audio`)),
    correctRecording: onCall((client, address) => client.patch(address, { phoneNumber: '+1' })),
    retryRecording: onCall((client, address) => client.post(`${address}/retry`), { status: 'FAILED' }),
    cancelRecording: onCall((client, address) => client.post(`${address}/cancel`), { status: 'QUEUED' }),
    deleteRecording: onCall((client, address) => client.delete(address)),
    retryFailedRecordings: async (client, caller, whose) => {
      const { id } = await call(caller, whose, { status: 'FAILED' })
      const answer = await client.post('/v1/recordings/retry-failed')
      const { rows } = await app.db.query('SELECT status FROM recordings WHERE id = $1', [id])
      await app.db.query(`UPDATE recordings SET status = 'CANCELLED' WHERE id = $1`, [id])
      return among(answer, () => rows[0].status === 'QUEUED')
    },
    listRecordings: inList('/v1/recordings?DATES'),
    readRecordingCatalog: inList('/v1/recordings/catalog?DATES', ({ json }) => json.years[0]?.total === 1),
    readRecordingFacets: inList('/v1/recordings/facets?DATES'),
    readExcerpts: inList('/v1/recordings/excerpts?ids=IDS', ({ json }, id) => json.items[0]?.id === id),
    listTranscripts: inList('/v1/transcripts?DATES'),
    exportTranscripts: inList('/v1/transcripts/export?format=jsonl&DATES', ({ text }, id) => text.includes(id)),
    statsOverview: async (client, caller, whose) => {
      const [from, to] = (await call(caller, whose)).query.split('&').map((one) => one.slice(-24, -14))
      const { status, json } = await client.get(`/v1/stats/overview?from=${from}&to=${to}`)
      if (status !== 200) return String(status)
      return json.totals.received === 1 ? 'yes' : 'no'
    },
    analyticsQuality: inReport('quality'),
    analyticsSales: inReport('sales'),
    analyticsRefusals: inReport('refusals'),
    analyticsCorrelation: inReport('correlation'),
    analyticsDeals: async (client, caller, whose) => {
      const { id } = await call(caller, whose)
      const { rows } = await app.db.query<{ id: string | null }>(
        'SELECT manager_id AS id FROM recordings WHERE id = $1',
        [id],
      )
      const responsible = rows[0]!.id && `user-${rows[0]!.id}`
      await app.db.query('UPDATE managers SET crm_user_id = $2 WHERE id = $1', [rows[0]!.id, responsible])
      await app.db.query('DELETE FROM crm_deals')
      const at = '2001-01-02T10:00:00Z'
      await insertDeals(app, [{ id: 1, outcome: 'won', responsible, createdAt: at, closedAt: at }])
      return among(
        await client.get('/v1/analytics/deals?from=2001-01-01&to=2001-01-03'),
        ({ json }) => json.total === 1,
      )
    },
    analyticsWeekly: async (client, caller, whose) => {
      const { rows } = await app.db.query<{ id: string | null }>(
        'SELECT manager_id AS id FROM recordings WHERE id = $1',
        [(await call(caller, whose)).id],
      )
      const row = { managerId: rows[0]!.id, manager: null, weeks: [{ ...NOTHING, calls: 1 }], worst: [], best: [] }
      await app.db.query(
        `INSERT INTO weekly_reports (week, state, made_at, timezone, managers) VALUES ('2001-W01', 'final', now(), 'UTC', $1)
         ON CONFLICT (week) DO UPDATE SET managers = excluded.managers`,
        [JSON.stringify([{ ...row, coach: null, refusals: [], reconciliation: null }])],
      )
      return among(
        await client.get('/v1/analytics/weekly-report?week=2001-W01'),
        ({ json }) => json.coverage.calls === 1,
      )
    },
    createRecording: (client, caller, whose) => {
      const managerName = managerOf(caller, whose)
      return client.upload('sound', managerName ? { managerName } : {})
    },
    createRecordingFromUrl: (client, caller, whose) =>
      client.post('/v1/recordings/from-url', {
        url: `${app.url}/healthz`,
        managerName: managerOf(caller, whose) ?? undefined,
      }),
    createRecordingFromStorage: async (client, caller, whose) => {
      const { key } = whose === 'nobody' ? { key: `in/${++number}.wav` } : await call(caller, whose)
      await store(key)
      return client.post('/v1/recordings/from-storage', { storageKey: key })
    },
    readPerson: onPerson((client, address) => client.get(address)),
    changePerson: onPerson((client, address) => client.patch(address, { language: 'ru' })),
    deactivatePerson: onPerson((client, address) => client.post(`${address}/deactivate`)),
    listPeople: async (client, caller, whose) => {
      const { id, name } = await person(caller, whose)
      const answer = await client.get(`/v1/people?pageSize=100&q=${encodeURIComponent(name)}`)
      return among(answer, ({ json }) => json.items.some((one: { id: string }) => one.id === id))
    },
    createPerson: (client, _caller, whose) =>
      client.post('/v1/people', {
        email: `new${++number}@example.com`,
        name: `Newcomer ${number}`,
        password: OLGA.password,
        role: 'manager',
        departments: inDepartment(whose),
      }),
    listDepartments: async (client, _caller, whose) =>
      among(await client.get('/v1/departments?pageSize=100'), ({ json }) =>
        json.items.some(({ id }: { id: string }) => id === inDepartment(whose)[0]),
      ),
    readDepartment: (client, _caller, whose) => client.get(department(whose)),
    changeDepartment: (client, _caller, whose) =>
      client.patch(department(whose), { name: whose === 'sales' ? 'Sales' : 'Support' }),
    deleteDepartment: async (client) =>
      client.delete(`/v1/departments/${await createDepartment(app, `Empty ${++number}`)}`),
    endOwnSession: async (client, caller, whose) => client.delete(`/v1/auth/sessions/${await session(caller, whose)}`),
    listAudit: async (client) =>
      among(await client.get(`/v1/audit?object=${persons.manager}`), ({ json }) => json.total > 0),
    exportAudit: async (client) =>
      among(await client.get(`/v1/audit/export?object=${persons.manager}`), ({ text }) =>
        text.includes(persons.manager),
      ),
    listJobs: async (client, caller, whose) => {
      const { id } = await call(caller, whose, { status: 'FAILED' })
      const answer = await client.get('/v1/queues/transcription/jobs?state=failed&pageSize=100')
      await app.db.query(`UPDATE recordings SET status = 'CANCELLED' WHERE id = $1`, [id])
      return among(answer, ({ json }) => json.items.some((job: { recordingId: string }) => job.recordingId === id))
    },
    revokeApiKey: async (client) => {
      const { json } = await app.olga.post('/v1/api-keys', { name: `key ${++number}` })
      return client.delete(`/v1/api-keys/${json.id}`)
    },
  }

  it('the table tells of every operation, or of it is said that it has no object', () => {
    const told = [...readTable().keys(), ...words(WITHOUT_OBJECT)]
    expect(told).to.have.members(apiOperations().map(({ id }) => id))
    expect(Object.keys(ATTEMPTS)).to.have.members([...readTable().keys()])
  })

  for (const [id, lines] of readTable()) {
    it(`${id} answers each caller for each object as the table says`, async () => {
      const answered: Record<string, Line> = {}
      for (const whose of lines.keys()) {
        const line = (answered[whose] = {} as Line)
        for (const caller of CALLERS) {
          const answer = await ATTEMPTS[id]!(clients[caller], caller, whose)
          line[caller] = typeof answer === 'string' ? answer : String(answer.status)
        }
      }
      expect(answered).to.deep.equal(Object.fromEntries(lines))
    })
  }
})
