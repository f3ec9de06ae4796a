import dns from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import { settlesWithin } from '../../platform/lib/stop.ts'
import { transcriptionMessages } from './messages.ts'
import {
  ConnectionBroke,
  RecognizerDied,
  fetchRecognizerState,
  RecognizerUnavailable,
  type ChosenRecognizer,
  type RecognizerState,
} from './recognizer.ts'

const LOOK_MS = 2000
const RESOLVE_SECONDS = 2
/** The minimum time between two polls. */
const SOON_MS = 200
/** With several recognizers, one that rejects a call gets none for this time. */
const AVOID_MS = 2000
/** With several recognizers, a silent one is given up with its calls after this time. */
const LOST_MS = 10_000

/** One recognizer at the last poll. `draining`: the name no longer resolves to it, and its calls continue. */
export interface SeenRecognizer {
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
export class Recognizers {
  private readonly lostMs: number
  private known: Recognizer[] = []
  private resolving: Promise<string[]> | undefined
  private looking: Promise<void> | undefined
  private lookedAt = -Infinity
  /** Calls that can begin before the next poll. */
  private allowance = 0
  private logged = ''
  private wasReady = true

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
    { lostMs = LOST_MS } = {},
  ) {
    this.lostMs = lostMs
  }

  /** Polls regularly, so that a new recognizer is found while every slot is taken. Returns a function that stops it. */
  watch(): () => void {
    const timer = setInterval(() => void this.look(), LOOK_MS)
    return () => clearInterval(timer)
  }

  /** Polls the name service and every recognizer now. Concurrent callers share one poll. */
  async look(): Promise<SeenRecognizer[]> {
    this.looking ??= this.lookOnce().finally(() => (this.looking = undefined))
    await this.looking
    return this.known.map((one) => one.seen(this.config.ASR_MAX_CONCURRENCY))
  }

  /** Whether a recognizer takes work, by a poll at most some seconds old. */
  async isReady(): Promise<boolean> {
    if (performance.now() - this.lookedAt > 2 * LOOK_MS) await this.look()
    return this.known.some((one) => one.isReady)
  }

  /** The number of calls that this process can have in work. */
  get slots(): number {
    if (this.known.length < 2) return this.config.TRANSCRIPTION_CONCURRENCY
    const own = sum(this.known.map((one) => one.own))
    const free = sum(this.known.map((one) => this.freeAt(one)))
    const left = sum(this.known.map((one) => this.leftAt(one)))
    if (free > left && this.allowance === 0) this.lookSoon()
    return own + Math.min(free, left + this.allowance)
  }

  /** The number of further calls that one can get. */
  private freeAt(one: Recognizer): number {
    if (!one.isReady) return 0
    const left = this.config.TRANSCRIPTION_CONCURRENCY - one.own
    if (this.known.length < 2) return left
    return Math.max(0, Math.min(left, one.slots(this.config.ASR_MAX_CONCURRENCY) - one.load))
  }

  /** Slots that our calls have freed since the last poll: our next calls can take them without another poll. */
  private leftAt(one: Recognizer): number {
    return Math.min(one.left, this.freeAt(one))
  }

  /**
   * Runs `work` with a recognizer that has a free slot.
   * @throws what `work` throws; RecognizerUnavailable if there is none, or if another recognizer can take the call;
   *   RecognizerDied if the recognizer had begun with it
   */
  async use<T>(work: (recognizer: ChosenRecognizer) => Promise<T>): Promise<T> {
    const chosen = this.choose()
    const call = chosen.begin()
    try {
      const result = await work({ url: chosen.url, lost: call.signal, heard: () => chosen.heard() })
      chosen.left++
      return result
    } catch (error) {
      throw await this.judge(chosen, error)
    } finally {
      chosen.end(call)
    }
  }

  /** The address of a recognizer, for work without a slot. */
  async anyUrl(): Promise<string> {
    await this.isReady()
    const ready = this.known.filter((one) => one.isReady)
    return leastBusy(ready)?.url ?? this.config.asrUrl
  }

  private async lookOnce(): Promise<void> {
    await this.resolve()
    await Promise.all(this.known.map((one) => one.ask()))
    if (this.known.length > 1) for (const one of this.known) one.giveUpAfter(this.lostMs)
    this.lookedAt = performance.now()
    // Doubling with each poll reaches a hundred within seconds.
    this.allowance = Math.max(this.config.TRANSCRIPTION_CONCURRENCY, sum(this.known.map((one) => one.own)))
    this.logChanges()
  }

  private lookSoon(): void {
    if (this.looking || performance.now() - this.lookedAt < SOON_MS) return
    void this.look()
  }

  /** Resolves the name. If that fails, the known recognizers stay: their health shows whether they work. */
  private async resolve(): Promise<void> {
    const { hostname, port } = new URL(this.config.asrUrl)
    let found: string[] | undefined
    this.resolving ??= addressesOf(hostname).finally(() => (this.resolving = undefined))
    const answered = this.resolving.then(
      (addresses) => (found = addresses),
      () => undefined,
    )
    await settlesWithin(RESOLVE_SECONDS, answered)
    if (!found) return
    const named = found.map((address) => `${isIPv6(address) ? `[${address}]` : address}:${port || 80}`)
    for (const one of this.known) one.isNamed = named.includes(one.address)
    const old = this.known.filter(({ isNamed, own }) => isNamed || own > 0)
    const come = named.filter((address) => !old.some((one) => one.address === address))
    this.known = [...old, ...come.map((address) => new Recognizer(address))]
  }

  /** A slot that our call has freed, else a free recognizer with the fewest calls of ours. */
  private choose(): Recognizer {
    const again = this.known.find((one) => this.leftAt(one) > 0)
    if (again) {
      again.left--
      return again
    }
    const chosen = leastBusy(this.known.filter((one) => this.freeAt(one) > 0))
    if (!chosen) throw new RecognizerUnavailable(transcriptionMessages.noPlace(), 0)
    if (this.allowance > 0) this.allowance--
    return chosen
  }

  /** The consequence of an error if other recognizers can take the call. */
  private async judge(one: Recognizer, error: unknown): Promise<unknown> {
    if (this.known.length === 1 && this.known[0] === one) return error
    if (error instanceof RecognizerUnavailable) {
      one.avoidFor(AVOID_MS)
      return new RecognizerUnavailable(transcriptionMessages.at({ address: one.address, reason: error.reason }), 0)
    }
    if (!(error instanceof ConnectionBroke)) return error
    await one.ask()
    return one.isReady ? error : new RecognizerDied(one.address)
  }

  private logChanges(): void {
    const isReady = this.known.some((one) => one.isReady)
    if (isReady !== this.wasReady) {
      this.log.info(isReady ? 'the recognizer is ready' : 'the recognizer is not ready; recordings wait')
    }
    this.wasReady = isReady
    const recognizers = Object.fromEntries(this.known.map(({ address, status }) => [address, status]))
    const told = JSON.stringify(recognizers)
    if (told !== this.logged && (this.known.length > 1 || this.logged.includes(','))) {
      this.log.info({ recognizers }, 'the recognizers have changed')
    }
    this.logged = told
  }
}

/** A recognizer at an address, with the calls of this process. */
class Recognizer {
  /** Whether the name resolves to it. */
  isNamed = true
  /** Slots that our calls have freed since the last poll. */
  left = 0
  private state: RecognizerState | undefined
  /** Files of other processes. */
  private others = 0
  private avoidedUntil = -Infinity
  private heardAt = performance.now()
  private readonly calls = new Set<AbortController>()

  constructor(readonly address: string) {}

  get url(): string {
    return `http://${this.address}`
  }

  get isReady(): boolean {
    return this.status === 'ready' && performance.now() >= this.avoidedUntil
  }

  get status(): SeenRecognizer['status'] {
    return this.state === undefined ? 'down' : this.isNamed ? this.state.status : 'draining'
  }

  get own(): number {
    return this.calls.size
  }

  /** Files in work and waiting there. */
  get load(): number {
    return this.others + this.own
  }

  /** @param usual the value before its first response */
  slots(usual: number): number {
    return this.state?.queue?.places ?? usual
  }

  seen(usualSlots: number): SeenRecognizer {
    const { address, status, state } = this
    return { address, status, state, slots: this.slots(usualSlots) }
  }

  async ask(): Promise<void> {
    const ownBefore = this.own
    this.state = await fetchRecognizerState(this.url)
    this.left = 0
    if (!this.state) return
    this.heard()
    const { running = 0, waiting = 0 } = this.state.queue ?? {}
    this.others = Math.max(0, running + waiting - Math.max(ownBefore, this.own))
  }

  heard(): void {
    this.heardAt = performance.now()
  }

  begin(): AbortController {
    const call = new AbortController()
    this.calls.add(call)
    return call
  }

  end(call: AbortController): void {
    this.calls.delete(call)
  }

  avoidFor(ms: number): void {
    this.avoidedUntil = performance.now() + ms
  }

  /** A machine that has vanished closes no connection. */
  giveUpAfter(ms: number): void {
    if (performance.now() - this.heardAt < ms) return
    for (const call of this.calls) call.abort()
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0)

/** A random one of those with the fewest calls of ours, because other processes choose at the same moment. */
function leastBusy(recognizers: Recognizer[]): Recognizer | undefined {
  const fewest = Math.min(...recognizers.map(({ own }) => own))
  const equal = recognizers.filter(({ own }) => own === fewest)
  return equal[Math.floor(Math.random() * equal.length)]
}

/** Prefers IPv4: a recognizer with addresses of both families would be counted twice. */
async function addressesOf(host: string): Promise<string[]> {
  const found = await dns.lookup(host.replace(/^\[|\]$/g, ''), { all: true })
  const ofIPv4 = found.filter(({ family }) => family === 4)
  const addresses = (ofIPv4.length > 0 ? ofIPv4 : found).map(({ address }) => address)
  return [...new Set(addresses)].sort()
}
