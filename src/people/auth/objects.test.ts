import { expect } from 'chai'
import { listApiOperations } from '../../app/api.ts'
import { generateId } from '../../platform/lib/ids.ts'
import type { TestCallRow } from '../../test/calls.ts'
import { createDepartment, createTestPeople, createLoggedInPerson } from '../../test/people.ts'
import { insertDeals } from '../../test/checked-calls.ts'
import type { TestResponse, TestClient } from '../../test/client.ts'
import { EMPTY_PERIOD, TestObjectFactory } from '../../test/object-factory.ts'
import {
  PERMISSION_CALLERS,
  describeResult,
  parsePermissionTable,
  OPERATIONS_WITHOUT_OBJECT,
  splitWords,
  type PermissionAttempt as Attempt,
  type PermissionCaller,
  type ExpectedPermissionStatuses,
} from '../../test/permission-table.ts'
import { MANNERS_RULES } from '../../test/rule-sets.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { createWorkAttempts } from '../../test/work-objects.ts'

describe('access to objects', () => {
  let app: TestApp
  let clients: Record<PermissionCaller, TestClient>
  let objects: TestObjectFactory
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 10_000, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    const { sales, support, hanna, max } = await createTestPeople(app)
    const bea = await createLoggedInPerson(app, 'Bea', { departments: [sales], rights: { audio: false } })
    const olga = (await app.olga.get('/v1/auth/me')).json.person
    clients = { owner: app.olga, key: app.ida, head: hanna, manager: max, bare: bea, nobody: app.nobody }
    const names = { owner: olga.name, key: null, head: 'Hanna', manager: 'Max', bare: 'Bea', nobody: null }
    const persons = { owner: olga.id, key: max.id, head: hanna.id, manager: max.id, bare: bea.id, nobody: max.id }
    objects = new TestObjectFactory(app, names, persons, { sales, support })
  })
  after(() => app.stop())

  const onCall =
    (act: (client: TestClient, address: string) => Promise<TestResponse>, more: TestCallRow = {}): Attempt =>
    async (client, caller, whose) =>
      act(client, `/v1/recordings/${(await objects.call(caller, whose, more)).id}`)
  const inList =
    (address: string, isIn: (answer: TestResponse, id: string) => boolean = ({ json }) => json.total === 1): Attempt =>
    async (client, caller, whose) => {
      const { id, query } = await objects.call(caller, whose)
      const question = address.replace('IDS', id).replace('DATES', query)
      return describeResult(await client.get(question), (answer) => isIn(answer, id))
    }
  /** Creates an attempt that checks whether the report of the call's day counts the call. */
  const inReport =
    (name: string): Attempt =>
    async (client, caller, whose) => {
      const day = (await objects.call(caller, whose)).query.slice(9, 19)
      const answer = await client.get(`/v1/analytics/${name}?from=${day}&to=${day}`)
      return describeResult(answer, ({ json }) => json.coverage.calls === 1)
    }
  let storedWords: Promise<Map<string, string>> | undefined
  /** Stores a call with its own word per caller and owner, all before the first request, because vocabularies are cached. */
  const storeWords = () =>
    (storedWords ??= (async () => {
      const words = new Map<string, string>()
      for (const caller of PERMISSION_CALLERS) {
        for (const whose of ['own', 'sales', 'support', 'nobody'] as const) {
          const word = generateId()
            .slice(-12)
            .replace(/[0-9]/g, (digit) => 'ghijklmnop'[Number(digit)]!)
          await objects.call(caller, whose, { text: word })
          words.set(`${caller} ${whose}`, word)
        }
      }
      return words
    })())
  const onPerson =
    (act: (client: TestClient, address: string) => Promise<TestResponse>): Attempt =>
    async (client, caller, whose) =>
      act(client, `/v1/people/${(await objects.person(caller, whose)).id}`)
  const inReviews =
    (path: string, isIn: (answer: TestResponse) => boolean): Attempt =>
    async (client, caller, whose) => {
      await app.db.query('UPDATE findings SET waits = NULL')
      await objects.finding(caller, whose)
      return describeResult(await client.get(`/v1/reviews${path}?reason=critical`), isIn)
    }
  const onRuleSet =
    (act: (client: TestClient, address: string) => Promise<TestResponse>): Attempt =>
    async (client, _caller, whose) =>
      act(client, await objects.ruleSet(whose))

  /** The operations of runs over the calls of a period. */
  const onRun = (name: 'AnalysisRun' | 'SeparationRun', path: string): Record<string, Attempt> => ({
    [`create${name}`]: async (client, caller, whose) => {
      const { id, query } = await objects.call(caller, whose)
      await app.db.query(`UPDATE transcripts SET words = '[]' WHERE recording_id = $1`, [id])
      const [from, to] = query.split('&').map((one) => one.slice(one.indexOf('=') + 1))
      const answer = await client.post(path, { from, to })
      return answer.status === 201 ? (answer.json.estimate.calls === 1 ? 'yes' : 'no') : String(answer.status)
    },
    [`read${name}`]: async (client, caller, whose) => client.get(await objects.run(path, caller, whose)),
    [`confirm${name}`]: async (client, caller, whose) =>
      client.post(`${await objects.run(path, caller, whose)}/confirm`),
    [`cancel${name}`]: async (client, caller, whose) => client.post(`${await objects.run(path, caller, whose)}/cancel`),
    [`list${name}s`]: async (client, caller, whose) => {
      const id = (await objects.run(path, caller, whose)).slice(-36)
      return describeResult(await client.get(path), ({ json }) => JSON.stringify(json.items).includes(id))
    },
  })

  const ATTEMPTS: Record<string, Attempt> = {
    ...createWorkAttempts(() => objects),
    listModelRequests: async (client, caller, whose) => {
      const { id } = await objects.call(caller, whose)
      await app.db.query(
        `INSERT INTO model_requests (id, recording_id, host, model, purpose, attempt, bytes, body_sha256, redactions)
         VALUES ($1, $2, 'm.example.com', 'm', 'check', 1, 1, '', 0)`,
        [generateId(), id],
      )
      return describeResult(await client.get(`/v1/model-requests?recordingId=${id}`), ({ json }) => json.total === 1)
    },
    ...onRun('AnalysisRun', '/v1/analysis-runs'),
    ...onRun('SeparationRun', '/v1/separation-runs'),
    listBacktests: onRuleSet((client, address) => client.get(`${address}/backtests`)),
    createBacktest: onRuleSet((client, address) => client.post(`${address}/backtests`, EMPTY_PERIOD)),
    estimateRuleSetDraft: onRuleSet((client, address) => client.post(`${address}/draft/estimate`, EMPTY_PERIOD)),
    tryRuleSetDraft: async (client, caller, whose) => {
      const { id } = await objects.call(caller, 'own')
      return client.post(`${await objects.ruleSet(whose)}/draft/try`, { recordingId: id })
    },
    readBacktest: async (client, _caller, whose) => client.get(await objects.backtest(whose)),
    listBacktestCalls: async (client, _caller, whose) => client.get(`${await objects.backtest(whose)}/calls`),
    cancelBacktest: async (client, _caller, whose) => client.post(`${await objects.backtest(whose)}/cancel`),
    judgeFinding: async (client, caller, whose) =>
      client.patch(await objects.finding(caller, whose), { verdict: 'met', comment: 'So it was' }),
    undoDecision: async (client, caller, whose) => {
      const address = await objects.finding(caller, whose)
      await client.patch(address, { verdict: 'met', comment: 'So it was' })
      return client.post(`${address}/undo`)
    },
    disputeFinding: async (client, caller, whose) =>
      client.post(`${await objects.finding(caller, whose)}/dispute`, { comment: 'No' }),
    listReviews: inReviews('', ({ json }) => json.total === 1),
    countReviews: inReviews('/counts', ({ json }) => json.waiting.critical === 1),
    readHome: async (client, caller, whose) => {
      const id = await objects.waitingFinding(caller, whose)
      return describeResult(await client.get('/v1/home'), ({ json }) => json.waiting?.items[0]?.findingId === id)
    },
    readAnalysis: onCall((client, address) => client.get(`${address}/analysis`)),
    rerunAnalysis: onCall((client, address) => client.post(`${address}/analysis/rerun`)),
    readRuleSet: onRuleSet((client, address) => client.get(address)),
    listRuleSetVersions: onRuleSet((client, address) => client.get(`${address}/versions`)),
    readRuleSetVersion: onRuleSet((client, address) => client.get(`${address}/versions/1`)),
    listRuleSets: async (client, _caller, whose) => {
      const id = (await objects.ruleSet(whose)).slice(-36)
      await app.db.query(`UPDATE rule_sets SET archived_at = now() WHERE key LIKE 'set-%' AND id <> $1`, [id])
      const answer = await client.get('/v1/rule-sets?pageSize=100')
      await app.db.query('DELETE FROM rule_sets WHERE id = $1', [id])
      return describeResult(answer, ({ json }) => json.items.some((set: { id: string }) => set.id === id))
    },
    createRuleSet: (client, _caller, whose) =>
      client.post('/v1/rule-sets', {
        key: `set-${objects.nextNumber()}`,
        name: { en: 'Set', ru: 'Набор' },
        mode: 'score',
        applies: { departmentIds: objects.inDepartment(whose) },
        rules: MANNERS_RULES,
      }),
    changeRuleSet: onRuleSet((client, address) => client.patch(address, { position: 2 })),
    saveRuleSetDraft: onRuleSet((client, address) =>
      client.put(`${address}/draft`, { revision: 1, rules: MANNERS_RULES }),
    ),
    publishRuleSetDraft: onRuleSet((client, address) => client.post(`${address}/publish`, { revision: 1 })),
    restoreRuleSetVersion: onRuleSet(async (client, address) => {
      const id = address.slice(-36)
      await app.db.query(`DELETE FROM rule_set_versions WHERE rule_set_id = $1 AND state = 'draft'`, [id])
      return client.post(`${address}/versions/1/restore`)
    }),
    moveRuleSet: onRuleSet((client, address) => client.post(`${address}/move`, { beforeId: null })),
    readRuleSetReach: onRuleSet((client, address) => client.get(`${address}/reach`)),
    archiveRuleSet: onRuleSet((client, address) => client.delete(address)),
    deleteRuleSetDraft: onRuleSet((client, address) => client.delete(`${address}/draft?revision=1`)),
    readRecording: onCall((client, address) => client.get(address)),
    readTranscript: onCall((client, address) => client.get(`${address}/transcript`)),
    readHistory: onCall((client, address) => client.get(`${address}/history`)),
    readPartialText: onCall((client, address) => client.get(`${address}/partial-text`)),
    readNeighbours: onCall((client, address) => client.get(`${address}/neighbours`)),
    readWaveform: async (client, caller, whose) => {
      const { id } = await objects.call(caller, whose)
      await app.db.query('INSERT INTO waveforms (recording_id, duration_seconds, peaks) VALUES ($1, 1, $2)', [
        id,
        [Buffer.from([1])],
      ])
      return client.get(`/v1/recordings/${id}/waveform`)
    },
    playRecording: onCall((client, address) => client.get(`${address}/playback`)),
    readSpeakers: onCall((client, address) => client.get(`${address}/speakers`)),
    changeSpeakers: onCall((client, address) => client.put(`${address}/speakers`, { agentChannel: 1 })),
    readSeparation: onCall((client, address) => client.get(`${address}/speakers/separate`)),
    separateSpeakers: onCall((client, address) => client.post(`${address}/speakers/separate`)),
    retryDelivery: async (client, caller, whose) => client.post(`${await objects.delivery(caller, whose)}/retry`),
    readDeals: onCall((client, address) => client.get(`${address}/deals`)),
    chooseDeals: onCall((client, address) => client.put(`${address}/deals`, { dealIds: [] })),
    readAudio: onCall((client, address) => client.get(`${address}/audio`)),
    correctRecording: onCall((client, address) => client.patch(address, { phoneNumber: '+1' })),
    retryRecording: onCall((client, address) => client.post(`${address}/retry`), { status: 'FAILED' }),
    cancelRecording: onCall((client, address) => client.post(`${address}/cancel`), { status: 'QUEUED' }),
    deleteRecording: onCall((client, address) => client.delete(address)),
    retryFailedRecordings: async (client, caller, whose) => {
      const { id } = await objects.call(caller, whose, { status: 'FAILED' })
      const answer = await client.post('/v1/recordings/retry-failed')
      const { rows } = await app.db.query('SELECT status FROM recordings WHERE id = $1', [id])
      await app.db.query(`UPDATE recordings SET status = 'CANCELLED' WHERE id = $1`, [id])
      return describeResult(answer, () => rows[0].status === 'QUEUED')
    },
    listRecordings: inList('/v1/recordings?DATES'),
    readRecordingCatalog: inList('/v1/recordings/catalog?DATES', ({ json }) => json.years[0]?.total === 1),
    readRecordingFacets: inList('/v1/recordings/facets?DATES'),
    readExcerpts: inList('/v1/recordings/excerpts?ids=IDS', ({ json }, id) => json.items[0]?.id === id),
    readSuggestions: async (client, caller, whose) => {
      const word = (await storeWords()).get(`${caller} ${whose}`)
      return describeResult(
        await client.get(`/v1/search/suggestions?q=${word}x`),
        ({ json }) => json.items.length === 1,
      )
    },
    listTranscripts: inList('/v1/transcripts?DATES'),
    exportTranscripts: inList('/v1/transcripts/export?format=jsonl&DATES', ({ text }, id) => text.includes(id)),
    statsOverview: async (client, caller, whose) => {
      const [from, to] = (await objects.call(caller, whose)).query.split('&').map((one) => one.slice(-24, -14))
      const { status, json } = await client.get(`/v1/stats/overview?from=${from}&to=${to}`)
      if (status !== 200) return String(status)
      return json.totals.received === 1 ? 'yes' : 'no'
    },
    analyticsQuality: inReport('quality'),
    analyticsSales: inReport('sales'),
    analyticsRefusals: inReport('refusals'),
    analyticsCorrelation: inReport('correlation'),
    analyticsDeals: async (client, caller, whose) => {
      const id = await objects.createCallManager(caller, whose)
      await app.db.query('UPDATE managers SET crm_user_id = $2 WHERE id = $1', [id, id && `user-${id}`])
      await app.db.query('DELETE FROM crm_deals')
      const at = '2001-01-02T10:00:00Z'
      await insertDeals(app, [{ id: 1, outcome: 'won', responsible: id && `user-${id}`, createdAt: at, closedAt: at }])
      return describeResult(
        await client.get('/v1/analytics/deals?from=2001-01-01&to=2001-01-03'),
        ({ json }) => json.total === 1,
      )
    },
    analyticsWeekly: async (client, caller, whose) => {
      await objects.weeklyReport(await objects.createCallManager(caller, whose))
      return describeResult(
        await client.get('/v1/analytics/weekly-report?week=2001-W01'),
        ({ json }) => json.coverage.calls === 1,
      )
    },
    createRecording: (client, caller, whose) => {
      const managerName = objects.managerNameOf(caller, whose)
      return client.upload('sound', managerName ? { managerName } : {})
    },
    createRecordingFromUrl: (client, caller, whose) =>
      client.post('/v1/recordings/from-url', {
        url: `${app.url}/healthz`,
        managerName: objects.managerNameOf(caller, whose) ?? undefined,
      }),
    createRecordingFromStorage: async (client, caller, whose) => {
      const { key } = whose === 'nobody' ? { key: `in/${objects.nextNumber()}.wav` } : await objects.call(caller, whose)
      await objects.storeAudio(key)
      return client.post('/v1/recordings/from-storage', { storageKey: key })
    },
    readPerson: onPerson((client, address) => client.get(address)),
    changePerson: onPerson((client, address) => client.patch(address, { language: 'ru' })),
    deactivatePerson: onPerson((client, address) => client.post(`${address}/deactivate`)),
    listPeople: async (client, caller, whose) => {
      const { id, name } = await objects.person(caller, whose)
      const answer = await client.get(`/v1/people?pageSize=100&q=${encodeURIComponent(name)}`)
      return describeResult(answer, ({ json }) => json.items.some((one: { id: string }) => one.id === id))
    },
    createPerson: (client, _caller, whose) => {
      const n = objects.nextNumber()
      const person = {
        email: `new${n}@example.com`,
        name: `Newcomer ${n}`,
        password: OWNER_CREDENTIALS.password,
        role: 'manager',
      }
      return client.post('/v1/people', { ...person, departments: objects.inDepartment(whose) })
    },
    listDepartments: async (client, _caller, whose) =>
      describeResult(await client.get('/v1/departments?pageSize=100'), ({ json }) =>
        json.items.some(({ id }: { id: string }) => id === objects.inDepartment(whose)[0]),
      ),
    readDepartment: (client, _caller, whose) => client.get(objects.department(whose)),
    changeDepartment: (client, _caller, whose) =>
      client.patch(objects.department(whose), { name: whose === 'sales' ? 'Sales' : 'Support' }),
    deleteDepartment: async (client) =>
      client.delete(`/v1/departments/${await createDepartment(app, `Empty ${objects.nextNumber()}`)}`),
    endOwnSession: async (client, caller, whose) =>
      client.delete(`/v1/auth/sessions/${await objects.session(caller, whose)}`),
    listAudit: async (client) =>
      describeResult(await client.get(`/v1/audit?object=${objects.persons.manager}`), ({ json }) => json.total > 0),
    exportAudit: async (client) =>
      describeResult(await client.get(`/v1/audit/export?object=${objects.persons.manager}`), ({ text }) =>
        text.includes(objects.persons.manager),
      ),
    listJobs: async (client, caller, whose) => {
      const { id } = await objects.call(caller, whose, { status: 'FAILED' })
      const answer = await client.get('/v1/queues/transcription/jobs?state=failed&pageSize=100')
      await app.db.query(`UPDATE recordings SET status = 'CANCELLED' WHERE id = $1`, [id])
      return describeResult(answer, ({ json }) =>
        json.items.some((job: { recordingId: string }) => job.recordingId === id),
      )
    },
    revokeApiKey: async (client) => {
      const { json } = await app.olga.post('/v1/api-keys', { name: `key ${objects.nextNumber()}` })
      return client.delete(`/v1/api-keys/${json.id}`)
    },
  }

  it('the table covers every operation that has an object', () => {
    const coveredOperations = [...parsePermissionTable().keys(), ...splitWords(OPERATIONS_WITHOUT_OBJECT)]
    expect(coveredOperations).to.have.members(listApiOperations().map(({ id }) => id))
    expect(Object.keys(ATTEMPTS)).to.have.members([...parsePermissionTable().keys()])
  })

  for (const [id, lines] of parsePermissionTable()) {
    it(`${id} gives each caller the result of the table for each object`, async () => {
      const answered: Record<string, ExpectedPermissionStatuses> = {}
      for (const whose of lines.keys()) {
        const line = (answered[whose] = {} as ExpectedPermissionStatuses)
        for (const caller of PERMISSION_CALLERS) {
          const answer = await ATTEMPTS[id]!(clients[caller], caller, whose)
          line[caller] = typeof answer === 'string' ? answer : String(answer.status)
        }
      }
      expect(answered).to.deep.equal(Object.fromEntries(lines))
    })
  }
})
