import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { decodeBytes, fileNameOf, parametersOf } from './content-disposition.ts'

/** A file while it arrives. */
export interface ArrivingFile {
  /** Its name at the sender, without folders. */
  name: string
  content: Readable
}

/** What a form may hold; one more of anything is a fault. */
export interface FormLimits {
  /** The one name that parts with files have. */
  fileField: string
  files: number
  texts: number
  /** Of all kinds together. */
  parts: number
  /** Bytes of one text. */
  textBytes: number
  /** Bytes of everything together. */
  bodyBytes?: number
  /** How much of a part is in memory at a time. */
  bufferBytes: number
}

/** Where the parts of a form go: one after another, in their order. */
export interface FormTaker {
  takeText(name: string, value: string): void
  /** What it leaves of the content is thrown away. It must not destroy the content unless it throws. */
  takeFile(file: ArrivingFile): Promise<void>
}

/** What is wrong with a form: a file too many or out of place, too many or too long parts, its size, a text, or its syntax. */
export class FormError extends Error {
  readonly kind: 'files' | 'parts' | 'size' | 'text' | 'broken'
  /** The part that it concerns, where it is one. */
  readonly field: string | undefined

  constructor(kind: FormError['kind'], message: string, field?: string) {
    super(message)
    this.kind = kind
    this.field = field
  }
}

/**
 * Reads a form (multipart/form-data) as it arrives. Whatever comes of it, the request has been read to its end then, so
 * that its sender can read the answer, and nothing is under way any more.
 * @throws FormError, or what the taker throws
 */
export const readForm = (request: IncomingMessage, limits: FormLimits, taker: FormTaker): Promise<void> =>
  new FormReader(request, limits, taker).read()

const MAX_NAME_LENGTH = 100
const MAX_HEADER_LENGTH = 16 * 1024

/** The library's Busboy would pass over a part that it cannot read, and read every text as UTF-8. */
class FormReader {
  private readonly request: IncomingMessage
  private readonly limits: FormLimits
  private readonly taker: FormTaker
  private readonly parser: Dicer | undefined
  private readonly counts = { bytes: 0, parts: 0, files: 0, texts: 0 }
  /** The part that came last, and whether its header did. */
  private part: Dicer.PartStream | undefined
  private isDescribed = true
  /** Settles when the parts so far are taken. */
  private taken = Promise.resolve()
  private takerFailed = false
  private fault: { error: unknown } | undefined
  /** Resolves when the last boundary has come, or a fault. */
  private readonly decided: Promise<void>
  private decide!: () => void

  constructor(request: IncomingMessage, limits: FormLimits, taker: FormTaker) {
    this.request = request
    this.limits = limits
    this.taker = taker
    this.decided = new Promise((resolve) => (this.decide = resolve))
    this.parser = createParser(request, limits)
  }

  async read(): Promise<void> {
    const { request } = this
    const arrived = new Promise((resolve) => request.once('end', resolve).once('close', resolve))
    request.once('close', () => {
      if (!request.readableEnded) this.fail(broken('Request aborted'))
    })
    this.parser
      ?.on('part', (part: Dicer.PartStream) => this.begin(part))
      .on('drain', () => request.resume())
      .on('error', () => this.fail(broken('Unexpected end of form')))
      .on('finish', () => (this.isDescribed ? this.decide() : this.fail(malformed())))
    request.on('data', (chunk: Buffer) => this.parse(chunk)).once('end', () => this.parser?.end())
    if (!this.parser) this.fail(broken('Multipart: Boundary not found'))
    if (request.destroyed) this.fail(broken('Request aborted'))
    else await arrived
    await this.decided
    await this.taken
    if (this.fault) throw this.fault.error
  }

  private parse(chunk: Buffer): void {
    if (this.fault) return // the rest is thrown away
    this.counts.bytes += chunk.length
    if (this.counts.bytes > (this.limits.bodyBytes ?? Infinity))
      return this.fail(new FormError('size', 'the form is too large'))
    try {
      if (!this.parser!.write(chunk) && !this.fault) this.request.pause()
    } catch (error) {
      this.fail(broken((error as Error).message)) // no body may end the process
    }
  }

  private begin(part: Dicer.PartStream): void {
    part.on('error', () => undefined) // the parser says it too
    // Once it held enough of a part the parser waits for a reader, even where that part has ended meanwhile.
    // oxlint-disable-next-line no-underscore-dangle
    part.on('end', () => part._read(0))
    if (this.fault) return
    if (!this.isDescribed) return this.fail(malformed())
    this.part = part
    this.isDescribed = false
    if (++this.counts.parts > this.limits.parts) return this.fail(new FormError('parts', 'too many parts'))
    part.once('header', (header) => {
      this.isDescribed = true
      this.sort(part, header as Record<string, string[]>)
    })
  }

  /** Text or file: lets the taker have it in its turn. A small part may have arrived whole before that. */
  private sort(part: Readable, header: Record<string, string[]>): void {
    const { limits, counts, taker } = this
    const said = readHeader(header)
    if (!said) return this.fail(malformed())
    if (said.isFile && ++counts.files > limits.files) return this.fail(new FormError('files', 'too many files'))
    if (!said.isFile && ++counts.texts > limits.texts) return this.fail(new FormError('parts', 'too many texts'))
    if (!said.name) return this.fail(broken('a part has no name'))
    if (said.isFile && !said.fileName) return void part.resume() // a field for files in which none was chosen
    if (said.name.length > MAX_NAME_LENGTH) return this.fail(new FormError('parts', 'a name is too long'))
    const name = plainName(said.name)
    if (!said.isFile) {
      const value = this.text(part, name, said.charset)
      value.catch((error: unknown) => this.fail(error)) // its turn may be late
      return this.inTurn(async () => taker.takeText(name, await value))
    }
    if (name !== limits.fileField) return this.fail(new FormError('files', 'an unexpected file', name))
    this.inTurn(async () => {
      if (part.destroyed) return
      await taker.takeFile({ name: plainName(said.fileName!), content: part })
      // What it has left; a reader of its own that was cut off would keep the part from flowing.
      part.on('data', () => undefined).resume()
    })
  }

  private inTurn(take: () => Promise<void>): void {
    this.taken = this.taken
      .then(() => (this.takerFailed ? undefined : take()))
      .catch((error: unknown) => {
        this.takerFailed = true
        this.fail(error)
      })
  }

  private async text(part: Readable, name: string, charset: string | undefined): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of part as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > this.limits.textBytes) throw new FormError('parts', 'a text is too long', name)
      chunks.push(chunk)
    }
    return decode(Buffer.concat(chunks), name, charset)
  }

  /** The parts before the last one are still taken; the last breaks off, and the rest is thrown away. */
  private fail(error: unknown): void {
    this.fault ??= { error }
    this.part?.destroy(error as Error)
    this.request.resume()
    this.decide()
  }
}

const broken = (why: string) => new FormError('broken', why)
const malformed = () => broken('Malformed part header')

/** Undefined where the request names no boundary that could be one. */
function createParser({ headers }: IncomingMessage, { bufferBytes }: FormLimits): Dicer | undefined {
  const boundary = decodeBytes(parametersOf(headers['content-type'] ?? '').get('boundary'))
  // Its types do not know how much of a part it holds. Of the body it takes one chunk at a time, see parse().
  const options = { boundary, partHwm: bufferBytes, highWaterMark: 1 } as Dicer.Config
  return boundary && Buffer.byteLength(boundary) <= 200 ? new Dicer(options) : undefined
}

/** What a part's header says; undefined where it cannot be read. */
function readHeader(header: Record<string, string[]>) {
  const [disposition = ''] = header['content-disposition'] ?? []
  const [type = ''] = header['content-type'] ?? []
  const text = Object.values(header).flat().join('')
  if (text.length > MAX_HEADER_LENGTH || CONTROL.test(text) || !/^form-data\s*(;|$)/i.test(disposition))
    return undefined
  const path = fileNameOf(disposition)
  const baseName = path?.split(/[/\\]/).pop()
  return {
    name: decodeBytes(parametersOf(disposition).get('name')),
    fileName: baseName === '.' || baseName === '..' ? undefined : baseName,
    isFile: path !== undefined || /^application\/octet-stream\s*(;|$)/i.test(type),
    charset: parametersOf(type).get('charset'),
  }
}

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** Names are escaped as the HTML standard says, in these three characters alone. */
const plainName = (name: string): string =>
  name.replace(/%(?:0A|0D|22)/gi, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)))

/** Strictly: with what cannot be read replaced, two different texts would become the same. */
function decode(bytes: Buffer, name: string, charset = 'utf-8'): string {
  const decoder = decoderOf(charset)
  try {
    return decoder.decode(bytes)
  } catch {
    const rule = `must be text in ${charset.slice(0, 60)}, or its part must name another charset in its Content-Type`
    throw new FormError('text', rule, name)
  }
}

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset, { ignoreBOM: true, fatal: true })
  } catch {
    throw broken(`there is no charset ${charset.slice(0, 60)}`)
  }
}
