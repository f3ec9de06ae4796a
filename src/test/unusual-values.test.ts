import { expect } from 'chai'
import type { TObject, TSchema } from 'typebox'
import { listApiOperations } from '../app/api.ts'
import type { Operation } from '../platform/http/operation.ts'
import { generateId } from '../platform/lib/ids.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from './server.ts'

/** Texts that no schema expects, or that only resemble a number, a day or a text. */
const ODD_TEXTS = ['', '1e9', '2147483648', '99999999999999999999', 'a\0b', '0001-01-01', '9999-12-31', "'%\\"]
const ODD_VALUES = [null, '', '\0', '9999-12-31', 2 ** 31, 1e300, [null], {}]

describe('unusual values in requests', () => {
  let app: TestApp
  let recording: string

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', INGESTION_SOURCE: 'local-inbox' })
    recording = (await insertQueuedRecordings(app, 1))[0]!
  })

  after(() => app.stop())

  /** Fills the path parameters with the given values, else with the id of an existing recording or a random id. */
  function formatAddress({ path }: Operation, parameters: Record<string, string> = {}): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (name in parameters) return encodeURIComponent(parameters[name]!)
      return path.startsWith('/v1/recordings/') && name === 'id' ? recording : generateId()
    })
  }

  const propertiesOf = (schema?: TSchema) => Object.keys((schema as TObject | undefined)?.properties ?? {})

  it('unusual path and query parameters cause no server error', async () => {
    const reading = listApiOperations().filter(({ method, access }) => method === 'get' && access !== 'public')
    const broken: string[] = []
    for (const operation of reading) {
      const asked = ODD_TEXTS.flatMap((text) => [
        ...propertiesOf(operation.query).map(
          (name) => `${formatAddress(operation)}?${new URLSearchParams({ [name]: text }).toString()}`,
        ),
        ...(operation.path.match(/\{\w+\}/g) ?? []).map((name) =>
          formatAddress(operation, { [name.slice(1, -1)]: text }),
        ),
      ]).filter((address) => !address.endsWith('/'))
      const answers = await Promise.all(asked.map((address) => app.olga.get(address)))
      broken.push(...asked.filter((_, i) => answers[i]!.status >= 500))
    }
    expect(broken).to.deep.equal([])
  })

  it('the highest page number returns an empty page in every list', async () => {
    const lists = listApiOperations().filter(({ query }) => propertiesOf(query).includes('page'))
    expect(lists.length).to.be.greaterThan(10)
    for (const operation of lists.filter(({ path }) => !path.includes('{') || path.startsWith('/v1/queues'))) {
      const address = operation.path.replace('{name}', 'transcription')
      for (const more of ['', ...(propertiesOf(operation.query).includes('order') ? ['&order=asc'] : [])]) {
        const { status, json } = await app.olga.get(`${address}?page=9007199254740991&pageSize=100${more}`)
        expect([status, json.items, json.page], address + more).to.deep.equal([200, [], 9007199254740991])
      }
    }
  })

  it('a JSON body is accepted with any JSON media type', async () => {
    for (const type of ['application/json', 'application/vnd.api+json', 'application/vnd.x+json; charset=utf-8']) {
      const sent = { method: 'POST', headers: { 'Content-Type': type } }
      const made = await app.olga.send('/v1/api-keys', { ...sent, body: '{"name": "Telephony"}' })
      expect([made.status, made.json.name], type).to.deep.equal([201, 'Telephony'])
      const broken = await app.olga.send('/v1/api-keys', { ...sent, body: '{' })
      expect(broken.status, type).to.equal(400)
    }
  })

  it('unusual values in a body cause no server error', async () => {
    const changing = listApiOperations().filter(({ body, path }) => body && !path.startsWith('/v1/auth'))
    const broken: string[] = []
    for (const operation of changing) {
      const names = propertiesOf(operation.body)
      const bodies = ODD_VALUES.flatMap((value) => [value, ...names.map((name) => ({ [name]: value }))])
      const send = (body: unknown) =>
        app.olga.send(formatAddress(operation), {
          method: operation.method.toUpperCase(),
          body: JSON.stringify(body),
          headers: { 'Content-Type': 'application/json' },
        })
      const answers = await Promise.all(bodies.map(send))
      broken.push(
        ...bodies.filter((_, i) => answers[i]!.status >= 500).map((body) => `${operation.id} ${JSON.stringify(body)}`),
      )
    }
    expect(broken).to.deep.equal([])
  })
})
