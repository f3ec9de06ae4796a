import { Readable } from 'node:stream'
import { createTransport, type NodemailerError, type PluginFunction } from 'nodemailer'
import SMTPTransport from 'nodemailer/lib/smtp-transport'

/** Limits the time of a connection, in milliseconds. The total is shorter than the time that a stop gives to jobs. */
const TIME_LIMITS = { dnsTimeout: 5000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
const TOTAL_LIMIT_MS = 40_000

export interface OutgoingEmail {
  from: string
  to: string
  messageId: string
  subject: string
  text: string
  html: string
}

/**
 * refused: no e-mail can be sent with this configuration. rejected: this e-mail cannot be sent. temporary: a later attempt can
 * succeed. lost: no response, so the server can have the e-mail if the text was sent.
 */
type SmtpFailure = 'refused' | 'rejected' | 'temporary' | 'lost'

/** Signals that the mail server did not accept an e-mail. Has no text of the server, which can contain anything. */
export class SmtpError extends Error {
  readonly failure: SmtpFailure
  /** Status of the server, such as 550, or a code of the network error, such as ECONNREFUSED. */
  readonly status: string
  constructor(error: NodemailerError) {
    const status = String(error.responseCode ?? error.originalCode ?? error.code)
    super(status)
    this.status = status
    this.failure = classifyFailure(error)
  }
}

function classifyFailure({ code = '', command, permanent, responseCode = 0 }: NodemailerError): SmtpFailure {
  const isAboutEmail = command === 'DATA' || (code === 'EENVELOPE' && command !== 'MAIL FROM')
  const isPermanent = permanent ?? ['EAUTH', 'EENVELOPE'].includes(code)
  if (isPermanent) return isAboutEmail ? 'rejected' : 'refused'
  return responseCode >= 400 ? 'temporary' : 'lost'
}

/**
 * Sends an e-mail in a connection of its own. By default, a user and password are sent only over TLS with a valid certificate;
 * options in `url` can change this.
 * @param beforeText runs when the server has accepted sender and recipient. If it fails, no text is sent
 * @throws SmtpError, or the error of `beforeText`
 */
export async function sendEmail(
  url: string,
  { from, to, ...email }: OutgoingEmail,
  signal: AbortSignal,
  beforeText: () => Promise<void>,
): Promise<void> {
  // This transport ignores options of the URL that replace SMTP or keep connections, such as pool.
  const transport = createTransport(new SMTPTransport({ ...TIME_LIMITS, requireTLS: hasCredentials(url), url }))
  transport.use('stream', createTextDelay(beforeText))
  try {
    await transport.sendMail({
      ...email,
      from: { name: '', address: from },
      to: { name: '', address: to },
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TOTAL_LIMIT_MS)]),
    })
  } catch (error) {
    throw (error as NodemailerError).code === 'ESTREAM' ? error : new SmtpError(error as NodemailerError)
  }
}

const hasCredentials = (url: string): boolean => new URL(url).username !== ''

/** Nodemailer reads the stream only after the response to DATA, so `beforeText` runs at the last moment. */
const createTextDelay =
  (beforeText: () => Promise<void>): PluginFunction =>
  ({ message }, callback) => {
    const openText = message.createReadStream.bind(message)
    message.createReadStream = (options) =>
      Readable.from(
        readAfter(beforeText, () => openText(options)),
        { objectMode: false },
      )
    callback()
  }

async function* readAfter(before: () => Promise<void>, open: () => Readable): AsyncGenerator<Buffer> {
  await before()
  yield* open()
}
