import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { Context } from 'koa'
import Type from 'typebox'
import type { Core } from '../core.ts'
import { badRequest, HttpError, tooLarge, unsupportedMediaType } from '../errors.ts'
import { JsonTooComplex, MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson } from '../lib/json.ts'
import type { Message } from '../lib/messages.ts'
import { within } from '../lib/stop.ts'
import type { Operation } from './operation.ts'
import { httpMessages } from './messages.ts'
import { checkBody, type LinkRule } from './validation.ts'

interface SizeLimit {
  bytes: number
  message: Message
}

const LIMIT: SizeLimit = { bytes: 1024 * 1024, message: httpMessages.bodyTooLarge({ limit: '1 MB' }) }
/** For callers without a login. */
const PUBLIC_LIMIT: SizeLimit = { bytes: 64 * 1024, message: httpMessages.publicBodyTooLarge({ limit: '64 KB' }) }

/** Reads a body as text. @throws HttpError 400 if the client goes away meanwhile, 408, 413 */
export async function readText({ config }: Core, { req }: Context, limit: SizeLimit = PUBLIC_LIMIT): Promise<string> {
  const seconds = config.bodySeconds
  const chunks: Buffer[] = []
  try {
    if (await within(seconds, collect(req, limit, chunks))) return Buffer.concat(chunks).toString()
    throw new HttpError(408, httpMessages.bodyLate({ seconds }), { Connection: 'close' })
  } finally {
    req.resume() // the rest of a rejected body comes before the next request of the connection
  }
}

/** By events: for await takes several times as long for a body in chunks of a byte. */
function collect(request: IncomingMessage, { bytes, message }: SizeLimit, chunks: Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let length = 0
    const take = (chunk: Buffer): void => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= bytes) return
      request.off('data', take)
      reject(tooLarge(message))
    }
    if (Number(request.headers['content-length']) > bytes) return reject(tooLarge(message))
    finished(request.on('data', take), { writable: false }, (error) =>
      error ? reject(badRequest(httpMessages.bodyCutOff())) : resolve(),
    )
  })
}

const NOTHING = Type.Object({}, { additionalProperties: false })

/** Reads and checks the JSON body of an operation; fields that it does not have are violations. @throws HttpError 400, 408, 413, 415 */
export async function readBody(core: Core, ctx: Context, operation: Operation): Promise<unknown> {
  const { body, multipart, formOrJson, method } = operation
  if (method !== 'get') refuseCompressed(ctx)
  if (formOrJson) return undefined
  const read = () => readJson(core, ctx, operation.access === 'public' ? PUBLIC_LIMIT : LIMIT)
  if (body) {
    const sent = operation.optionalBody && !hasBody(ctx) ? {} : await read()
    return checkOperationBody(operation, sent, core.config)
  }
  const mayHoldFields = method !== 'get' && !multipart && ctx.is(JSON_TYPES)
  if (mayHoldFields) checkBody(NOTHING, await read(), core.config)
  return undefined
}

/** Whether a request has a body. Without one, some clients send a length of 0, others none. */
export const hasBody = ({ request, req }: Context): boolean =>
  Boolean(request.length) || req.headers['transfer-encoding'] !== undefined

/** A compressed body could expand to gigabytes, and nobody needs it. */
function refuseCompressed(ctx: Context): void {
  if (['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase())) return
  throw new HttpError(415, httpMessages.compressed(), {
    'Accept-Encoding': 'identity',
  })
}

const JSON_TYPES = ['application/json', '+json']

/** An empty body is an object without fields. */
async function readJson(core: Core, ctx: Context, limit: SizeLimit): Promise<unknown> {
  if (!ctx.is(JSON_TYPES)) throw unsupportedMediaType('JSON (Content-Type: application/json)')
  const text = await readText(core, ctx, limit)
  // Decoding replaces invalid UTF-8 by this character, and two different texts would become the same.
  if (text.includes('\ufffd')) throw badRequest(httpMessages.notUtf8())
  if (text === '') return {}
  try {
    return parseJson(text)
  } catch (error) {
    const isTooComplex = error instanceof JsonTooComplex
    throw badRequest(isTooComplex ? httpMessages.jsonTooComplex(JSON_LIMITS) : httpMessages.notJson())
  }
}

const JSON_LIMITS = { levels: MAX_JSON_DEPTH, values: MAX_JSON_VALUES }

/** @throws HttpError 400 with what the schema refuses, and what else is wrong then */
export async function checkOperationBody(
  { body, moreViolations }: Operation,
  value: unknown,
  rule: LinkRule,
): Promise<unknown> {
  try {
    return checkBody(body!, value, rule)
  } catch (error) {
    if (!moreViolations || !(error instanceof HttpError) || error.statusCode !== 400) throw error
    throw badRequest([...[error.messages].flat(), ...(await moreViolations(value))], Infinity)
  }
}
