import type { Actor } from '../../platform/http/actor.ts'
import { expect } from 'chai'
import { HttpError } from '../../platform/errors.ts'
import { requireOperationAccess } from '../../platform/http/access.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { RIGHTS } from '../people/values.ts'
import type { TestResponse, TestClient } from '../../test/client.ts'
import {
  REFERENCE_CALLERS,
  ReferenceObjects,
  type ReferenceValues,
  type ReferenceCaller,
  type ObjectRelation,
} from '../../test/reference-objects.ts'
import { EMPTY_PERIOD } from '../../test/object-factory.ts'
import { formatObjectReference, OBJECT_REFERENCES, type ObjectReference } from '../../test/references.ts'
import { parseReferenceTable, type ExpectedReferenceStatuses } from '../../test/reference-table.ts'
import { MANNERS_RULES } from '../../test/rule-sets.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'

/** These objects belong to a call, a person or a rule set. With the id of another parent, owners do not find them either. */
const UNKNOWN_TO_OWNERS = [
  'endOwnSession path.id',
  'judgeFinding path.findingId',
  'undoDecision path.findingId',
  'disputeFinding path.findingId',
  'retryDelivery path.deliveryId',
  'changeComment path.commentId',
  'deleteComment path.commentId',
  'createComment body.replyTo',
  'readBulkAction path.id',
  'cancelBulkAction path.id',
  'acknowledgeAssignment path.id',
  'deleteAssignment path.id',
  'countView path.id',
  'changeView path.id',
  'deleteView path.id',
  'subscribeToView path.id',
  'unsubscribeFromView path.id',
  'readPlaylist path.id',
  'changePlaylist path.id',
  'deletePlaylist path.id',
  'orderPlaylist path.id',
  'addPlaylistItem path.id',
  'removePlaylistItem path.id',
  'removePlaylistItem path.recordingId',
  'readCalibration path.id',
  'readCalibrationCall path.id',
  'readCalibrationResults path.id',
  'judgeCalibrationRule path.id',
  'submitCalibration path.id',
  'deleteCalibration path.id',
  'createCalibration body.participantIds',
  'createComment body.mentions',
  'changeComment body.mentions',
  'saveRuleSetDraft body.applies.departmentIds',
]

/** These filters match all seeded calls and deals, or apply to heads only, so an own and an unknown object give the same response. */
const MATCH_ALL_FILTERS = ['readAnalysis query.set', 'analyticsDeals query.said', 'analyticsDeals query.talker', 'readHome query.department'] // prettier-ignore

const YEAR = { from: '2001-01-01', to: '2001-12-31' }
const MONTH = { from: '2001-01-15', to: '2001-02-15' }

const QUERIES: Record<string, Record<string, string>> = {
  exportTranscripts: { format: 'jsonl' },
  deleteRuleSetDraft: { revision: '1' },
  statsOverview: YEAR,
  analyticsWeekly: { week: '2001-W05' },
  analyticsSales: YEAR,
  analyticsQuality: YEAR,
  analyticsRefusals: YEAR,
  analyticsDeals: YEAR,
  analyticsCorrelation: YEAR,
  readCrmReconciliation: MONTH,
  listReconciledCalls: MONTH,
}

describe('references to invisible objects', () => {
  let app: TestApp
  let named: ReferenceObjects
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 10_000, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    named = await new ReferenceObjects(app).seed()
  })
  after(() => app.stop())

  it('the table covers every field that names an object', () => {
    expect([...parseReferenceTable().keys()]).to.have.members(OBJECT_REFERENCES.map(formatObjectReference))
  })

  for (const reference of OBJECT_REFERENCES) {
    const name = formatObjectReference(reference)
    it(`${name} gives the same response for an invisible and an unknown object`, async () => {
      const expected = parseReferenceTable().get(name)!
      const refused = await prepareAll(reference)
      for (const caller of REFERENCE_CALLERS) {
        const client = named.clients[caller]
        if (!isAdmitted(caller, reference.operation)) {
          expectRejection(
            await callForEach((which) => sendRequest(client, reference.operation, refused[which])),
            caller,
          )
          continue
        }
        const responses = await callForEach(async (which) =>
          sendRequest(client, reference.operation, await prepareRequest(reference, caller, which)),
        )
        expectResponses(responses, caller, name, expected)
      }
    })
  }

  /** Prepares requests with the owner's objects for callers that the API rejects before it loads the object. */
  const prepareAll = (reference: ObjectReference) => callForEach((which) => prepareRequest(reference, 'owner', which))

  type ResponsesByWhich = Record<ObjectRelation, Pick<TestResponse, 'status' | 'text'>>

  function expectResponses(
    { own, foreign, unknown }: ResponsesByWhich,
    caller: ReferenceCaller,
    name: string,
    expected: ExpectedReferenceStatuses,
  ): void {
    const seesAll = caller === 'owner' || caller === 'key'
    const isOfOwners = name.startsWith('createRecordingFromStorage') && !seesAll
    expect(own.status, `${caller}, own: ${own.text}`).to.equal(isOfOwners ? 404 : expected.own)
    expect(unknown.status, `${caller}, unknown`).to.equal(seesAll ? expected.owners : expected.unknown)
    if (seesAll && !UNKNOWN_TO_OWNERS.includes(name))
      expect(foreign.status, `${caller}, foreign`).to.equal(expected.own)
    else expect(foreign, `${caller}, foreign`).to.deep.equal(unknown)
    const isFilter = name.includes(' query.') && !MATCH_ALL_FILTERS.includes(name)
    if (isFilter) expect(own.text, `${caller} finds nothing of their own`).not.to.equal(unknown.text)
  }

  function expectRejection({ own, foreign, unknown }: ResponsesByWhich, caller: ReferenceCaller): void {
    expect(own.status, caller).to.equal(caller === 'nobody' ? 401 : 403)
    expect([own, foreign], caller).to.deep.equal([unknown, unknown])
  }

  /** Returns true if the declared access and rights admit the caller. access.test.ts checks the declarations. */
  function isAdmitted(caller: ReferenceCaller, operation: Operation): boolean {
    const role = { owner: 'owner', head: 'head', bare: 'head', manager: 'manager' }[caller as string]
    const rights = Object.fromEntries(RIGHTS.map((right) => [right, caller !== 'bare']))
    const actor = role ? { kind: 'person', person: { role, rights } } : { kind: caller }
    try {
      // The rights of a bulk action depend on the action.
      const rights = operation.id === 'createBulkAction' ? (['manageRecordings'] as const) : operation.rights
      requireOperationAccess(actor as unknown as Actor, { ...operation, ...(rights && { rights }) })
      return true
    } catch (error) {
      if (error instanceof HttpError) return false
      throw error
    }
  }

  interface Request {
    address: string
    body: object | undefined
    object: ReferenceValues
  }

  /** Prepares a request that names the object. All other objects in the request belong to `owner`. */
  async function prepareRequest(
    reference: ObjectReference,
    owner: ReferenceCaller,
    which: ObjectRelation,
  ): Promise<Request> {
    const { operation, place, field, kind } = reference
    const object = await named.createReference(kind, operation, owner, which)
    const inPath = place === 'path' ? object : await named.createOwnPath(operation, owner)
    const query = { ...QUERIES[operation.id], ...(place === 'query' && { [field]: object.value! }) }
    const address = `${addressOf(operation, inPath)}?${new URLSearchParams(query).toString()}`
    const body =
      operation.id === 'createCalibration'
        ? await createCalibrationBody(owner, field)
        : await createBody(operation.id, owner)
    return { address, body: place === 'body' ? setField(body ?? {}, field, object.value!) : body, object }
  }

  /** Sends a request and replaces the names of the object in the response. */
  async function sendRequest(client: TestClient, operation: Operation, { address, body, object }: Request) {
    const json = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
    const { status, text, headers } = operation.multipart
      ? await client.upload('sound', body as Record<string, string>)
      : await client.send(address, { method: operation.method.toUpperCase(), ...json })
    const created = status === 201 ? headers.get('location')?.slice(-36) : undefined
    return { status, text: withoutNames(text, { ...object, ...(created && { created }) }) }
  }

  const addressOf = ({ path }: Operation, inPath: ReferenceValues): string =>
    path.replace(/\{(\w+)\}/g, (_, part: string) => (part === 'version' ? '1' : inPath[part]!))

  const withoutNames = (text: string, object: ReferenceValues): string =>
    Object.values(object)
      .reduce((censored, name) => censored.replaceAll(name, 'NAME'), text)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

  async function createCalibrationBody(owner: ReferenceCaller, field: string): Promise<object> {
    const operation = OBJECT_REFERENCES.find((one) => one.operation.id === 'createCalibration')!.operation
    const create = async (kind: 'recording' | 'reviewer') =>
      (await named.createReference(kind, operation, owner, 'own')).value!
    const participantIds = [await create('reviewer'), await create('reviewer')]
    const calls = field === 'random.manager' ? { random: { calls: 1 } } : { recordingIds: [await create('recording')] }
    return { name: 'Calibration', participantIds, ...calls }
  }

  /** Returns a valid body for the operation; the caller adds the field under test. */
  async function createBody(operation: string, owner: ReferenceCaller): Promise<object | undefined> {
    const n = named.objects.nextNumber()
    const { sales } = named.departments
    const departmentIds = [sales]
    const set = { key: `new-${n}`, name: { en: 'Set', ru: 'Набор' }, mode: 'score', rules: MANNERS_RULES }
    if (operation === 'createRecordingFromStorage') return { storageKey: await named.createFile() }
    if (operation === 'tryRuleSetDraft' || operation === 'addPlaylistItem')
      return {
        recordingId: (await named.createReference('recording', OBJECT_REFERENCES[0]!.operation, owner, 'own')).id,
      }
    const bodies: Record<string, object> = {
      createRecording: {},
      createRecordingFromUrl: { url: `${app.url}/healthz` },
      correctRecording: { phoneNumber: '+1' },
      orderPlaylist: { recordingIds: [] },
      chooseDeals: { dealIds: [] },
      changeSpeakers: { agentChannel: 1 },
      createPerson: {
        email: `new${n}@example.com`,
        name: `New ${n}`,
        password: OWNER_CREDENTIALS.password,
        role: 'manager',
        departments: [sales],
      },
      changePerson: { language: 'ru' },
      createDepartment: { name: `Department ${n}` },
      changeDepartment: { funnels: [1] },
      createRuleSet: { ...set, applies: { departmentIds } },
      changeRuleSet: { position: 2 },
      moveRuleSet: { beforeId: null },
      saveRuleSetDraft: { revision: 1, rules: MANNERS_RULES },
      publishRuleSetDraft: { revision: 1 },
      createBacktest: EMPTY_PERIOD,
      estimateRuleSetDraft: EMPTY_PERIOD,
      createAnalysisRun: EMPTY_PERIOD,
      judgeCalibrationRule: { verdict: 'missed' },
      judgeFinding: { verdict: 'met', comment: 'So it was' },
      disputeFinding: { comment: 'No' },
      createView: { name: 'List', filters: {} },
      changeView: { name: 'List' },
      createPlaylist: { name: 'List' },
      changePlaylist: { name: 'List' },
      createBulkAction: { action: 'manager', ids: [generateId()], managerName: 'Anna' },
      createAssignment: { reason: 'Hear the end' },
      createComment: { at: 0, text: 'Well said' },
      changeComment: { text: 'Well said' },
      putCrmRoster: { members: [{ userId: '90004', departmentId: sales }] },
    }
    return bodies[operation]
  }
})

async function callForEach<T>(work: (which: ObjectRelation) => Promise<T>): Promise<Record<ObjectRelation, T>> {
  return { own: await work('own'), foreign: await work('foreign'), unknown: await work('unknown') }
}

/** Returns the body with the field set. A dotted path leads into objects and the first item of lists; funnels are numbers. Lists keep their other items. */
function setField(body: object, field: string, value: string): object {
  const [first, ...rest] = field.split('.') as [string, ...string[]]
  const held = (body as Record<string, object | object[] | undefined>)[first]
  if (rest.length > 0) {
    const inner = setField((Array.isArray(held) ? held[0] : held) ?? {}, rest.join('.'), value)
    return { ...body, [first]: Array.isArray(held) ? [inner] : inner }
  }
  const isList = first.endsWith('s')
  const one = first === 'funnels' ? Number(value) : value
  const others = Array.isArray(held) ? held.slice(1) : []
  return { ...body, [first]: isList ? [one, ...others] : one }
}
