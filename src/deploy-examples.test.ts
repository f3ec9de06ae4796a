import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { VARIABLES } from './config.ts'
import { startTestApp } from './test/server.ts'

describe('the examples of a proxy', () => {
  /** How many bytes each program takes its units for: with Caddy those without an i are powers of ten. */
  const UNITS: Record<string, number> = { m: 2 ** 20, MB: 1e6, MiB: 2 ** 20 }

  it('let through the largest upload that the API takes, and the form around it', () => {
    for (const file of [
      'deploy/proxy/Caddyfile',
      'deploy/proxy/nginx.conf',
      'deploy/kubernetes/ingress.yaml',
      'docs/operating.md',
    ]) {
      const limits = readFileSync(file, 'utf8').matchAll(/(?:max_size|body_size|body-size:) (\d+)([A-Za-z]+)/g)
      const bytes = [...limits].map(([, size, unit]) => Number(size) * UNITS[unit!]!)
      expect(bytes, file).to.not.deep.equal([])
      const least = (VARIABLES.MAX_UPLOAD_MB.default + 1) * 2 ** 20
      for (const limit of bytes) expect(limit, file).to.be.at.least(least)
    }
  })
})

describe('the lines of compose.network.yml for a CA of one’s own', () => {
  const text = readFileSync('deploy/compose.network.yml', 'utf8')

  it('give every service that asks the database the file that DATABASE_URL is told to name', () => {
    const [, ending = ''] = /^# (\?sslmode=\S+)$/m.exec(text) ?? []
    const file = new URLSearchParams(ending).get('sslrootcert')
    expect(file).to.be.a('string')
    const { services } = parse(text.replace(/# (volumes:)/g, '$1')) as {
      services: Record<string, { volumes?: string[] }>
    }
    const stack = parse(readFileSync('compose.yml', 'utf8'), { merge: true }).services
    for (const [name, { environment }] of Object.entries<{ environment: object }>(stack)) {
      const mounted = services[name]?.volumes?.map((volume) => volume.split(':').slice(1).join(':'))
      expect(mounted, name).to.deep.equal('DATABASE_URL' in environment ? [`${file}:ro`] : undefined)
    }
  })

  it('are comments, for most have no such file', () => {
    expect(text).not.to.match(/^\s*volumes:/m)
  })
})

describe('the files for monitoring', () => {
  it('name only metrics that there are', async () => {
    const app = await startTestApp({ API_RUN_MODE: 'api' })
    try {
      const text = await (await fetch(app.metricsUrl)).text()
      const told = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!))
      const rules = parse(readFileSync('deploy/monitoring/rules.yml', 'utf8')).groups[0].rules as { expr: string }[]
      const board = JSON.parse(readFileSync('deploy/monitoring/grafana.json', 'utf8')) as {
        panels: { targets: { expr: string }[] }[]
      }
      const questions = [...rules, ...board.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr)
      expect(questions.length).to.be.greaterThan(25)
      for (const expr of questions) {
        const names = [...expr.matchAll(/\b(?:svc|http|process|nodejs)_[a-z_]+/g)].map(([name]) => name)
        expect(names, expr).to.not.deep.equal([])
        for (const name of names) expect(told, expr).to.include(name.replace(/_(bucket|count|sum)$/, ''))
      }
    } finally {
      await app.stop()
    }
  })
})
