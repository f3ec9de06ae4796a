import { expect } from 'chai'
import { apiRoutes } from './api.ts'
import { startWorld, type TestWorld } from './test/server.ts'

interface Described {
  'x-access': string
  'x-rights'?: string[]
  operationId: string
  responses: Record<string, { description: string }>
}

describe('the description', () => {
  let world: TestWorld
  let document: { openapi: string; paths: Record<string, Record<string, Described>> }
  before(async () => {
    world = await startWorld({ API_RUN_MODE: 'api' })
    document = (await world.nobody.get('/docs-json')).json
  })
  after(() => world.stop())

  it('is OpenAPI 3.1 and open to everybody', () => {
    expect(document.openapi).to.equal('3.1.0')
  })

  it('has exactly the router’s operations, each with its access and rights', () => {
    const served = apiRoutes(undefined as never, undefined as never).map(({ operation }) => operation)
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, one]) => `${method} ${path} ${one['x-access']} ${one['x-rights']?.join() ?? ''}`,
      ),
    )
    expect(described.sort()).to.deep.equal(
      served.map(({ method, path, access, rights }) => `${method} ${path} ${access} ${rights?.join() ?? ''}`).sort(),
    )
    const ids = served.map(({ id }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('describes every property and parameter in words', () => {
    const silent: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { properties } = value as { properties?: Record<string, { description?: string }> }
      for (const [name, schema] of Object.entries(properties ?? {})) {
        if (!schema.description) silent.push(`${path}.${name}`)
      }
      for (const [name, child] of Object.entries(value)) if (name !== 'example') visit(child, `${path}.${name}`)
    }
    visit(document.paths, '')
    expect(silent).to.deep.equal([])
  })

  it('every operation names who may call it and answers errors in the one shape', () => {
    for (const methods of Object.values(document.paths)) {
      for (const { responses, ...operation } of Object.values(methods)) {
        expect(operation['x-access']).to.be.oneOf(['public', 'self', 'owner', 'ownerOrKey', 'ownerOrHead', 'scoped'])
        if (operation['x-access'] !== 'public') expect(responses).to.include.keys('401', '403')
      }
    }
  })

  it('/docs is a page that loads nothing from elsewhere and runs under a strict policy', async () => {
    const page = await world.nobody.get('/docs')
    expect(page.headers.get('content-security-policy')).to.not.match(/unsafe|https?:/)
    for (const [, address] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      if (address === 'data:,') continue
      expect(address).to.match(/^\/docs\//)
      expect((await world.nobody.get(address!)).status).to.equal(200)
    }
    expect((await world.nobody.get('/docs/package.json')).status).to.equal(404)
  })
})
