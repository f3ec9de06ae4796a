import dns from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import { settlesWithin } from '../../platform/lib/shutdown.ts'
import { transcriptionMessages } from './messages.ts'
import {
  ConnectionBroken,
  RecognizerCrashed,
  fetchRecognizerState,
  RecognizerUnavailable,
  type ChosenRecognizer,
  type RecognizerState,
} from './recognizer.ts'

const POLL_INTERVAL_MS = 2000
const RESOLVE_TIMEOUT_SECONDS = 2
/** The minimum time between two polls. */
const MIN_POLL_INTERVAL_MS = 200
/** With several recognizers, one that rejects a call gets none for this time. */
const REJECTION_PAUSE_MS = 2000
/** With several recognizers, a silent one is given up with its calls after this time. */
const SILENCE_TIMEOUT_MS = 10_000

/** One recognizer at the last poll. `draining`: the name no longer resolves to it, and its calls continue. */
export interface RecognizerStatus {
  address: string
  status: RecognizerState['status'] | 'down' | 'draining'
  state: RecognizerState | undefined
  slots: number
}

/**
 * The recognizers behind one name: any number of addresses, which can change. A call goes to one with a free slot; until then
 * it waits in the queue, ordered by priority. Many workers see the same free slot, so each takes few at first, polls again,
 * and takes more. A single recognizer gets TRANSCRIPTION_CONCURRENCY calls of each worker.
 */
export class RecognizerPool {
  private readonly lostMs: number
  private recognizers: Recognizer[] = []
  private resolving: Promise<string[]> | undefined
  private polling: Promise<void> | undefined
  private polledAt = -Infinity
  /** Calls that can begin before the next poll. */
  private allowance = 0
  private loggedSummary = ''
  private wasReady = true

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
    { lostMs = SILENCE_TIMEOUT_MS } = {},
  ) {
    this.lostMs = lostMs
  }

  /** Polls regularly, so that a new recognizer is found while every slot is taken. Returns a function that stops it. */
  startPolling(): () => void {
    const timer = setInterval(() => void this.poll(), POLL_INTERVAL_MS)
    return () => clearInterval(timer)
  }

  /** Polls the name service and every recognizer now. Concurrent callers share one poll. */
  async poll(): Promise<RecognizerStatus[]> {
    this.polling ??= this.pollOnce().finally(() => (this.polling = undefined))
    await this.polling
    return this.recognizers.map((one) => one.toStatus(this.config.ASR_MAX_CONCURRENCY))
  }

  /** Whether a recognizer takes work, by a poll at most some seconds old. */
  async isReady(): Promise<boolean> {
    if (performance.now() - this.polledAt > 2 * POLL_INTERVAL_MS) await this.poll()
    return this.recognizers.some((one) => one.isReady)
  }

  /** The number of calls that this process can have in work. */
  get slots(): number {
    if (this.recognizers.length < 2) return this.config.TRANSCRIPTION_CONCURRENCY
    const own = sum(this.recognizers.map((one) => one.ownCalls))
    const free = sum(this.recognizers.map((one) => this.countFreeSlots(one)))
    const left = sum(this.recognizers.map((one) => this.countReusableSlots(one)))
    if (free > left && this.allowance === 0) this.pollSoon()
    return own + Math.min(free, left + this.allowance)
  }

  /** The number of further calls that one can get. */
  private countFreeSlots(one: Recognizer): number {
    if (!one.isReady) return 0
    const left = this.config.TRANSCRIPTION_CONCURRENCY - one.ownCalls
    if (this.recognizers.length < 2) return left
    return Math.max(0, Math.min(left, one.slots(this.config.ASR_MAX_CONCURRENCY) - one.load))
  }

  /** Slots that our calls have freed since the last poll: our next calls can take them without another poll. */
  private countReusableSlots(one: Recognizer): number {
    return Math.min(one.freedSlots, this.countFreeSlots(one))
  }

  /**
   * Runs `work` with a recognizer that has a free slot.
   * @throws what `work` throws; RecognizerUnavailable if there is none, or if another recognizer can take the call;
   *   RecognizerCrashed if the recognizer had begun with it
   */
  async use<T>(work: (recognizer: ChosenRecognizer) => Promise<T>): Promise<T> {
    const recognizer = this.chooseRecognizer()
    const call = recognizer.startCall()
    try {
      const result = await work({
        url: recognizer.url,
        lost: call.signal,
        onActivity: () => recognizer.recordActivity(),
      })
      recognizer.freedSlots++
      return result
    } catch (error) {
      throw await this.classifyError(recognizer, error)
    } finally {
      recognizer.finishCall(call)
    }
  }

  /** The address of a recognizer, for work without a slot. */
  async pickUrl(): Promise<string> {
    await this.isReady()
    const ready = this.recognizers.filter((one) => one.isReady)
    return pickLeastBusy(ready)?.url ?? this.config.asrUrl
  }

  private async pollOnce(): Promise<void> {
    await this.resolve()
    await Promise.all(this.recognizers.map((one) => one.fetchState()))
    if (this.recognizers.length > 1) for (const one of this.recognizers) one.abortIfSilent(this.lostMs)
    this.polledAt = performance.now()
    // Doubling with each poll reaches a hundred within seconds.
    this.allowance = Math.max(this.config.TRANSCRIPTION_CONCURRENCY, sum(this.recognizers.map((one) => one.ownCalls)))
    this.logChanges()
  }

  private pollSoon(): void {
    if (this.polling || performance.now() - this.polledAt < MIN_POLL_INTERVAL_MS) return
    void this.poll()
  }

  /** Resolves the name. If that fails, the known recognizers stay: their health shows whether they work. */
  private async resolve(): Promise<void> {
    const { hostname, port } = new URL(this.config.asrUrl)
    let found: string[] | undefined
    this.resolving ??= resolveAddresses(hostname).finally(() => (this.resolving = undefined))
    const resolved = this.resolving.then(
      (addresses) => (found = addresses),
      () => undefined,
    )
    await settlesWithin(RESOLVE_TIMEOUT_SECONDS, resolved)
    if (!found) return
    const named = found.map((address) => `${isIPv6(address) ? `[${address}]` : address}:${port || 80}`)
    for (const one of this.recognizers) one.isNamed = named.includes(one.address)
    const old = this.recognizers.filter(({ isNamed, ownCalls: own }) => isNamed || own > 0)
    const newAddresses = named.filter((address) => !old.some((one) => one.address === address))
    this.recognizers = [...old, ...newAddresses.map((address) => new Recognizer(address))]
  }

  /** A slot that our call has freed, else a free recognizer with the fewest calls of ours. */
  private chooseRecognizer(): Recognizer {
    const reusableRecognizer = this.recognizers.find((one) => this.countReusableSlots(one) > 0)
    if (reusableRecognizer) {
      reusableRecognizer.freedSlots--
      return reusableRecognizer
    }
    const recognizer = pickLeastBusy(this.recognizers.filter((one) => this.countFreeSlots(one) > 0))
    if (!recognizer) throw new RecognizerUnavailable(transcriptionMessages.noPlace(), 0)
    if (this.allowance > 0) this.allowance--
    return recognizer
  }

  /** The consequence of an error if other recognizers can take the call. */
  private async classifyError(one: Recognizer, error: unknown): Promise<unknown> {
    if (this.recognizers.length === 1 && this.recognizers[0] === one) return error
    if (error instanceof RecognizerUnavailable) {
      one.avoidFor(REJECTION_PAUSE_MS)
      return new RecognizerUnavailable(transcriptionMessages.at({ address: one.address, reason: error.reason }), 0)
    }
    if (!(error instanceof ConnectionBroken)) return error
    await one.fetchState()
    return one.isReady ? error : new RecognizerCrashed(one.address)
  }

  private logChanges(): void {
    const isReady = this.recognizers.some((one) => one.isReady)
    if (isReady !== this.wasReady) {
      this.log.info(isReady ? 'the recognizer is ready' : 'the recognizer is not ready; recordings wait')
    }
    this.wasReady = isReady
    const recognizers = Object.fromEntries(this.recognizers.map(({ address, status }) => [address, status]))
    const summary = JSON.stringify(recognizers)
    if (summary !== this.loggedSummary && (this.recognizers.length > 1 || this.loggedSummary.includes(','))) {
      this.log.info({ recognizers }, 'the recognizers have changed')
    }
    this.loggedSummary = summary
  }
}

/** A recognizer at an address, with the calls of this process. */
class Recognizer {
  /** Whether the name resolves to it. */
  isNamed = true
  /** Slots that our calls have freed since the last poll. */
  freedSlots = 0
  private state: RecognizerState | undefined
  /** Files of other processes. */
  private others = 0
  private avoidedUntil = -Infinity
  private lastActivityAt = performance.now()
  private readonly calls = new Set<AbortController>()

  constructor(readonly address: string) {}

  get url(): string {
    return `http://${this.address}`
  }

  get isReady(): boolean {
    return this.status === 'ready' && performance.now() >= this.avoidedUntil
  }

  get status(): RecognizerStatus['status'] {
    return this.state === undefined ? 'down' : this.isNamed ? this.state.status : 'draining'
  }

  get ownCalls(): number {
    return this.calls.size
  }

  /** Files in work and waiting there. */
  get load(): number {
    return this.others + this.ownCalls
  }

  /** @param usual the value before its first response */
  slots(usual: number): number {
    return this.state?.queue?.places ?? usual
  }

  toStatus(usualSlots: number): RecognizerStatus {
    const { address, status, state } = this
    return { address, status, state, slots: this.slots(usualSlots) }
  }

  async fetchState(): Promise<void> {
    const ownBefore = this.ownCalls
    this.state = await fetchRecognizerState(this.url)
    this.freedSlots = 0
    if (!this.state) return
    this.recordActivity()
    const { running = 0, waiting = 0 } = this.state.queue ?? {}
    this.others = Math.max(0, running + waiting - Math.max(ownBefore, this.ownCalls))
  }

  recordActivity(): void {
    this.lastActivityAt = performance.now()
  }

  startCall(): AbortController {
    const call = new AbortController()
    this.calls.add(call)
    return call
  }

  finishCall(call: AbortController): void {
    this.calls.delete(call)
  }

  avoidFor(ms: number): void {
    this.avoidedUntil = performance.now() + ms
  }

  /** A machine that has vanished closes no connection. */
  abortIfSilent(ms: number): void {
    if (performance.now() - this.lastActivityAt < ms) return
    for (const call of this.calls) call.abort()
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0)

/** A random one of those with the fewest calls of ours, because other processes choose at the same moment. */
function pickLeastBusy(recognizers: Recognizer[]): Recognizer | undefined {
  const fewest = Math.min(...recognizers.map(({ ownCalls: own }) => own))
  const candidates = recognizers.filter(({ ownCalls: own }) => own === fewest)
  return candidates[Math.floor(Math.random() * candidates.length)]
}

/** Prefers IPv4: a recognizer with addresses of both families would be counted twice. */
async function resolveAddresses(host: string): Promise<string[]> {
  const found = await dns.lookup(host.replace(/^\[|\]$/g, ''), { all: true })
  const ipv4Addresses = found.filter(({ family }) => family === 4)
  const addresses = (ipv4Addresses.length > 0 ? ipv4Addresses : found).map(({ address }) => address)
  return [...new Set(addresses)].sort()
}
