import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type Router from '@koa/router'
import { expect } from 'chai'
import { listApiOperations, createApiApp } from '../app/api.ts'
import type { AppCore } from '../app/core.ts'
import { BACKGROUND_QUEUES } from '../app/queues.ts'
import { generateId } from '../platform/lib/ids.ts'
import { createLogger } from '../platform/lib/log.ts'
import { startTestApp, type TestApp } from './server.ts'

interface OperationDescription {
  'x-access': string
  'x-rights': string[]
  operationId: string
  parameters: { name: string; description: string }[]
  security: Record<string, string[]>[]
  requestBody?: { content: Record<string, { schema: { $ref?: string; examples?: object[] } }> }
  responses: Record<string, ResponseDescription & { $ref?: string }>
}
interface ResponseDescription {
  headers: object
  content?: Record<string, object>
}
interface ApiDocument {
  openapi: string
  paths: Record<string, Record<string, OperationDescription>>
  components: { responses: Record<string, ResponseDescription> }
}

/** These media types have binary content without an example. */
const BINARY_TYPES = new Set(['audio/*', 'application/zip'])

type ClientProgram = (baseUrl: string, key: string) => Promise<object>

/** A program of an API client. Marked lines must not compile. */
const CLIENT_SOURCE = `
import createClient from 'openapi-fetch'
import type { components, paths, webhooks } from './api.js'

type Callback = webhooks['recordingFinished']['post']['requestBody']['content']['application/json']
export const textOf = ({ recording }: Callback): string | undefined => recording.transcript?.text
export const filters: components['schemas']['View']['filters'] = { scoreBelow: '60' }

export default async function program(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } })
  const { data: page } = await client.GET('/v1/recordings', { params: { query: { order: 'desc', pageSize: 1 } } })
  const recording: components['schemas']['Recording'] = page!.items[0]!
  const path = { id: recording.id }
  const { data: cancelled } = await client.POST('/v1/recordings/{id}/cancel', { params: { path } })
  const { error } = await client.DELETE('/v1/recordings/{id}', { params: { path } })
  if (error) throw new Error(String(error.message))
  const { data: after } = await client.GET('/v1/recordings')
  // @ts-expect-error no such address
  void (() => client.GET('/v1/nothing'))
  // @ts-expect-error no such order
  void (() => client.GET('/v1/recordings', { params: { query: { order: 'up' } } }))
  // @ts-expect-error filters of a view are texts
  filters.scoreBelow = 60
  // @ts-expect-error no such field
  void (() => recording.colour)
  return { id: recording.id, status: cancelled!.status, left: after!.total }
}
`

function runProgram(program: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
    execFile(program, args, { env, timeout: 60_000, maxBuffer: 1e8 }, (error, out) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: out })
    })
  })
}

describe('API description', () => {
  let app: TestApp
  let document: ApiDocument
  let operations: { method: string; path: string; operation: OperationDescription }[]
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    document = (await app.nobody.get('/docs-json')).json
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
    )
  })
  after(() => app.stop())

  it('the API description is public and in OpenAPI 3.1', () => {
    expect(document.openapi).to.equal('3.1.0')
  })

  it('the API description has exactly the operations of the router', () => {
    const api = createApiApp({
      config: app.config,
      log: createLogger('silent', 'test'),
      queues: BACKGROUND_QUEUES,
    } as unknown as AppCore)
    const { router } = api.middleware.find((one) => 'router' in one) as unknown as { router: Router }
    const served = router.stack.flatMap(({ methods, path }) =>
      methods
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method.toLowerCase()} ${String(path).replace(/:(\w+)/g, '{$1}')}`),
    )
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).to.deep.equal(served.sort())
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('each path accepts its described methods, and others get 405 with Allow', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const described = Object.keys(methods).map((method) => method.toUpperCase())
      const allowed = described.includes('GET') ? [...described, 'HEAD'] : described
      const address = path.replace('{id}', generateId()).replace(/\{\w+\}/g, 'x')
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, headers } = await app.nobody.send(address, { method })
        const what = `${method} ${path}`
        if (allowed.includes(method)) expect(status, what).to.not.equal(405)
        else {
          expect(status, what).to.equal(405)
          expect(headers.get('allow'), what).to.equal(allowed.sort().join(', '))
        }
      }
    }
  })

  it('the API description describes every property and parameter', () => {
    const silent: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { properties } = value as { properties?: Record<string, { description?: string }> }
      for (const [name, schema] of Object.entries(properties ?? {})) {
        if (!schema.description && !('$ref' in schema)) silent.push(`${path}.${name}`)
      }
      for (const [name, child] of Object.entries(value)) if (name !== 'example') visit(child, `${path}.${name}`)
    }
    visit(document, '')
    expect(silent).to.deep.equal([])
  })

  it('each described operation states its access, rights and authentication errors', () => {
    for (const { operation, method } of operations) {
      const { 'x-access': access, 'x-rights': rights, responses, operationId } = operation
      expect(access, operationId).to.be.oneOf(['public', 'self', 'owner', 'ownerOrKey', 'ownerOrHead', 'scoped'])
      expect(rights, operationId).to.be.an('array')
      if (access !== 'public') expect(responses, operationId).to.include.keys('401')
      if (method !== 'get' || rights.length > 0) expect(responses, operationId).to.include.keys('403')
    }
  })

  it('each described response has a schema, and an example unless it is binary', () => {
    for (const { operation } of operations) {
      for (const [status, given] of Object.entries(operation.responses)) {
        const response = given.$ref ? document.components.responses[given.$ref.split('/').pop()!]! : given
        expect(response.headers, operation.operationId).to.include.keys('X-Request-Id')
        if (['204', '304'].includes(status)) continue
        expect(response.content, `${operation.operationId} ${status}`).to.be.an('object')
        for (const [type, content] of Object.entries(response.content!)) {
          if (!BINARY_TYPES.has(type))
            expect(content, `${operation.operationId} ${status}`).to.include.keys('schema', 'example')
        }
      }
    }
  })

  it('the description of an id in a path names its object', () => {
    const describeId = (path: string) =>
      Object.values(document.paths[path]!)[0]!.parameters.find(({ name }) => name === 'id')!.description
    expect(describeId('/v1/recordings/{id}/comments')).to.equal('The recording.')
    expect(describeId('/v1/bulk-actions/{id}')).to.equal('The bulk action.')
    expect(describeId('/v1/people/{id}')).to.equal('The person.')
  })

  it('each described JSON body has an example, unless it is a component', () => {
    for (const { operation } of operations) {
      const { schema } = operation.requestBody?.content['application/json'] ?? {}
      if (schema && !schema.$ref) expect(schema.examples, operation.operationId).to.have.length(1)
    }
  })

  it('each described operation lists the credentials that it accepts', () => {
    for (const { operation } of operations) {
      const names = operation.security.flatMap((one) => Object.keys(one))
      const expected = {
        public: [],
        ownerOrKey: ['apiKey', 'bearer', 'session'],
        scoped: ['apiKey', 'bearer', 'session'],
      }
      const closed = listApiOperations().find(({ id }) => id === operation.operationId)!.closedToKeys
      const ways = closed ? undefined : expected[operation['x-access'] as keyof typeof expected]
      expect(names).to.deep.equal(ways ?? ['session'])
    }
  })

  it('the API description passes the Redocly lint without errors and warnings', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-description-'))
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
    const { code, output } = await runProgram('node_modules/.bin/redocly', [
      'lint',
      '--format=json',
      join(folder, 'openapi.json'),
    ])
    rmSync(folder, { recursive: true })
    const { totals, problems } = JSON.parse(output.slice(output.indexOf('{'))) as {
      totals: object
      problems: unknown[]
    }
    expect(problems).to.deep.equal([])
    expect(totals).to.include({ errors: 0, warnings: 0 })
    expect(code).to.equal(0)
  })

  it('a TypeScript client generated from the API description compiles and works', async () => {
    // The folder is inside the project, so that the compiler and Node find the packages.
    const folder = mkdtempSync('dist-test/client-')
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
    const generated = await runProgram('node_modules/.bin/openapi-typescript', [
      join(folder, 'openapi.json'),
      '-o',
      join(folder, 'api.ts'),
    ])
    expect(generated.code, generated.output).to.equal(0)
    writeFileSync(join(folder, 'program.ts'), CLIENT_SOURCE)
    const options = '--module nodenext --target es2023 --strict --skipLibCheck --rootDir'.split(' ')
    const compiled = await runProgram('node_modules/.bin/tsc', [
      join(folder, 'program.ts'),
      '--ignoreConfig',
      ...options,
      folder,
    ])
    expect(compiled.output).to.equal('')
    const { default: program } = (await import(resolve(folder, 'program.js'))) as { default: ClientProgram }
    const uploaded = (await app.ida.upload('x', { externalCallId: 'typed' })).json
    expect(await program(app.url, app.ida.headers['X-API-Key']!)).to.deep.equal({
      id: uploaded.id,
      status: 'CANCELLED',
      left: 0,
    })
    rmSync(folder, { recursive: true })
  })

  it('the command describe writes the API description and a page of all operations', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-description-'))
    const { code, output } = await runProgram(process.execPath, [
      process.env.SVC_TEST_BUNDLE!,
      'describe',
      join(folder, 'new'),
    ])
    expect(code, output).to.equal(0)
    expect(JSON.parse(readFileSync(join(folder, 'new/openapi.json'), 'utf8'))).to.deep.equal(document)
    const page = readFileSync(join(folder, 'new/index.html'), 'utf8')
    expect(page).to.not.match(/<script|<link|src=|href=|url\(/)
    expect(page).to.include('color-scheme: light dark')
    const rows = page.match(/<tr><th scope="row">.*<\/tr>/g)!
    expect(rows).to.have.length(operations.length)
    for (const { method, path, operation } of operations) {
      const row = rows.find((one) => one.includes(`<b>${method.toUpperCase()}</b> ${path}</code>`))!
      expect(row, path).to.include(`<code>${operation['x-access']}</code>`)
      for (const right of operation['x-rights']) expect(row, path).to.include(`<code>${right}</code>`)
      for (const status of Object.keys(operation.responses)) expect(row, path).to.include(`>${status}</b>`)
    }
    rmSync(folder, { recursive: true })
  })

  it('the page /docs loads only its own files under a strict content policy', async () => {
    const page = await app.nobody.get('/docs')
    expect(page.headers.get('content-security-policy')).to.not.match(/unsafe|https?:/)
    for (const [, address] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      if (address === 'data:,') continue
      expect(address).to.match(/^\/docs\//)
      expect((await app.nobody.get(address!)).status).to.equal(200)
    }
    expect((await app.nobody.get('/docs/package.json')).status).to.equal(404)
  })
})
