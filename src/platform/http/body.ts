import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { Context } from 'koa'
import { HttpMethodEnum, koaBody } from 'koa-body'
import Type from 'typebox'
import type { Core } from '../core.ts'
import { badRequestError, HttpError, payloadTooLargeError, unsupportedMediaTypeError } from '../errors.ts'
import { JsonTooComplexError, MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson } from '../lib/json.ts'
import type { Message } from '../lib/messages.ts'
import { settlesWithin } from '../lib/shutdown.ts'
import type { Operation } from './operation.ts'
import { httpMessages } from './messages.ts'
import { validateBody, type LinkPolicy } from './validation.ts'

interface SizeLimit {
  bytes: number
  message: Message
}

const BODY_LIMIT: SizeLimit = { bytes: 1024 * 1024, message: httpMessages.bodyTooLarge({ limit: '1 MB' }) }
/** Operations without a login need no larger bodies. */
const PUBLIC_BODY_LIMIT: SizeLimit = { bytes: 64 * 1024, message: httpMessages.publicBodyTooLarge({ limit: '64 KB' }) }

/** Reads the text of a body that the handler parses itself. @throws HttpError 400 for an aborted request, 408, 413 above 64 KB */
export async function readPublicBodyText({ config }: Core, ctx: Context): Promise<string> {
  const chunks: Buffer[] = []
  try {
    if (!(await settlesWithin(config.bodySeconds, collectChunks(chunks, ctx.req))))
      throw createTimeoutError(config.bodySeconds)
  } finally {
    ctx.req.resume()
  }
  return Buffer.concat(chunks).toString()
}

/** Uses events, because `for await` is several times as slow for a body in one-byte chunks. */
function collectChunks(chunks: Buffer[], request: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    let length = 0
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= PUBLIC_BODY_LIMIT.bytes) return
      request.off('data', onData)
      reject(payloadTooLargeError(PUBLIC_BODY_LIMIT.message))
    }
    finished(request.on('data', onData), { writable: false }, (error) =>
      error ? reject(badRequestError(httpMessages.bodyCutOff())) : resolve(),
    )
  })
}

const createTimeoutError = (seconds: number) =>
  new HttpError(408, httpMessages.bodyLate({ seconds }), { Connection: 'close' })

const EMPTY_BODY_SCHEMA = Type.Object({}, { additionalProperties: false })

/**
 * Parses and validates a JSON body; unknown fields are violations.
 * @returns undefined if the operation takes no JSON body
 * @throws HttpError 400, 408, 413, 415
 */
export async function parseRequestBody(core: Core, ctx: Context, operation: Operation): Promise<unknown> {
  const { body, multipart, formOrJson, method } = operation
  if (method !== 'get') rejectCompressed(ctx)
  if (formOrJson) return undefined
  const read = () => parseJsonBody(core, ctx, operation.access === 'public' ? readPublicBody : readLongBody)
  if (body) {
    const json = operation.optionalBody && !hasRequestBody(ctx) ? {} : await read()
    return validateOperationBody(operation, json, core.config)
  }
  const canHaveFields = method !== 'get' && !multipart && ctx.is(JSON_TYPES)
  if (canHaveFields) validateBody(EMPTY_BODY_SCHEMA, await read(), core.config)
  return undefined
}

/** Returns true if the request has a body. Content-Length: 0 counts as none. */
export const hasRequestBody = ({ request, req }: Context): boolean =>
  Boolean(request.length) || req.headers['transfer-encoding'] !== undefined

/** Rejects compressed bodies, because a few bytes can expand to gigabytes and no client needs them. @throws HttpError 415 */
function rejectCompressed(ctx: Context): void {
  if (['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase())) return
  throw new HttpError(415, httpMessages.compressed(), {
    'Accept-Encoding': 'identity',
  })
}

const JSON_TYPES = ['application/json', '+json']

type BodyReader = ReturnType<typeof koaBody>

/** koa-body returns JSON as text, because we check its depth and number of values before parsing. */
const createJsonReader = ({ bytes, message }: SizeLimit): BodyReader =>
  koaBody({
    text: true,
    textTypes: JSON_TYPES,
    textLimit: bytes,
    json: false,
    urlencoded: false,
    multipart: false,
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
    onError: (error) => {
      if ((error as { status?: number }).status === 413) throw payloadTooLargeError(message)
      throw badRequestError(httpMessages.bodyCutOff())
    },
  })
const readLongBody = createJsonReader(BODY_LIMIT)
const readPublicBody = createJsonReader(PUBLIC_BODY_LIMIT)

/** Parses a JSON body. An empty one becomes an object without fields. @throws HttpError 400, 408, 413, 415 */
async function parseJsonBody({ config }: Core, ctx: Context, read: BodyReader): Promise<unknown> {
  if (!ctx.is(JSON_TYPES)) throw unsupportedMediaTypeError('JSON (Content-Type: application/json)')
  try {
    if (
      !(await settlesWithin(
        config.bodySeconds,
        read(ctx, async () => undefined),
      ))
    )
      throw createTimeoutError(config.bodySeconds)
  } finally {
    ctx.req.resume() // drain the rejected body, so that the connection can carry the next request
  }
  const { body: text = '' } = ctx.request as unknown as { body?: string }
  // The decoder replaces invalid UTF-8 with this character, which makes different texts equal.
  if (text.includes('\ufffd')) throw badRequestError(httpMessages.notUtf8())
  if (text === '') return {}
  try {
    return parseJson(text)
  } catch (error) {
    const isTooComplex = error instanceof JsonTooComplexError
    throw badRequestError(isTooComplex ? httpMessages.jsonTooComplex(JSON_LIMITS) : httpMessages.notJson())
  }
}

const JSON_LIMITS = { levels: MAX_JSON_DEPTH, values: MAX_JSON_VALUES }

/** Validates a JSON body and adds the violations that the operation itself finds. @throws HttpError 400 */
export async function validateOperationBody(
  { body, moreViolations }: Operation,
  value: unknown,
  rule: LinkPolicy,
): Promise<unknown> {
  try {
    return validateBody(body!, value, rule)
  } catch (error) {
    if (!moreViolations || !(error instanceof HttpError) || error.statusCode !== 400) throw error
    throw badRequestError([...[error.messages].flat(), ...(await moreViolations(value))], Infinity)
  }
}
