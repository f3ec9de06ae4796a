import type { LookupOptions } from 'node:dns'
import dns from 'node:dns/promises'
import { startOnFreePort } from '../platform/lib/free-port.ts'
import { ScriptedRecognizer } from './scripted-recognizer.ts'

const HOST_NAME = 'svc-asr.test'

/** Several recognizers behind one host name, like containers of one service: each has the same port and its own address. */
export class TestRecognizerGroup {
  readonly all: ScriptedRecognizer[] = []
  /** The recognizers to which the host name resolves now. */
  reachable: ScriptedRecognizer[] = []
  /** True to simulate an outage of the name service. */
  isNameServiceAway = false
  url = ''
  private port = 0
  private readonly lookup = dns.lookup

  /** Starts recognizers and resolves the host name to them within this process. */
  async start(count: number): Promise<this> {
    await startOnFreePort(async (port) => {
      this.port = port
      if (count > 0) this.reachable.push(await this.addRecognizer())
    })
    this.url = `http://${HOST_NAME}:${this.port}`
    for (let n = 1; n < count; n++) this.reachable.push(await this.addRecognizer())
    dns.lookup = ((name: string, options: LookupOptions) =>
      name === HOST_NAME ? this.resolveAddresses() : this.lookup(name, options)) as unknown as typeof dns.lookup
    return this
  }

  /** Starts another recognizer, to which the host name does not resolve yet. */
  async addRecognizer(): Promise<ScriptedRecognizer> {
    const recognizer = await new ScriptedRecognizer(`127.0.1.${this.all.length + 1}`, this.port).start()
    this.all.push(recognizer)
    return recognizer
  }

  async stop(): Promise<void> {
    dns.lookup = this.lookup
    await Promise.all(this.all.map((recognizer) => recognizer.stop()))
  }

  private async resolveAddresses() {
    if (this.isNameServiceAway) throw Object.assign(new Error('no name service'), { code: 'EAI_AGAIN' })
    return this.reachable.map(({ host: address }) => ({ address, family: 4 }))
  }
}
