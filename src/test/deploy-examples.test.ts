import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { VARIABLES } from '../platform/config/config.ts'
import { startTestApp } from './server.ts'

const STACK_FILE = parse(readFileSync('compose.yml', 'utf8'), { merge: true }).services as Record<
  string,
  { environment: Record<string, string> }
>

describe('proxy examples', () => {
  /** The sizes of the units in bytes. In Caddy, units without an i are powers of ten. */
  const UNITS: Record<string, number> = { m: 2 ** 20, MB: 1e6, MiB: 2 ** 20 }

  it('the proxy examples allow the largest upload with its form', () => {
    for (const file of [
      'deploy/proxy/Caddyfile',
      'deploy/proxy/nginx.conf',
      'deploy/kubernetes/ingress.yaml',
      'docs/deployment.md',
    ]) {
      const limits = readFileSync(file, 'utf8').matchAll(/(?:max_size|body_size|body-size:) (\d+)([A-Za-z]+)/g)
      const bytes = [...limits].map(([, size, unit]) => Number(size) * UNITS[unit!]!)
      expect(bytes, file).to.not.deep.equal([])
      const least = (VARIABLES.MAX_UPLOAD_MB.default + 1) * 2 ** 20
      for (const limit of bytes) expect(limit, file).to.be.at.least(least)
    }
  })
})

describe('compose.ca.yml', () => {
  const text = readFileSync('deploy/compose.ca.yml', 'utf8')

  it('compose.ca.yml mounts the CA file into each service that uses the database', () => {
    const [, ending = ''] = /(\?sslmode=\S+)$/m.exec(text) ?? []
    const target = new URLSearchParams(ending).get('sslrootcert')
    expect(target).to.be.a('string')
    const { services } = parse(text) as { services: Record<string, { volumes?: object[] }> }
    const stack = parse(readFileSync('compose.yml', 'utf8'), { merge: true }).services
    for (const [name, { environment }] of Object.entries<{ environment: object }>(stack)) {
      const [file, ...others] = services[name]?.volumes ?? []
      expect(others, name).to.deep.equal([])
      if ('DATABASE_URL' in environment) expect(file, name).to.include({ target, type: 'bind', read_only: true })
      else expect(file, name).to.equal(undefined)
    }
  })

  it('compose.ca.yml requires POSTGRES_CA and creates no missing folder', () => {
    const { services } = parse(text) as { services: Record<string, { volumes: { source: string; bind: object }[] }> }
    for (const [name, { volumes }] of Object.entries(services)) {
      expect(volumes[0]!.source, name).to.match(/^\$\{POSTGRES_CA:\?.+\}$/)
      expect(volumes[0]!.bind, name).to.deep.equal({ create_host_path: false })
    }
  })
})

describe('monitoring files', () => {
  it('an alert exists for each component that can be missing', () => {
    const { rules } = parse(readFileSync('deploy/monitoring/rules.yml', 'utf8')).groups[0] as {
      rules: { expr: string }[]
    }
    const missing = rules.flatMap(({ expr }) => /absent\(svc_component\{component="(\w+)"\}\)/.exec(expr)?.[1] ?? [])
    expect(missing).to.have.members(['http', 'queues', 'recognizer', 'panel'])
  })

  it('alert rules and dashboards name only existing metrics', async () => {
    const app = await startTestApp({ API_RUN_MODE: 'api' })
    try {
      const text = await (await fetch(app.metricsUrl)).text()
      // Prometheus adds the metric `up`.
      const told = new Set(['up', ...[...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!)])
      const rules = parse(readFileSync('deploy/monitoring/rules.yml', 'utf8')).groups[0].rules as { expr: string }[]
      const board = JSON.parse(readFileSync('deploy/monitoring/grafana.json', 'utf8')) as {
        panels: { targets: { expr: string }[] }[]
      }
      const questions = [...rules, ...board.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr)
      expect(questions.length).to.be.greaterThan(25)
      for (const expr of questions) {
        const names = [...expr.matchAll(/\b(?:(?:svc|http|process|nodejs)_[a-z_]+|up(?=\{))/g)].map(([name]) => name)
        expect(names, expr).to.not.deep.equal([])
        for (const name of names) expect(told, expr).to.include(name.replace(/_(bucket|count|sum)$/, ''))
      }
    } finally {
      await app.stop()
    }
  })
})

describe('Compose override files', () => {
  const over = (name: string) => parse(readFileSync(`deploy/compose.${name}.yml`, 'utf8'))

  it('compose.workers.yml separates the HTTP API from the worker by API_RUN_MODE', () => {
    expect(over('workers').services).to.deep.equal({
      'svc-api': { environment: { API_RUN_MODE: 'api' } },
      'svc-worker': {
        extends: { file: 'compose.yml', service: 'svc-api' },
        environment: { API_RUN_MODE: 'worker' },
      },
    })
    expect(STACK_FILE['svc-api']!.environment).to.include.keys('API_RUN_MODE')
  })

  it('compose.network.yml adds each service that uses the database to the database network', () => {
    const { services, networks } = over('network')
    const asking = Object.keys(STACK_FILE).filter((name) => 'DATABASE_URL' in STACK_FILE[name]!.environment)
    expect(services).to.have.all.keys(asking)
    for (const name of asking) expect(services[name].networks, name).to.deep.equal(['default', 'databases'])
    expect(networks.databases).to.include({ external: true })
  })
})
