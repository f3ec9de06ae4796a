import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { Context } from 'koa'
import { HttpMethodEnum, koaBody } from 'koa-body'
import Type from 'typebox'
import type { Core } from '../core.ts'
import { badRequest, HttpError, tooLarge, unsupportedMediaType } from '../errors.ts'
import { JsonTooComplex, MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson } from '../lib/json.ts'
import type { Message } from '../lib/messages.ts'
import { settlesWithin } from '../lib/stop.ts'
import type { Operation } from './operation.ts'
import { httpMessages } from './messages.ts'
import { checkBody, type LinkRule } from './validation.ts'

/** The largest size of a body, and the message for a larger one. */
interface SizeLimit {
  bytes: number
  message: Message
}

const LIMIT: SizeLimit = { bytes: 1024 * 1024, message: httpMessages.bodyTooLarge({ limit: '1 MB' }) }
/** For callers without a login, whose operations need no more. */
const PUBLIC_LIMIT: SizeLimit = { bytes: 64 * 1024, message: httpMessages.publicBodyTooLarge({ limit: '64 KB' }) }

/** Reads the text of a body that the handler parses itself. @throws HttpError 400 for an aborted request, 408, 413 */
export async function readText({ config }: Core, ctx: Context): Promise<string> {
  const chunks: Buffer[] = []
  try {
    if (!(await settlesWithin(config.bodySeconds, readInto(chunks, ctx.req)))) throw late(config.bodySeconds)
  } finally {
    ctx.req.resume()
  }
  return Buffer.concat(chunks).toString()
}

/** By events: for await takes several times as long for a body in chunks of a byte. */
function readInto(chunks: Buffer[], request: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    let length = 0
    const take = (chunk: Buffer): void => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= PUBLIC_LIMIT.bytes) return
      request.off('data', take)
      reject(tooLarge(PUBLIC_LIMIT.message))
    }
    finished(request.on('data', take), { writable: false }, (error) =>
      error ? reject(badRequest(httpMessages.bodyCutOff())) : resolve(),
    )
  })
}

const late = (seconds: number) => new HttpError(408, httpMessages.bodyLate({ seconds }), { Connection: 'close' })

const NOTHING = Type.Object({}, { additionalProperties: false })

/** Parses and validates a JSON body; unknown fields are violations. @throws HttpError 400, 408, 413, 415 */
export async function readBody(core: Core, ctx: Context, operation: Operation): Promise<unknown> {
  const { body, multipart, formOrJson, method } = operation
  if (method !== 'get') refuseCompressed(ctx)
  if (formOrJson) return undefined
  const read = () => readJson(core, ctx, operation.access === 'public' ? readPublicJson : readLongJson)
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

/** Compressed bodies would need a second limit, because a few bytes can unpack to gigabytes; no client needs them. */
function refuseCompressed(ctx: Context): void {
  if (['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase())) return
  throw new HttpError(415, httpMessages.compressed(), {
    'Accept-Encoding': 'identity',
  })
}

const JSON_TYPES = ['application/json', '+json']

type Reader = ReturnType<typeof koaBody>

/** koa-body returns the text of JSON, because we check its depth and size before parsing. */
const jsonReader = ({ bytes, message }: SizeLimit): Reader =>
  koaBody({
    text: true,
    textTypes: JSON_TYPES,
    textLimit: bytes,
    json: false,
    urlencoded: false,
    multipart: false,
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
    onError: (error) => {
      if ((error as { status?: number }).status === 413) throw tooLarge(message)
      throw badRequest(httpMessages.bodyCutOff())
    },
  })
const readLongJson = jsonReader(LIMIT)
const readPublicJson = jsonReader(PUBLIC_LIMIT)

/** Reads a body of JSON. An empty one counts as an object without fields. */
async function readJson({ config }: Core, ctx: Context, read: Reader): Promise<unknown> {
  if (!ctx.is(JSON_TYPES)) throw unsupportedMediaType('JSON (Content-Type: application/json)')
  try {
    if (
      !(await settlesWithin(
        config.bodySeconds,
        read(ctx, async () => undefined),
      ))
    )
      throw late(config.bodySeconds)
  } finally {
    ctx.req.resume() // what a refused body still holds must not stand before the connection's next request
  }
  const { body: text = '' } = ctx.request as unknown as { body?: string }
  // The decoder replaces invalid UTF-8 by this character, which would make two different texts equal.
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

/** @throws HttpError 400 with the violations of the schema and further ones */
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
