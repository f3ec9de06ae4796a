import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

/** An e-mail whose text arrived completely. */
interface ReceivedEmail {
  from: string
  to: string[]
  messageId: string
  /** The decoded headers and parts. */
  text: string
}

/** The response of the server: a status, a lost connection, or nothing. */
type Fault = number | 'drop' | 'silent'
type Stage = 'connect' | 'login' | 'recipient' | 'text'

/** A real SMTP server that stores the e-mails it receives. By default, it accepts everything, without TLS. */
export class TestMailServer {
  readonly received: ReceivedEmail[] = []
  /** The passwords that clients sent. */
  readonly passwords: string[] = []
  connections = 0
  /** How the server fails at a stage. The text has arrived before its fault. */
  readonly faults: Partial<Record<Stage, Fault>> = {}
  /** Milliseconds before each response to a text. */
  latencyMs = 0
  private readonly server: SMTPServer
  private readonly sockets = new Map<number, Socket>()

  constructor(options: SMTPServerOptions = {}) {
    this.server = new SMTPServer({
      logger: false, // otherwise it warns about its certificate
      authOptional: true,
      hideSTARTTLS: true,
      disabledCommands: [],
      closeTimeout: 1,
      onConnect: (session, callback) => {
        this.connections++
        this.respond('connect', session, callback)
      },
      onAuth: ({ username, password }, session, callback) => {
        this.passwords.push(password!)
        this.respond('login', session, (error) => callback(error, { user: username }))
      },
      onRcptTo: (_address, session, callback) => this.respond('recipient', session, callback),
      onData: (stream, session, callback) => void this.receive(stream, session, callback),
      ...options,
    })
    this.server.on('error', () => undefined)
    this.server.server.on('connection', (socket: Socket) => this.sockets.set(socket.remotePort!, socket))
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return this
  }

  /** The address for SMTP_URL. @param credentials such as `user:password@` */
  url(credentials = '', query = ''): string {
    const { port } = this.server.server.address() as AddressInfo
    return `${this.server.options.secure ? 'smtps' : 'smtp'}://${credentials}127.0.0.1:${port}${query}`
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(resolve))
  }

  /** Resolves when the text is complete, and never if the client is gone before. */
  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession, callback: Callback): Promise<void> {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', () => undefined)
    await new Promise((resolve) => stream.on('end', resolve))
    const source = Buffer.concat(chunks).toString()
    const { mailFrom, rcptTo } = session.envelope
    if (typeof this.faults.text !== 'number')
      this.received.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        messageId: /^Message-ID: (.*)$/im.exec(source)![1]!.trim(),
        text: decodeSource(source),
      })
    if (this.latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.latencyMs))
    this.respond('text', session, callback)
  }

  private respond(stage: Stage, { remotePort }: SMTPServerSession, callback: Callback): void {
    const fault = this.faults[stage]
    if (fault === 'silent') return
    if (fault === 'drop') {
      this.sockets.get(remotePort)?.destroy()
      return
    }
    callback(fault ? Object.assign(new Error('fault of the test'), { responseCode: fault }) : null)
  }
}

type Callback = (error?: Error | null) => void

/** Decodes quoted-printable and base64 parts and the subject, so that tests find texts in both languages. */
function decodeSource(source: string): string {
  const unfolded = source.replace(/=\r\n/g, '').replace(/\r\n[ \t]+/g, ' ')
  return unfolded
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, text: string) => Buffer.from(text, 'base64').toString())
    .replace(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_, text: string) => decodeBytes(text.replaceAll('_', ' ')))
    .replace(
      /(base64\r\n\r\n)([\w+/=\r\n]+)/g,
      (_, head: string, text: string) => head + Buffer.from(text, 'base64').toString(),
    )
    .replace(/(?:=[0-9A-F]{2})+/g, decodeBytes)
}

const decodeBytes = (text: string): string =>
  text.replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
