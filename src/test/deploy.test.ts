import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import { parseConfig, VARIABLES, type Config } from '../platform/config/config.ts'

const COMPOSE = parse(readFileSync('compose.yml', 'utf8'), { merge: true }).services as Record<string, Service>
const STACK_CONFIG = parseConfig('dashboard', {})
const KUBERNETES = 'deploy/kubernetes'

interface Service {
  environment: Record<string, string>
  command?: string[]
  [key: string]: unknown
}

const isSecret = (name: string) => 'secret' in (VARIABLES[name as keyof Config & keyof typeof VARIABLES] ?? {})
const isRequired = (name: string) => 'neededBy' in VARIABLES[name as keyof Config & keyof typeof VARIABLES]
const sortNames = (names: Iterable<string>) => [...names].sort()
const stackDefaults = new Map(
  Object.values(COMPOSE).flatMap(({ environment }) =>
    Object.entries(environment).map(([name, value]) => [name, /:-(.*)\}$/.exec(value)?.[1] ?? '']),
  ),
)

interface Variable {
  name: string
  value?: string
  valueFrom?: { secretKeyRef?: { key: string; optional?: boolean }; configMapKeyRef?: { key: string } }
}

interface KubernetesObject {
  kind: string
  metadata: { name: string }
  // oxlint-disable-next-line typescript/no-explicit-any
  spec: any
}

const manifest = parse(readFileSync(join(KUBERNETES, 'kustomization.yaml'), 'utf8'))
const kubernetesObjects: KubernetesObject[] = readdirSync(KUBERNETES)
  .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  .flatMap((name) => parseAllDocuments(readFileSync(join(KUBERNETES, name), 'utf8')).map((one) => one.toJS()))
const literals = new Map(
  (manifest.configMapGenerator[0].literals as string[]).map((line) => line.split(/=(.*)/s, 2) as [string, string]),
)
const findObject = (kind: string, name: string): KubernetesObject =>
  kubernetesObjects.find((one) => one.kind === kind && one.metadata.name === name)!
const podOf = ({ spec }: KubernetesObject) => (spec.jobTemplate?.spec ?? spec).template.spec
const workloads = kubernetesObjects.filter(({ kind }) => ['Deployment', 'Job', 'CronJob'].includes(kind))
const containerOf = (one: KubernetesObject) => podOf(one).containers[0]
const variablesOf = (one: KubernetesObject): Variable[] => containerOf(one).env

describe('Kubernetes manifests', () => {
  it('kustomization.yaml applies every manifest except the examples', () => {
    const applied: string[] = manifest.resources
    const there = readdirSync(KUBERNETES).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    expect(sortNames([...applied, 'autoscale.yaml', 'backup.yaml', 'ingress.yaml'])).to.deep.equal(sortNames(there))
  })

  it('the Kubernetes settings equal the defaults of compose.yml, except the storage kind', () => {
    const settings = [...stackDefaults.keys()].filter((name) => !isSecret(name) && name !== 'API_RUN_MODE')
    expect(sortNames(literals.keys())).to.deep.equal(sortNames(settings))
    const different = [...literals].filter(([name, value]) => value !== stackDefaults.get(name))
    expect(different, 'several pods need one storage').to.deep.equal([['STORAGE_KIND', 's3']])
  })

  it('each Kubernetes workload has the command, variables and secrets of compose.yml', () => {
    for (const [name, like] of [
      ['svc-asr', 'svc-asr'],
      ['svc-migrate', 'svc-migrate'],
      ['svc-dashboard', 'svc-dashboard'],
      ['svc-api', 'svc-api'],
      ['svc-worker', 'svc-api'],
    ] as const) {
      const workload = workloads.find(({ metadata }) => metadata.name === name)!
      const { environment, command } = COMPOSE[like]!
      expect(containerOf(workload).args, name).to.deep.equal(command)
      const given = variablesOf(workload)
      const all = containerOf(workload).envFrom
        ? [...literals.keys(), ...given.map((one) => one.name)]
        : given.map((one) => one.name)
      expect(all, name).to.include.members(Object.keys(environment))
      const secrets = given.filter(({ valueFrom }) => valueFrom?.secretKeyRef)
      expect(sortNames(secrets.map((one) => one.name)), name).to.deep.equal(
        sortNames(Object.keys(environment).filter(isSecret)),
      )
      for (const { name: variable, valueFrom } of given) {
        const { secretKeyRef: secret, configMapKeyRef: setting } = valueFrom ?? {}
        if (secret) expect([secret.key, !secret.optional], variable).to.deep.equal([variable, isRequired(variable)])
        if (setting) expect([setting.key, literals.has(setting.key)], variable).to.deep.equal([variable, true])
      }
    }
    const modes = ['svc-api', 'svc-worker'].map(
      (name) => variablesOf(findObject('Deployment', name)).find((one) => one.name === 'API_RUN_MODE')?.value,
    )
    expect(modes).to.deep.equal(['api', 'worker'])
  })

  it('each command accepts its configuration in Kubernetes', () => {
    const secrets: Record<string, string> = {
      DATABASE_URL: 'postgres://u:p@db/calls',
      REDIS_URL: 'redis://kv',
      ASR_API_KEY: 'key',
      SESSION_SECRET: 'x'.repeat(32),
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    }
    const env = { ...Object.fromEntries(literals), ...secrets, S3_BUCKET: 'calls' }
    for (const command of ['api', 'asr', 'migrate', 'dashboard'] as const) parseConfig(command, env)
  })

  it('secrets.env.example lists exactly the secret variables', () => {
    const lines = readFileSync(join(KUBERNETES, 'secrets.env.example'), 'utf8').split('\n')
    const names = lines.flatMap((line) => /^(?:# )?([A-Z0-9_]+)=/.exec(line)?.[1] ?? [])
    expect(sortNames(names)).to.deep.equal(sortNames([...stackDefaults.keys()].filter(isSecret)))
    const filled = lines.filter((line) => /^[A-Z0-9_]+=/.test(line)).map((line) => line.split('=')[0]!)
    expect(filled).to.include.members(
      sortNames([...stackDefaults.keys()].filter((name) => isSecret(name) && isRequired(name))),
    )
  })

  it("the recognizer's probes in Kubernetes use the health check of compose.yml", () => {
    const { startupProbe, readinessProbe } = containerOf(findObject('Deployment', 'svc-asr'))
    const { test } = COMPOSE['svc-asr']!.healthcheck as { test: string[] }
    for (const { exec, timeoutSeconds } of [startupProbe, readinessProbe]) {
      expect(['CMD', ...exec.command]).to.deep.equal(test)
      expect(timeoutSeconds, 'on a busy machine').to.equal(20)
    }
  })

  it('the backup job has its settings and secrets, and keeps two weeks of backups', () => {
    const job = findObject('CronJob', 'svc-backup')
    const { envFrom, env, command, args, volumeMounts } = containerOf(job)
    expect(envFrom).to.deep.equal([{ configMapRef: { name: 'svc-settings' } }])
    expect((env as Variable[]).map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef?.key])).to.deep.equal(
      ['DATABASE_URL', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'].map((name) => [name, name]),
    )
    const given = { ...Object.fromEntries(literals), DATABASE_URL: 'postgres://db/calls', S3_BUCKET: 'calls' }
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }
    for (const part of ['start', 'migrate'] as const) parseConfig(part, { ...given, ...keys })
    const claims = podOf(job).volumes.filter((one: object) => 'persistentVolumeClaim' in one)
    expect(claims).to.deep.equal([{ name: 'backups', persistentVolumeClaim: { claimName: 'svc-backups' } }])
    expect(findObject('PersistentVolumeClaim', 'svc-backups')).to.be.an('object')
    expect(volumeMounts).to.deep.include({ name: 'backups', mountPath: '/backups' })

    const folder = mkdtempSync(join(tmpdir(), 'svc-backups-'))
    for (const old of ['2020-01-01-031500', 'lost+found']) {
      mkdirSync(join(folder, old))
      utimesSync(join(folder, old), 0, 0)
    }
    // Simulates how the kubelet passes the script to the shell, with a test folder and `mkdir` instead of the backup.
    const script = (args[0] as string).replaceAll('$$(', '$(').replaceAll('/backups', folder)
    execFileSync(command[0], [...command.slice(1), script.replace('node dist/svc.js backup', 'mkdir')])
    const kept = readdirSync(folder).sort()
    rmSync(folder, { recursive: true })
    expect(kept.at(-1)).to.equal('lost+found')
    expect(kept.slice(0, -1).join(), 'a new one, and none older than two weeks').to.match(/^20[2-9]\d-\d\d-\d\d-\d{6}$/)
  })

  it('the Kubernetes manifests use the fixed ports, names and folders of the configuration', () => {
    const port = (url: string) => Number(new URL(url).port)
    for (const [name, wanted] of [
      [new URL(STACK_CONFIG.asrUrl).hostname, port(STACK_CONFIG.asrUrl)],
      [new URL(STACK_CONFIG.apiUrl).hostname, port(STACK_CONFIG.apiUrl)],
      ['svc-dashboard', STACK_CONFIG.panelPort],
    ] as const) {
      const ports = findObject('Service', name).spec.ports as { name: string; port: number; targetPort?: string }[]
      expect(ports.find((one) => one.name === 'http')?.port, name).to.equal(wanted)
      const open = containerOf(findObject('Deployment', name)).ports as { name: string; containerPort: number }[]
      expect(Object.fromEntries(open.map((one) => [one.name, one.containerPort])), name).to.deep.equal({
        http: wanted,
        metrics: STACK_CONFIG.metricsPort,
      })
    }
    expect(findObject('Service', 'svc-asr').spec.clusterIP, 'an address for each recognizer').to.equal('None')
    const mounts = (name: string) =>
      (containerOf(findObject('Deployment', name)).volumeMounts as { mountPath: string }[]).map((one) => one.mountPath)
    expect(mounts('svc-asr')).to.include(STACK_CONFIG.modelsDir)
    for (const name of ['svc-api', 'svc-worker']) {
      expect(
        mounts(name).some((path) => STACK_CONFIG.audioDir.startsWith(`${path}/`)),
        name,
      ).to.equal(true)
    }
  })

  it('the Kubernetes workloads have the memory limits and stop times of compose.yml', () => {
    expect(containerOf(findObject('Deployment', 'svc-asr')).resources.limits.memory).to.equal('3Gi')
    expect(VARIABLES.ASR_MEMORY_LIMIT.default).to.equal('3g')
    const limit = (name: string) =>
      containerOf(workloads.find(({ metadata }) => metadata.name === name)!).resources.limits
    const mebibytes = (text: string) => Number.parseInt(text) * (/g/i.test(text) ? 1024 : 1)
    for (const name of ['svc-migrate', 'svc-api', 'svc-dashboard']) {
      expect(mebibytes(limit(name).memory), name).to.equal(mebibytes(COMPOSE[name]!.mem_limit as string))
    }
    expect(COMPOSE['svc-api']).to.include({ stop_grace_period: '60s' })
    for (const name of ['svc-api', 'svc-worker']) {
      expect(podOf(findObject('Deployment', name)).terminationGracePeriodSeconds, name).to.be.at.least(60)
    }
  })

  it('each pod follows the restricted Pod Security Standard', () => {
    for (const workload of workloads) {
      expect(podOf(workload).securityContext, workload.metadata.name).to.deep.include({
        runAsNonRoot: true,
        runAsUser: 10001,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(containerOf(workload).securityContext, workload.metadata.name).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(podOf(workload)).to.include({ automountServiceAccountToken: false })
    }
  })

  it('the default network policy denies all connections', () => {
    const { spec } = findObject('NetworkPolicy', 'deny-by-default')
    expect(spec).to.deep.equal({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  })

  it('let only the ingress controller and the panel reach the API', () => {
    const policies = kubernetesObjects.filter(({ kind }) => kind === 'NetworkPolicy')
    const open = policies.filter(({ spec }) => spec.ingress?.some((rule: object) => !('from' in rule)))
    // The pod of cert-manager is open to all, and exists only while ingress.yaml requests a certificate.
    expect(open.map(({ metadata }) => metadata.name)).to.deep.equal(['certificates-by-http'])
    const sources = (name: string) =>
      findObject('NetworkPolicy', name).spec.ingress[0].from.map(
        // oxlint-disable-next-line typescript/no-explicit-any
        (one: any) => Object.values((one.namespaceSelector ?? one.podSelector).matchLabels)[0],
      )
    expect(sources('api')).to.deep.equal(['ingress-nginx', 'svc-dashboard'])
    expect(sources('dashboard')).to.deep.equal(['ingress-nginx'])
    const ports = (name: string) => findObject('NetworkPolicy', name).spec.ingress[0].ports
    expect(ports('api')).to.deep.equal([{ protocol: 'TCP', port: STACK_CONFIG.apiPort }])
    expect(ports('dashboard')).to.deep.equal([{ protocol: 'TCP', port: STACK_CONFIG.panelPort }])
  })

  it('pods can connect to private networks only for databases and other parts', () => {
    const { spec } = findObject('NetworkPolicy', 'to-the-internet')
    const [v4, v6] = [['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'], ['fc00::/7', 'fe80::/10']] // prettier-ignore
    for (const { ipBlock } of spec.egress[0].to)
      expect(ipBlock.except, ipBlock.cidr).to.include.members(ipBlock.cidr === '::/0' ? v6 : v4)
    expect(spec.podSelector.matchExpressions[0].values).to.not.include('svc-dashboard')
  })

  it('each long-running part has a disruption budget', () => {
    for (const budget of ['svc-api', 'svc-dashboard', 'svc-worker', 'svc-asr'])
      expect(findObject('PodDisruptionBudget', budget), budget).to.be.an('object')
  })
})

describe('swarm.yml', () => {
  const swarm = parse(readFileSync('deploy/swarm.yml', 'utf8'), { merge: true, logLevel: 'error' })
  const services = swarm.services as Record<string, Service & { secrets?: string[]; deploy: Record<string, unknown> }>

  it('swarm.yml has all services of compose.yml, a worker and an optional backup', () => {
    const own = ['svc-worker', 'svc-backup']
    expect(sortNames(Object.keys(services))).to.deep.equal(sortNames([...Object.keys(COMPOSE), ...own]))
    for (const name of own) expect(services[name]!.extends).to.deep.equal({ file: 'compose.yml', service: 'svc-api' })
    const backup = services['svc-backup']!
    expect(backup).to.deep.include({ profiles: ['backup'], command: '${BACKUP_COMMAND:-backup /backups/now}' })
    expect(backup.volumes).to.include('backups:/backups')
    expect(backup.deploy).to.include({ mode: 'replicated-job' })
    expect(readFileSync('deploy/README.md', 'utf8')).to.include('--profile backup config svc-backup')
  })

  it('the services of swarm.yml read the required secrets from files', () => {
    for (const [name, { environment = {}, secrets = [] }] of Object.entries(services)) {
      const files = Object.keys(environment).filter((key) => key.endsWith('_FILE'))
      const wanted = Object.keys((COMPOSE[name] ?? COMPOSE['svc-api']!).environment).filter(
        (key) => isSecret(key) && isRequired(key),
      )
      expect(
        files.map((key) => key.slice(0, -5)),
        name,
      ).to.include.members(wanted)
      for (const key of files) {
        const secret = key.slice(0, -5).toLowerCase()
        expect(environment[key], name).to.equal(`/run/secrets/${secret}`)
        expect(secrets, name).to.include(secret)
        expect(Object.keys(swarm.secrets)).to.include(secret)
        expect(isSecret(key.slice(0, -5)), key).to.equal(true)
      }
    }
  })

  it('swarm.yml limits memory as compose.yml does', () => {
    for (const [name, { deploy }] of Object.entries(services)) {
      const { limits } = deploy.resources as { limits: { memory: string } }
      expect(limits.memory, name).to.equal((COMPOSE[name] ?? COMPOSE['svc-api']!).mem_limit)
    }
  })

  it("swarm.yml resolves the recognizers' name to each container and updates containers one by one", () => {
    expect(services['svc-asr']!.deploy).to.include({ endpoint_mode: 'dnsrr' })
    expect(services['svc-migrate']!.deploy).to.include({ mode: 'replicated-job' })
    for (const name of ['svc-asr', 'svc-api', 'svc-worker', 'svc-dashboard']) {
      expect(services[name]!.deploy.update_config, name).to.include({ parallelism: 1, failure_action: 'rollback' })
    }
    const modes = ['svc-api', 'svc-worker'].map((name) => services[name]!.environment.API_RUN_MODE)
    expect(modes).to.deep.equal(['api', 'worker'])
  })
})
