import dns from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import { settlesWithin } from '../../platform/lib/shutdown.ts'
import { transcriptionMessages } from './messages.ts'
import {
  RecognizerConnectionBrokenError,
  RecognizerCrashedError,
  fetchRecognizerState,
  RecognizerUnavailableError,
  type ChosenRecognizer,
  type RecognizerState,
} from './recognizer.ts'

const POLL_INTERVAL_MS = 2000
const RESOLVE_TIMEOUT_SECONDS = 2
const MIN_POLL_INTERVAL_MS = 200
/** If there are several recognizers, one that rejects a call gets no calls for this time. */
const REJECTION_PAUSE_MS = 2000
/** If there are several recognizers, a silent one loses its calls after this time. */
const SILENCE_TIMEOUT_MS = 10_000

/** A recognizer at the last poll. `draining`: the DNS no longer returns its address, but calls of this process still run there. */
export interface RecognizerStatus {
  address: string
  status: RecognizerState['status'] | 'down' | 'draining'
  state: RecognizerState | undefined
  slots: number
}

/**
 * The recognizers to which the name in ASR_URL resolves. There can be several, and they can change. A call goes to a recognizer
 * with a free slot. Until there is one, the call waits in the queue. All processes see the same free slots, so each process takes
 * few calls, polls again and takes more. A single recognizer gets at most TRANSCRIPTION_CONCURRENCY calls from each process.
 */
export class RecognizerPool {
  private readonly lostMs: number
  private recognizers: Recognizer[] = []
  private resolving: Promise<string[]> | undefined
  private polling: Promise<void> | undefined
  private polledAt = -Infinity
  /** Number of calls that can start before the next poll, besides those that reuse freed slots. */
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

  /**
   * Polls at intervals, so that a new recognizer is found even while all slots are taken.
   * @returns a function that stops polling
   */
  startPolling(): () => void {
    const timer = setInterval(() => void this.poll(), POLL_INTERVAL_MS)
    return () => clearInterval(timer)
  }

  /** Resolves the name and polls every recognizer now. Concurrent callers share one poll. */
  async poll(): Promise<RecognizerStatus[]> {
    this.polling ??= this.pollOnce().finally(() => (this.polling = undefined))
    await this.polling
    return this.recognizers.map((one) => one.toStatus(this.config.ASR_MAX_CONCURRENCY))
  }

  /** Returns true if a recognizer was ready at a poll of the last four seconds, even if all its slots are taken. */
  async isReady(): Promise<boolean> {
    if (performance.now() - this.polledAt > 2 * POLL_INTERVAL_MS) await this.poll()
    return this.recognizers.some((one) => one.isReady)
  }

  /** The number of calls that this process can run in parallel now. */
  get slots(): number {
    if (this.recognizers.length < 2) return this.config.TRANSCRIPTION_CONCURRENCY
    const own = sum(this.recognizers.map((one) => one.ownCalls))
    const free = sum(this.recognizers.map((one) => this.countFreeSlots(one)))
    const left = sum(this.recognizers.map((one) => this.countReusableSlots(one)))
    if (free > left && this.allowance === 0) this.pollSoon()
    return own + Math.min(free, left + this.allowance)
  }

  /** Returns how many further calls a recognizer can take from this process. */
  private countFreeSlots(one: Recognizer): number {
    if (!one.isReady) return 0
    const left = this.config.TRANSCRIPTION_CONCURRENCY - one.ownCalls
    if (this.recognizers.length < 2) return left
    return Math.max(0, Math.min(left, one.slots(this.config.ASR_MAX_CONCURRENCY) - one.load))
  }

  /**
   * Returns how many slots our own calls have freed since the last poll. Our next calls can take these slots without another
   * poll.
   */
  private countReusableSlots(one: Recognizer): number {
    return Math.min(one.freedSlots, this.countFreeSlots(one))
  }

  /**
   * Runs `work` with a recognizer that has a free slot.
   * @throws the error of `work`, or RecognizerUnavailableError if there is no free slot
   * @throws RecognizerCrashedError if the connection broke after the start and the recognizer, one of several, is not ready now
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

  /** Returns the URL of a ready recognizer for work that needs no slot; ASR_URL if none is ready. */
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
    // Doubling the calls with each poll reaches a hundred calls within seconds.
    this.allowance = Math.max(this.config.TRANSCRIPTION_CONCURRENCY, sum(this.recognizers.map((one) => one.ownCalls)))
    this.logChanges()
  }

  private pollSoon(): void {
    if (this.polling || performance.now() - this.polledAt < MIN_POLL_INTERVAL_MS) return
    void this.poll()
  }

  /** Resolves the name. If this fails, keeps the known recognizers, because polling shows whether they work. */
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

  /**
   * Chooses a recognizer with a slot that our calls have freed, otherwise a free one with the fewest of our calls.
   * @throws RecognizerUnavailableError if no slot is free
   */
  private chooseRecognizer(): Recognizer {
    const reusableRecognizer = this.recognizers.find((one) => this.countReusableSlots(one) > 0)
    if (reusableRecognizer) {
      reusableRecognizer.freedSlots--
      return reusableRecognizer
    }
    const recognizer = pickLeastBusy(this.recognizers.filter((one) => this.countFreeSlots(one) > 0))
    if (!recognizer) throw new RecognizerUnavailableError(transcriptionMessages.noPlace(), 0)
    if (this.allowance > 0) this.allowance--
    return recognizer
  }

  /** If there are several recognizers, converts an error so that the queue retries the call on another one. */
  private async classifyError(one: Recognizer, error: unknown): Promise<unknown> {
    if (this.recognizers.length === 1 && this.recognizers[0] === one) return error
    if (error instanceof RecognizerUnavailableError) {
      one.avoidFor(REJECTION_PAUSE_MS)
      return new RecognizerUnavailableError(transcriptionMessages.at({ address: one.address, reason: error.reason }), 0)
    }
    if (!(error instanceof RecognizerConnectionBrokenError)) return error
    await one.fetchState()
    return one.isReady ? error : new RecognizerCrashedError(one.address)
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

/** A recognizer at one address, with the calls that this process sent to it. */
class Recognizer {
  /** True if the name still resolves to this address. */
  isNamed = true
  /** Slots that our own calls have freed since the last poll and that no call has reused. */
  freedSlots = 0
  private state: RecognizerState | undefined
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

  /** Number of running and waiting files from all processes. */
  get load(): number {
    return this.others + this.ownCalls
  }

  /** @param usual the result if the recognizer does not report its number of slots */
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

  /** Aborts all calls if the recognizer was silent for too long. A vanished machine does not close its connections. */
  abortIfSilent(ms: number): void {
    if (performance.now() - this.lastActivityAt < ms) return
    for (const call of this.calls) call.abort()
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0)

/** Chooses a random recognizer among those with the fewest of our calls, because other processes choose at the same time. */
function pickLeastBusy(recognizers: Recognizer[]): Recognizer | undefined {
  const fewest = Math.min(...recognizers.map(({ ownCalls: own }) => own))
  const candidates = recognizers.filter(({ ownCalls: own }) => own === fewest)
  return candidates[Math.floor(Math.random() * candidates.length)]
}

/** Resolves a host name. Prefers IPv4, because a recognizer with addresses of both families would count twice. */
async function resolveAddresses(host: string): Promise<string[]> {
  const found = await dns.lookup(host.replace(/^\[|\]$/g, ''), { all: true })
  const ipv4Addresses = found.filter(({ family }) => family === 4)
  const addresses = (ipv4Addresses.length > 0 ? ipv4Addresses : found).map(({ address }) => address)
  return [...new Set(addresses)].sort()
}
