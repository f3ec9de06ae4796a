import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { parseConfig, VARIABLES, type Command } from '../platform/config/config.ts'
import { formatConfigurationPage } from '../platform/config/page.ts'

interface Service {
  command: [Command]
  environment: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  volumes?: string[]
  healthcheck?: { test?: string[] }
  [key: string]: unknown
}

const { services, volumes } = parse(readFileSync('compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}
const serviceEntries = Object.entries(services)
const DOCUMENTS = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const variableEntries: [string, { neededBy?: Command[]; secret?: true; stack?: false }][] = Object.entries(VARIABLES)

/** Lists the names of the variables that fulfil a condition, sorted. */
function listNames(condition: (entry: (typeof variableEntries)[number]) => unknown): string[] {
  return variableEntries
    .filter(condition)
    .map(([name]) => name)
    .sort()
}

const STACK_VARIABLES = listNames(([, { stack }]) => stack !== false)

/** Parses a value of the stack file: `${NAME:-default}`, or `${NAME:?message}` for a required variable. */
function parseReference(value: string): { name: string; kind: string; text: string } {
  const [, name, kind, text] = /^\$\{([A-Z0-9_]+):([-?])(.*)\}$/.exec(value) ?? []
  expect(name, value).to.be.a('string')
  return { name: name!, kind: kind!, text: text! }
}

const REQUIRED_VALUES: Record<string, string> = {
  DATABASE_URL: 'postgres://user:password@db:5432/name',
  REDIS_URL: 'redis://kv:6379',
  ASR_API_KEY: 'a key',
  SESSION_SECRET: 'at least 32 characters of random text',
}

/** The default of these variables depends on another variable, so the stack passes an empty value. */
const DERIVED_VARIABLES = new Set(['TRANSCRIPTION_CONCURRENCY'])

/** Resolves the environment of a container for the variables that the operator sets. */
function resolveEnvironment(service: Service, overrides: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(service.environment).map(([key, value]) => {
      const { name, kind, text } = parseReference(value)
      return [key, overrides[name] || (kind === '-' ? text : '')]
    }),
  )
}

describe('compose.yml', () => {
  it('compose.yml has four services with their commands and one image', () => {
    expect(Object.fromEntries(serviceEntries.map(([name, { command }]) => [name, command]))).to.deep.equal({
      'svc-asr': ['asr'],
      'svc-migrate': ['migrate'],
      'svc-api': ['api'],
      'svc-dashboard': ['dashboard'],
    })
    expect(new Set(serviceEntries.map(([, { image }]) => image)).size).to.equal(1)
    expect(serviceEntries.filter(([, { build }]) => build)).to.have.lengthOf(1)
  })

  it('compose.yml passes exactly the variables of the stack under their own names', () => {
    const passed = new Set(['ASR_MEMORY_LIMIT']) // The container engine uses this variable, not the recognizer.
    for (const [, { environment }] of serviceEntries) {
      for (const [key, value] of Object.entries(environment)) {
        expect(parseReference(value).name).to.equal(key)
        passed.add(key)
      }
    }
    expect([...passed].sort()).to.deep.equal(STACK_VARIABLES)
  })

  it('compose.yml has the defaults of the configuration table in every service', () => {
    const values = [
      ...serviceEntries.flatMap(([, { environment }]) => Object.values(environment)),
      services['svc-asr']!.mem_limit as string,
    ]
    for (const { name, kind, text } of values.map(parseReference)) {
      if (kind === '?') continue
      const { default: fallback } = VARIABLES[name as keyof typeof VARIABLES]
      const isWritten = fallback !== undefined && (typeof fallback !== 'object' || Array.isArray(fallback))
      if (DERIVED_VARIABLES.has(name)) continue
      // An empty value counts as absent, so the default of the product applies. A list is separated by commas.
      expect(text, name).to.equal(isWritten ? String(fallback) : '')
    }
  })

  it('compose.yml fails without a required variable', () => {
    const refused = new Set<string>()
    for (const [, { environment, command }] of serviceEntries) {
      const needed = listNames(([, { neededBy }]) => neededBy?.includes(command[0]))
      expect(Object.keys(environment)).to.include.members(needed)
      for (const { name, kind } of Object.values(environment).map(parseReference)) if (kind === '?') refused.add(name)
    }
    expect([...refused].sort()).to.deep.equal(listNames(([, { neededBy }]) => neededBy))
    expect([...refused].sort()).to.deep.equal(Object.keys(REQUIRED_VALUES).sort())
  })

  it('each command accepts its configuration in compose.yml', () => {
    const choices: Record<string, string>[] = [{}, { ASR_MAX_CONCURRENCY: '1' }]
    for (const overrides of choices) {
      for (const [, service] of serviceEntries)
        parseConfig(service.command[0], resolveEnvironment(service, { ...REQUIRED_VALUES, ...overrides }))
    }
  })

  it('compose.yml gives each container only the secrets that it uses', () => {
    const secrets = listNames(([, { secret }]) => secret)
    const listSecrets = (name: string) =>
      Object.keys(services[name]!.environment).filter((key) => secrets.includes(key))
    expect(listSecrets('svc-asr')).to.deep.equal(['ASR_API_KEY'])
    expect(listSecrets('svc-migrate')).to.deep.equal(['DATABASE_URL'])
    expect(listSecrets('svc-dashboard')).to.deep.equal([])
  })

  it('compose.yml publishes no ports', () => {
    for (const [name, service] of serviceEntries) {
      expect(service, name).not.to.have.any.keys('ports', 'network_mode', 'networks')
    }
    const exposed = serviceEntries.map(([name, { expose }]) => [name, expose])
    expect(Object.fromEntries(exposed)).to.deep.equal({
      'svc-asr': ['8000'],
      'svc-migrate': undefined,
      'svc-api': ['3001'],
      'svc-dashboard': ['3000'],
    })
  })

  it('the services of compose.yml start in the order of their dependencies', () => {
    expect(Object.fromEntries(serviceEntries.map(([name, service]) => [name, service.depends_on]))).to.deep.equal({
      'svc-asr': undefined,
      'svc-migrate': undefined,
      'svc-api': {
        'svc-migrate': { condition: 'service_completed_successfully' },
        'svc-asr': { condition: 'service_healthy' },
      },
      'svc-dashboard': { 'svc-api': { condition: 'service_healthy' } },
    })
    expect(services['svc-migrate']).to.include({ restart: 'no' })
  })

  it('the health checks of compose.yml use /healthz for the API and /readyz for the recognizer', () => {
    const asked = serviceEntries.map(([name, { healthcheck }]) => [
      name,
      /fetch\('([^']*)'\)/.exec(String(healthcheck!.test))?.[1],
    ])
    expect(Object.fromEntries(asked)).to.deep.equal({
      'svc-asr': 'http://127.0.0.1:8000/readyz',
      'svc-migrate': undefined,
      // The probe is not /readyz, because the API accepts calls even without Redis or the recognizer.
      'svc-api': 'http://127.0.0.1:3001/healthz',
      'svc-dashboard': 'http://127.0.0.1:3000/healthz',
    })
  })

  it('compose.yml stores models and audio in volumes', () => {
    expect(Object.keys(volumes)).to.have.members(['asr-models', 'audio-data'])
    expect(Object.fromEntries(serviceEntries.map(([name, service]) => [name, service.volumes]))).to.deep.equal({
      'svc-asr': ['asr-models:/models'],
      'svc-migrate': undefined,
      'svc-api': ['audio-data:/data', '/tmp'], // uploads that wait for S3 can exceed the memory
      'svc-dashboard': undefined,
    })
  })

  it('compose.yml gives the API a minute to stop and the recognizer 3 GB', () => {
    expect(services['svc-api']).to.include({ stop_grace_period: '60s' })
    expect(services['svc-asr']).to.include({ mem_limit: '${ASR_MEMORY_LIMIT:-3g}' })
    expect(services['svc-asr']).to.have.nested.property('healthcheck.start_period', '30m')
  })

  it('no container of compose.yml can gain privileges or fill the disk with logs', () => {
    for (const [name, service] of serviceEntries) {
      expect(service, name).to.deep.include({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
      expect(service, name).to.have.nested.property('logging.options.max-size')
      expect(service.read_only, name).to.equal(name !== 'svc-asr')
    }
  })

  it('each table in the documents has a header and rows of equal length', () => {
    const tables = DOCUMENTS.flatMap((file) => readFileSync(file, 'utf8').split('\n\n')).filter((block) =>
      block.trimStart().startsWith('|'),
    )
    expect(tables.length).to.be.greaterThan(5)
    for (const table of tables) {
      const rows = table.trim().split('\n')
      expect(rows[1], rows[0]).to.match(/^\|( -+:? \|)+$/)
      const cells = rows.map((row) => row.split(/(?<!\\)\|/).length)
      expect(new Set(cells).size, rows[0]).to.equal(1)
    }
  })

  it('docs/configuration.md matches the table of variables in the code', () => {
    const page = readFileSync('docs/configuration.md', 'utf8')
    expect(page, 'run npm run configuration').to.equal(formatConfigurationPage())
    const rows = page.split('\n').flatMap((line) => /^\| `(\w+)` .*\| (yes|no) \|$/.exec(line)?.slice(1) ?? [])
    const passed = rows.filter((_, index) => rows[index + 1] === 'yes')
    expect(passed.sort()).to.deep.equal(STACK_VARIABLES)
    expect(rows.length / 2).to.equal(variableEntries.length)
  })

  it('the documents name only existing variables', () => {
    const known = new Set(variableEntries.map(([name]) => name))
    for (const file of ['README.md', ...DOCUMENTS]) {
      const named = readFileSync(file, 'utf8').match(
        /\b(?:ASR|ANALYSIS|CRM|S3|TRANSCRIPTION|INGESTION)(?:_[A-Z0-9]+)+\b/g,
      )
      expect(
        [...new Set(named)].filter((name) => !known.has(name)),
        file,
      ).to.deep.equal([])
    }
  })

  it('README.md names only variables that a container receives', () => {
    const named = new Set(readFileSync('README.md', 'utf8').match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g))
    expect([...named]).to.include.members(Object.keys(REQUIRED_VALUES))
    expect(STACK_VARIABLES).to.include.members([...named])
  })
})
