import dns from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import { within } from '../../platform/lib/stop.ts'
import { transcriptionMessages } from './messages.ts'
import {
  ConnectionBroke,
  RecognizerDied,
  recognizerState,
  RecognizerUnavailable,
  type ChosenRecognizer,
  type RecognizerState,
} from './recognizer.ts'

/** How often a worker looks at all of them. */
const LOOK_MS = 2000
/** How long the name service is waited for. */
const RESOLVE_SECONDS = 2
/** What is new in a look leads to the next one after this time. */
const SOON_MS = 200
/** Where there are others: who did not take a call gets none for so long. */
const AVOID_MS = 2000
/** Where there are others: who has shown no sign of life for so long is given up, with the calls that it works on. */
const LOST_MS = 10_000

/** One recognizer, as it was found last. `draining`: its name leads elsewhere by now, what it has begun goes on. */
export interface SeenRecognizer {
  address: string
  status: RecognizerState['status'] | 'down' | 'draining'
  /** What it said; undefined where it did not answer. */
  state: RecognizerState | undefined
  slots: number
}

/**
 * The recognizers behind the one name: any number of addresses, which come and go. Each is asked by itself, and a call goes
 * to one that has a free slot; while none has, calls wait in the queue, where the most urgent is taken first. Many workers
 * see the same free slot, so each takes few at first, looks again, and takes more. One address alone is treated as if there
 * could be no other: it gets TRANSCRIPTION_CONCURRENCY calls of each worker, and what is too much for it waits there.
 */
export class Recognizers {
  private readonly config: Config
  private readonly log: Logger
  private readonly lostMs: number
  private known: Recognizer[] = []
  private resolving: Promise<string[]> | undefined
  private looking: Promise<void> | undefined
  private lookedAt = -Infinity
  /** How many calls may be begun before the next look. */
  private allowance = 0
  private logged = ''
  private wasReady = true

  constructor(config: Config, log: Logger, { lostMs = LOST_MS } = {}) {
    this.config = config
    this.log = log
    this.lostMs = lostMs
  }

  /** Looks again and again, so that whoever comes is noticed also while every slot is taken. Returns what ends that. */
  watch(): () => void {
    const timer = setInterval(() => void this.look(), LOOK_MS)
    return () => clearInterval(timer)
  }

  /** Asks the name service and every recognizer now; who asks meanwhile gets the same answer. */
  async look(): Promise<SeenRecognizer[]> {
    this.looking ??= this.lookOnce().finally(() => (this.looking = undefined))
    await this.looking
    return this.known.map((one) => one.seen(this.config.ASR_MAX_CONCURRENCY))
  }

  /** Whether one takes work, as was found a few seconds ago at most. */
  async isReady(): Promise<boolean> {
    if (performance.now() - this.lookedAt > 2 * LOOK_MS) await this.look()
    return this.known.some((one) => one.isReady)
  }

  /** How many calls this process may have in work at once, as far as is known now. */
  get slots(): number {
    if (this.known.length < 2) return this.config.TRANSCRIPTION_CONCURRENCY
    const own = sum(this.known.map((one) => one.own))
    const free = sum(this.known.map((one) => this.freeAt(one)))
    const left = sum(this.known.map((one) => this.leftAt(one)))
    if (free > left && this.allowance === 0) this.lookSoon()
    return own + Math.min(free, left + this.allowance)
  }

  /** How many more calls one may be given. */
  private freeAt(one: Recognizer): number {
    if (!one.isReady) return 0
    const left = this.config.TRANSCRIPTION_CONCURRENCY - one.own
    if (this.known.length < 2) return left
    return Math.max(0, Math.min(left, one.slots(this.config.ASR_MAX_CONCURRENCY) - one.load))
  }

  /** How many slots there calls of ours have left since the last look: the next ones can have them without another. */
  private leftAt(one: Recognizer): number {
    return Math.min(one.left, this.freeAt(one))
  }

  /**
   * Has one that has a free slot do some work.
   * @throws what the work throws; RecognizerUnavailable where there is none, or where it was not the call's fault and
   *   another recognizer can take it; RecognizerDied where that one had begun with it
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

  /** The address of one for work that takes no slot. */
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
    // As many again as there are: doubled with each look, a hundred are reached within seconds.
    this.allowance = Math.max(this.config.TRANSCRIPTION_CONCURRENCY, sum(this.known.map((one) => one.own)))
    this.tell()
  }

  private lookSoon(): void {
    if (this.looking || performance.now() - this.lookedAt < SOON_MS) return
    void this.look()
  }

  /** Looks the name up. Where that fails, the known recognizers stay: their own health answers tell whether they work. */
  private async resolve(): Promise<void> {
    const { hostname, port } = new URL(this.config.asrUrl)
    let found: string[] | undefined
    this.resolving ??= addressesOf(hostname).finally(() => (this.resolving = undefined))
    const answered = this.resolving.then(
      (addresses) => (found = addresses),
      () => undefined,
    )
    await within(RESOLVE_SECONDS, answered)
    if (!found) return
    const named = found.map((address) => `${isIPv6(address) ? `[${address}]` : address}:${port || 80}`)
    for (const one of this.known) one.isNamed = named.includes(one.address)
    const old = this.known.filter(({ isNamed, own }) => isNamed || own > 0)
    const come = named.filter((address) => !old.some((one) => one.address === address))
    this.known = [...old, ...come.map((address) => new Recognizer(address))]
  }

  /** One where a call of ours has left its slot, or of those that are free the one with the fewest calls of ours. */
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

  /** What an error means where other recognizers can take the call. */
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

  private tell(): void {
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

/** A recognizer at an address, and what this process has it do. */
class Recognizer {
  readonly address: string
  /** Whether the name leads here. */
  isNamed = true
  /** Slots that calls of ours have left since it was asked last. */
  left = 0
  private state: RecognizerState | undefined
  /** Files that it has from others. */
  private others = 0
  private avoidedUntil = -Infinity
  private heardAt = performance.now()
  private readonly calls = new Set<AbortController>()

  constructor(address: string) {
    this.address = address
  }

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

  /** Files that it works on and that wait there, ours as we know them, others' as it told last. */
  get load(): number {
    return this.others + this.own
  }

  /** @param usual where it does not tell, as earlier releases */
  slots(usual: number): number {
    return this.state?.queue?.places ?? usual
  }

  seen(usualSlots: number): SeenRecognizer {
    const { address, status, state } = this
    return { address, status, state, slots: this.slots(usualSlots) }
  }

  async ask(): Promise<void> {
    const ownBefore = this.own
    this.state = await recognizerState(this.url)
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

/** One of those with the fewest calls of ours: any, because other processes choose at the same moment. */
function leastBusy(recognizers: Recognizer[]): Recognizer | undefined {
  const fewest = Math.min(...recognizers.map(({ own }) => own))
  const equal = recognizers.filter(({ own }) => own === fewest)
  return equal[Math.floor(Math.random() * equal.length)]
}

/** Of a recognizer that has addresses of both families, the one of IPv4: counted twice, it would get twice as much. */
async function addressesOf(host: string): Promise<string[]> {
  const found = await dns.lookup(host.replace(/^\[|\]$/g, ''), { all: true })
  const ofIPv4 = found.filter(({ family }) => family === 4)
  const addresses = (ofIPv4.length > 0 ? ofIPv4 : found).map(({ address }) => address)
  return [...new Set(addresses)].sort()
}
