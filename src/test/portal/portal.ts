import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { runPortalBatch } from './batch.ts'
import { createTestCertificate } from './certificate.ts'
import { PortalData } from './data.ts'
import { PORTAL_ERRORS, LOGIN_PAGE_HTML, PortalError, type PortalFault, type PlannedFault } from './faults.ts'
import { BITRIX_LIMITS, LeakyBuckets, PortalOperatingTimes, type PortalLimitSettings } from './limits.ts'
import type { PortalMethodResult } from './lists.ts'
import { PORTAL_METHODS, listMethodScopes, type TestPortalWebhook } from './methods.ts'
import { convertPhpLists, parsePhpForm, parseParameterText, type PhpParameters } from './parameters.ts'
import type { TestPortalRow } from './table.ts'

/** A received request. The commands of a batch follow it as separate requests. */
interface PortalRequest {
  method: string
  parameters: PhpParameters
  hook: 'read' | 'write' | null
  /** Milliseconds of the portal's clock. */
  at: number
  isNested: boolean
}

/** A Bitrix24 for tests: a real HTTP or HTTPS server with its limits and errors. Tests can change its properties. */
export class TestPortal {
  readonly data = new PortalData(() => this.now())
  readonly requests: PortalRequest[] = []
  readonly read: TestPortalWebhook = {
    userId: 1,
    code: 'r3adS3cretOfTheHook',
    scopes: ['crm', 'telephony', 'user_basic', 'department', 'disk'],
    state: 'valid',
  }
  readonly write: TestPortalWebhook = { userId: 1, code: 'wr1teS3cretOfTheHook', scopes: ['crm'], state: 'valid' }
  limits: PortalLimitSettings = { ...BITRIX_LIMITS }
  /** Faults of the next requests. The first matching fault applies. */
  faults: PlannedFault[] = []
  /** Returns milliseconds; a test can replace it to stop the clock. */
  clock: () => number = Date.now
  /** The difference of the portal's clock from `clock`, in milliseconds. */
  shiftMs = 0
  /** The delay of each response in milliseconds. */
  latencyMs = 0
  /** Returns whether the webhook can read a row. Unreadable rows are omitted from lists. */
  sees: (kind: 'deal' | 'call' | 'user', row: TestPortalRow) => boolean = () => true
  /** Changes a row of a list before it is sent. */
  sends: (method: string, row: TestPortalRow) => TestPortalRow = (_, row) => row
  statisticsRights: 'all' | 'own' | 'none' = 'all'
  /** The order of voximplant.statistic.get without a parameter. */
  statisticsOrder: 'ASC' | 'DESC' = 'DESC'
  readsLowerCaseFilter = false
  /** True if filters of crm.item.list ignore times in ISO 8601. */
  ignoresIsoFilter = false
  /** True if unreadable items are sent as empty lists instead of being omitted. */
  tellsHiddenItems = false
  hasPlan = true
  /** If set, the portal is deleted and returns its errors with this status. */
  deleted: 500 | 403 | 410 | undefined
  /** True if the portal rejects plain HTTP. */
  wantsHttps = false
  readonly missingMethods = new Set<string>()
  readonly deniedMethods = new Set<string>()
  /** The status of errors about scopes and credentials: Bitrix24 sends 401, but documents 403. */
  refusalStatus: 401 | 403 = 401
  url = ''
  /** The self-signed certificate of the HTTPS server, which clients must trust. */
  certificate: string | undefined
  private server: http.Server | undefined
  private readonly buckets = new LeakyBuckets()
  private readonly operating = new PortalOperatingTimes()

  now(): number {
    return this.clock() + this.shiftMs
  }

  advanceClock(ms: number): void {
    this.shiftMs += ms
  }

  get readUrl(): string {
    return `${this.url}/rest/${this.read.userId}/${this.read.code}/`
  }

  get writeUrl(): string {
    return `${this.url}/rest/${this.write.userId}/${this.write.code}/`
  }

  async start({ secure = false, port = 0 } = {}): Promise<this> {
    if (secure) {
      const { key, cert } = createTestCertificate()
      this.certificate = cert
      this.server = https.createServer({ key, cert }, this.serve)
    } else {
      this.server = http.createServer(this.serve)
    }
    await new Promise<void>((resolve) => this.server!.listen(port, '127.0.0.1', resolve))
    const { port: given } = this.server.address() as AddressInfo
    this.url = `${secure ? 'https' : 'http'}://127.0.0.1:${given}`
    return this
  }

  /** Takes over the server and the address of another portal. */
  replacePortal(other: TestPortal): this {
    this.server = other.server!.removeAllListeners('request').on('request', this.serve)
    this.url = other.url
    return this
  }

  async stop(): Promise<void> {
    if (!this.server) return
    const closed = new Promise((resolve) => this.server!.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  /** Adds a fault to `faults` and returns a function that removes it. */
  planFault(planned: PlannedFault): () => void {
    this.faults.push(planned)
    return () => void (this.faults = this.faults.filter((one) => one !== planned))
  }

  /** Finds the received requests of a method, including those in batches. */
  findRequests(method: string): PortalRequest[] {
    return this.requests.filter((request) => request.method === method)
  }

  private readonly serve: http.RequestListener = (request, response) => void this.handleRequest(request, response)

  private async handleRequest(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    response.on('error', () => undefined)
    const body = await readBody(request).catch(() => undefined)
    if (body === undefined) return
    const url = new URL(request.url!, this.url)
    const [, rest, userId = '', code = '', name = ''] = url.pathname.split('/')
    const method = name.replace(/\.json$/, '')
    const parameters = {
      ...parsePhpForm(url.searchParams.toString()),
      ...parseBody(body, request.headers['content-type']),
    }
    const hook = [this.read, this.write].find((one) => String(one.userId) === userId && one.code === code)
    const kind = hook && (hook === this.read ? 'read' : 'write')
    this.requests.push({ method, parameters, hook: kind ?? null, at: this.now(), isNested: false })
    const fault = this.takePlannedFault(method, parameters)
    if (fault?.kind === 'drop-before') return void request.socket.destroy()
    if (fault?.kind === 'silent') return
    await pause(fault?.kind === 'slow' ? fault.ms : this.latencyMs)
    if (rest !== 'rest' || userId === 'api') return sendJson(response, 404, { error: 'ERROR_METHOD_NOT_FOUND' })
    if (method === 'download') return this.sendFile(request, response, url, { hook, fault })
    const { status, answer } = this.callMethod(method, parameters, {
      hook,
      fault,
      address: request.socket.remoteAddress ?? '',
    })
    if (fault?.kind === 'drop-after') return void request.socket.destroy()
    if (fault?.kind === 'html') {
      response.writeHead(fault.status ?? 200, { 'Content-Type': 'text/html; charset=UTF-8', Location: '/auth/' })
      return void response.end(LOGIN_PAGE_HTML)
    }
    if (fault?.kind === 'cut') return sendHalf(response, JSON.stringify(answer))
    sendJson(response, status, answer)
  }

  private takePlannedFault(method: string, parameters: PhpParameters): PortalFault | undefined {
    const planned = this.faults.find(
      (one) => one.times !== 0 && (one.method ?? method) === method && (one.when?.(parameters) ?? true),
    )
    if (planned?.times !== undefined) planned.times--
    return planned?.fault
  }

  private callMethod(
    method: string,
    parameters: PhpParameters,
    { hook, fault, address }: { hook: TestPortalWebhook | undefined; fault: PortalFault | undefined; address: string },
  ): { status: number; answer: object } {
    try {
      if (fault?.kind === 'error') throw new PortalError(fault.status ?? 200, fault.code, fault.description)
      if (!this.buckets.tryTake(address, this.now(), this.limits)) throw PORTAL_ERRORS.tooMany
      const webhook = this.authorize(hook)
      const run = (name: string, given: PhpParameters, isNested = false) =>
        this.runMethod(name, given, webhook, isNested)
      if (method !== 'batch' || fault?.kind === 'result') {
        const answer = run(method, parameters)
        return { status: 200, answer: fault?.kind === 'result' ? { ...answer, result: fault.result } : answer }
      }
      if (this.limits.batchBilling === 'batch') this.chargeTime('batch', webhook)
      const batch = runPortalBatch(parameters, (name, given) => {
        const kind = webhook === this.read ? 'read' : 'write'
        this.requests.push({ method: name, parameters: given, hook: kind, at: this.now(), isNested: true })
        const nestedFault = this.takePlannedFault(name, given)
        if (nestedFault?.kind === 'error') throw new PortalError(200, nestedFault.code, nestedFault.description)
        const answer = run(name, given, true)
        return nestedFault?.kind === 'result' ? { ...answer, result: nestedFault.result } : answer
      })
      return { status: 200, answer: { ...batch, time: this.formatTime('batch', webhook) } }
    } catch (error) {
      if (!(error instanceof PortalError)) throw error
      return { status: error.status, answer: { error: error.code, error_description: error.message } }
    }
  }

  /** @throws PortalError if the portal or the webhook rejects the request */
  private authorize(hook: TestPortalWebhook | undefined): TestPortalWebhook {
    if (this.deleted) throw new PortalError(this.deleted, 'PORTAL_DELETED', 'Portal was deleted')
    if (this.wantsHttps && !this.certificate) throw PORTAL_ERRORS.https
    if (!hook || hook.state === 'removed') throw this.createRefusal(PORTAL_ERRORS.credentials)
    if (hook.state === 'expired') throw PORTAL_ERRORS.expired
    if (!this.hasPlan) throw PORTAL_ERRORS.plan
    return hook
  }

  private createRefusal({ code, message }: PortalError): PortalError {
    return new PortalError(this.refusalStatus, code, message)
  }

  private runMethod(
    method: string,
    parameters: PhpParameters,
    hook: TestPortalWebhook,
    isNested: boolean,
  ): PortalMethodResult & { time: object } {
    const handler = PORTAL_METHODS[method]
    if (!handler || this.missingMethods.has(method)) throw PORTAL_ERRORS.noMethod
    const scopes = listMethodScopes(method)
    if (scopes.length > 0 && !scopes.some((scope) => hook.scopes.includes(scope)))
      throw this.createRefusal(PORTAL_ERRORS.scope)
    if (this.deniedMethods.has(method)) throw PORTAL_ERRORS.denied
    if (!isNested || this.limits.batchBilling === 'nested') this.chargeTime(method, hook)
    const { result, ...counts } = handler(this, parameters, hook)
    const sent = mapRows(result, (row) => this.sends(method, row))
    return { result: sent, ...counts, time: this.formatTime(method, hook) }
  }

  /** Adds the operating time of a method, or throws PortalError if its limit is reached. */
  private chargeTime(method: string, { code }: TestPortalWebhook): void {
    const key = `${code} ${method}`
    if (this.operating.loadUsage(key, this.now()).seconds >= this.limits.operatingSeconds) throw PORTAL_ERRORS.operating
    this.operating.addUsage(key, this.now(), this.limits.operatingOf(method))
  }

  private formatTime(method: string, { code }: TestPortalWebhook): object {
    const at = this.now() / 1000
    const { seconds, resetAt } = this.operating.loadUsage(`${code} ${method}`, this.now())
    const date = this.data.time()
    return {
      start: at - 0.1,
      finish: at,
      duration: 0.1,
      processing: 0.08,
      date_start: date,
      date_finish: date,
      ...(this.limits.tellsOperating && { operating_reset_at: Math.floor(resetAt / 1000), operating: seconds }),
    }
  }

  /** Sends a recording if the request has the headers of a browser. Otherwise, it sends a login page, like Bitrix24. */
  private sendFile(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    url: URL,
    { hook, fault }: { hook: TestPortalWebhook | undefined; fault: PortalFault | undefined },
  ): void {
    if (fault?.kind === 'drop-after') return void request.socket.destroy()
    if (fault?.kind === 'error') {
      return sendJson(response, fault.status ?? 200, { error: fault.code, error_description: fault.description })
    }
    if (fault?.kind === 'html' || !hook || hook.state !== 'valid') {
      response.writeHead(fault?.kind === 'html' ? (fault.status ?? 200) : 200, { 'Content-Type': 'text/html' })
      return void response.end(LOGIN_PAGE_HTML)
    }
    if (!this.buckets.tryTake(request.socket.remoteAddress ?? '', this.now(), this.limits)) {
      return sendJson(response, 503, {
        error: PORTAL_ERRORS.tooMany.code,
        error_description: PORTAL_ERRORS.tooMany.message,
      })
    }
    const { headers } = request
    const isBrowser = headers['user-agent'] && headers.accept === '*/*' && headers['accept-language'] && headers.referer
    const [, inner = ''] = (url.searchParams.get('token') ?? '').split('|')
    const file = this.data.files.get(Buffer.from(inner, 'base64').toString().replace('id=', ''))
    if (!isBrowser || !file) return void response.writeHead(404, { 'Content-Type': 'text/html' }).end(LOGIN_PAGE_HTML)
    if (fault?.kind === 'cut') return sendHalf(response, file.content)
    if (fault?.kind === 'trickle') return sendSlowly(response, file.content, fault.everyMs)
    response.writeHead(200, {
      'Content-Type': 'audio/mpeg',
      'Content-Length': file.content.length,
      'Content-Disposition': `attachment; filename="${file.NAME}"; filename*=utf-8''${file.NAME}`,
    })
    response.end(file.content)
  }
}

function mapRows(result: unknown, change: (row: TestPortalRow) => TestPortalRow): unknown {
  if (Array.isArray(result)) return result.map((row: TestPortalRow) => change(row))
  if (typeof result !== 'object' || result === null) return result
  const lists = Object.entries(result).map(([name, list]) => [name, Array.isArray(list) ? mapRows(list, change) : list])
  return Object.fromEntries(lists) as unknown
}

const pause = (ms: number) => (ms > 0 ? new Promise<void>((resolve) => setTimeout(resolve, ms)) : undefined)

function sendJson(response: http.ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(answer))
}

/** Sends half of the announced length, then breaks the connection. */
function sendHalf(response: http.ServerResponse, content: string | Buffer): void {
  const bytes = Buffer.from(content)
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes.length })
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
}

function sendSlowly(response: http.ServerResponse, content: Buffer, everyMs: number): void {
  response.writeHead(200, { 'Content-Type': 'audio/mpeg', 'Content-Length': content.length })
  let sent = 0
  const timer = setInterval(() => void response.write(content.subarray(sent, ++sent)), everyMs)
  response.on('close', () => clearInterval(timer))
}

async function readBody(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function parseBody(body: string, type = ''): PhpParameters {
  if (body === '') return {}
  if (!type.includes('json')) return parsePhpForm(body)
  try {
    return convertPhpLists(JSON.parse(body)) as PhpParameters
  } catch {
    return { broken: parseParameterText(body) }
  }
}
