import type { Actor } from '../../platform/http/actor.ts'
import { expect } from 'chai'
import { HttpError } from '../../platform/errors.ts'
import { admit } from '../../platform/http/access.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { RIGHTS } from '../people/values.ts'
import type { Answer, Client } from '../../test/client.ts'
import { NAMING_CALLERS, NamedObjects, type Named, type NamingCaller, type Which } from '../../test/named-objects.ts'
import { MARCH } from '../../test/objects.ts'
import { nameOf, REFERENCES, type Reference } from '../../test/references.ts'
import { readReferenceTable, type Expected } from '../../test/references-table.ts'
import { MANNERS } from '../../test/rule-sets.ts'
import { OLGA, startTestApp, type TestApp } from '../../test/server.ts'

/** Objects that belong to a call, a person or a set: under another one, owners cannot find them either. */
const UNKNOWN_TO_ALL = [
  'endOwnSession path.id',
  'judgeFinding path.findingId',
  'disputeFinding path.findingId',
  'retryDelivery path.deliveryId',
  'saveRuleSetDraft body.applies.departmentIds',
]

/** Filters that match all seeded calls and deals. */
const INDIFFERENT = ['readAnalysis query.set', 'analyticsDeals query.said', 'analyticsDeals query.talker']

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

describe('references to objects of others', () => {
  let app: TestApp
  let named: NamedObjects
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 10_000, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    named = await new NamedObjects(app).seed()
  })
  after(() => app.stop())

  it('the table has every field of every operation that names an object', () => {
    expect([...readReferenceTable().keys()]).to.have.members(REFERENCES.map(nameOf))
  })

  for (const reference of REFERENCES) {
    const name = nameOf(reference)
    it(`${name}: an object of others is answered like an unknown one`, async () => {
      const expected = readReferenceTable().get(name)!
      const refused = await prepareAll(reference)
      for (const caller of NAMING_CALLERS) {
        const client = named.clients[caller]
        if (!isAdmitted(caller, reference.operation)) {
          expectRefusal(await forEach((which) => send(client, reference.operation, refused[which])), caller)
          continue
        }
        const answers = await forEach(async (which) =>
          send(client, reference.operation, await prepare(reference, caller, which)),
        )
        expectAnswers(answers, caller, name, expected)
      }
    })
  }

  /** Callers who are rejected before the object is read can use the owner's objects. */
  const prepareAll = (reference: Reference) => forEach((which) => prepare(reference, 'owner', which))

  type Answers = Record<Which, Pick<Answer, 'status' | 'text'>>

  function expectAnswers(
    { own, foreign, unknown }: Answers,
    caller: NamingCaller,
    name: string,
    expected: Expected,
  ): void {
    const seesAll = caller === 'owner' || caller === 'key'
    const isOfOwners = name.startsWith('createRecordingFromStorage') && !seesAll
    expect(own.status, `${caller}, own: ${own.text}`).to.equal(isOfOwners ? 404 : expected.own)
    expect(unknown.status, `${caller}, unknown`).to.equal(seesAll ? expected.owners : expected.unknown)
    if (seesAll && !UNKNOWN_TO_ALL.includes(name)) expect(foreign.status, `${caller}, foreign`).to.equal(expected.own)
    else expect(foreign, `${caller}, foreign`).to.deep.equal(unknown)
    const isFilter = name.includes(' query.') && !INDIFFERENT.includes(name)
    if (isFilter) expect(own.text, `${caller} finds nothing of their own`).not.to.equal(unknown.text)
  }

  function expectRefusal({ own, foreign, unknown }: Answers, caller: NamingCaller): void {
    expect(own.status, caller).to.equal(caller === 'nobody' ? 401 : 403)
    expect([own, foreign], caller).to.deep.equal([unknown, unknown])
  }

  /** Whether the declared access and rights let a caller pass; access.test.ts shows that they do. */
  function isAdmitted(caller: NamingCaller, operation: Operation): boolean {
    const role = { owner: 'owner', head: 'head', bare: 'head', manager: 'manager' }[caller as string]
    const rights = Object.fromEntries(RIGHTS.map((right) => [right, caller !== 'bare']))
    const actor = role ? { kind: 'person', person: { role, rights } } : { kind: caller }
    try {
      admit(actor as unknown as Actor, operation)
      return true
    } catch (error) {
      if (error instanceof HttpError) return false
      throw error
    }
  }

  interface Request {
    address: string
    body: object | undefined
    object: Named
  }

  /** A request that names an object; all others in it are `owner`'s. */
  async function prepare(reference: Reference, owner: NamingCaller, which: Which): Promise<Request> {
    const { operation, place, field, kind } = reference
    const object = await named.name(kind, operation, owner, which)
    const inPath = place === 'path' ? object : await named.ownPath(operation, owner)
    const query = { ...QUERIES[operation.id], ...(place === 'query' && { [field]: object.value! }) }
    const address = `${addressOf(operation, inPath)}?${new URLSearchParams(query).toString()}`
    const body = await bodyOf(operation.id, owner)
    return { address, body: place === 'body' ? withValue(body ?? {}, field, object.value!) : body, object }
  }

  /** Sends a request; returns the response without the name of the object. */
  async function send(client: Client, operation: Operation, { address, body, object }: Request) {
    const json = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
    const { status, text } = operation.multipart
      ? await client.upload('sound', body as Record<string, string>)
      : await client.send(address, { method: operation.method.toUpperCase(), ...json })
    return { status, text: withoutNames(text, object) }
  }

  const addressOf = ({ path }: Operation, inPath: Named): string =>
    path.replace(/\{(\w+)\}/g, (_, part: string) => (part === 'version' ? '1' : inPath[part]!))

  const withoutNames = (text: string, object: Named): string =>
    Object.values(object)
      .reduce((said, name) => said.replaceAll(name, 'NAME'), text)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

  /** The body of an operation without the field that a test sets. */
  async function bodyOf(operation: string, owner: NamingCaller): Promise<object | undefined> {
    const n = named.objects.next()
    const { sales } = named.departments
    const departmentIds = [sales]
    const set = { key: `new-${n}`, name: { en: 'Set', ru: 'Набор' }, mode: 'score', rules: MANNERS }
    if (operation === 'createRecordingFromStorage') return { storageKey: await named.file() }
    if (operation === 'tryRuleSetDraft')
      return { recordingId: (await named.name('recording', REFERENCES[0]!.operation, owner, 'own')).id }
    const bodies: Record<string, object> = {
      createRecording: {},
      createRecordingFromUrl: { url: `${app.url}/healthz` },
      correctRecording: { phoneNumber: '+1' },
      chooseDeals: { dealIds: [] },
      changeSpeakers: { agentChannel: 1 },
      createPerson: {
        email: `new${n}@example.com`,
        name: `New ${n}`,
        password: OLGA.password,
        role: 'manager',
        departments: [sales],
      },
      changePerson: { language: 'ru' },
      createDepartment: { name: `Department ${n}` },
      changeDepartment: { funnels: [1] },
      createRuleSet: { ...set, applies: { departmentIds } },
      changeRuleSet: { position: 2 },
      saveRuleSetDraft: { revision: 1, rules: MANNERS },
      publishRuleSetDraft: { revision: 1 },
      createBacktest: MARCH,
      estimateRuleSetDraft: MARCH,
      createAnalysisRun: MARCH,
      judgeFinding: { verdict: 'met', comment: 'So it was' },
      disputeFinding: { comment: 'No' },
      putCrmRoster: { members: [{ userId: '90004', departmentId: sales }] },
    }
    return bodies[operation]
  }
})

/** Calls a function for each object, one after the other. */
async function forEach<T>(work: (which: Which) => Promise<T>): Promise<Record<Which, T>> {
  return { own: await work('own'), foreign: await work('foreign'), unknown: await work('unknown') }
}

/** A body with a field set, inside objects and the first item of lists; funnels are numbers. */
function withValue(body: object, field: string, value: string): object {
  const [first, ...rest] = field.split('.') as [string, ...string[]]
  const held = (body as Record<string, object | object[] | undefined>)[first]
  if (rest.length > 0) {
    const inner = withValue((Array.isArray(held) ? held[0] : held) ?? {}, rest.join('.'), value)
    return { ...body, [first]: Array.isArray(held) ? [inner] : inner }
  }
  const isList = first.endsWith('s')
  const one = first === 'funnels' ? Number(value) : value
  return { ...body, [first]: isList ? [one] : one }
}
