import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { Context } from 'koa'
import { HttpMethodEnum, koaBody } from 'koa-body'
import Type from 'typebox'
import type { Core } from '../core.ts'
import { badRequest, HttpError, tooLarge, unsupportedMediaType } from '../errors.ts'
import type { Message } from '../lib/messages.ts'
import { within } from '../lib/stop.ts'
import type { Operation } from './operation.ts'
import { httpMessages } from './messages.ts'
import { checkBody, type LinkRule } from './validation.ts'

const MAX_BYTES = 1024 * 1024
/**
 * Of whoever need not say who they are: parsing 1 MB of nested JSON takes the event loop 100 ms, this much takes 6, and
 * no login needs more.
 */
const MAX_PUBLIC_BYTES = 64 * 1024

/**
 * The text of a body that the handler takes apart itself.
 * @throws HttpError 400 for a client that went away in the middle, 408, 413
 */
export async function readText(core: Core, ctx: Context): Promise<string> {
  const chunks: Buffer[] = []
  try {
    if (!(await within(core.config.bodySeconds, readInto(chunks, ctx.req)))) throw late(core.config.bodySeconds)
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
      if (length <= MAX_PUBLIC_BYTES) return
      request.off('data', take)
      reject(tooLarge(httpMessages.publicBodyTooLarge({ limit: '64 KB' })))
    }
    finished(request.on('data', take), { writable: false }, (error) =>
      error ? reject(badRequest(httpMessages.bodyCutOff())) : resolve(),
    )
  })
}

const late = (seconds: number) => new HttpError(408, httpMessages.bodyLate({ seconds }), { Connection: 'close' })

const NOTHING = Type.Object({}, { additionalProperties: false })

/**
 * The JSON body that an operation asks for, checked. What an operation has no use for is a violation, as it is everywhere
 * else: whoever sent it meant something by it.
 * @throws HttpError 400, 408, 413, 415
 */
export async function readBody(core: Core, ctx: Context, operation: Operation): Promise<unknown> {
  const { body, multipart, formOrJson, method } = operation
  if (method !== 'get') refuseCompressed(ctx)
  if (formOrJson) return undefined
  const read = () => readJson(ctx, core.config.bodySeconds, operation.access === 'public')
  if (body) {
    const sent = operation.optionalBody && !hasBody(ctx) ? {} : await read()
    return checkOperationBody(operation, sent, core.config)
  }
  const mayHoldFields = method !== 'get' && !multipart && ctx.is(JSON_TYPES)
  if (mayHoldFields) checkBody(NOTHING, await read(), core.config)
  return undefined
}

/** Whether a request has a body. Some clients tell the length of no body as 0, others tell none. */
export const hasBody = ({ request, req }: Context): boolean =>
  Boolean(request.length) || req.headers['transfer-encoding'] !== undefined

/** A few bytes that unpack to gigabytes, or to nothing for ever, would have to be bounded twice; nobody needs them. */
function refuseCompressed(ctx: Context): void {
  if (['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase())) return
  throw new HttpError(415, httpMessages.compressed(), {
    'Accept-Encoding': 'identity',
  })
}

const JSON_TYPES = ['application/json', '+json']

const jsonParser = (maxBytes: number, tooLong: Message) =>
  koaBody({
    json: true,
    jsonTypes: JSON_TYPES,
    urlencoded: false,
    text: false,
    multipart: false,
    includeUnparsed: true,
    jsonLimit: maxBytes,
    jsonStrict: false, // a number alone is JSON too: the schema says what is wrong with it
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
    onError: (error) => {
      if ((error as { status?: number }).status === 413) throw tooLarge(tooLong)
      throw badRequest(httpMessages.notJson())
    },
  })
const parseJson = jsonParser(MAX_BYTES, httpMessages.bodyTooLarge({ limit: '1 MB' }))
const parsePublicJson = jsonParser(MAX_PUBLIC_BYTES, httpMessages.publicBodyTooLarge({ limit: '64 KB' }))

/** Reads a body of JSON. An empty one is read as an object without fields. */
async function readJson(ctx: Context, limitSeconds: number, isPublic: boolean): Promise<unknown> {
  if (!ctx.is(JSON_TYPES)) throw unsupportedMediaType('JSON (Content-Type: application/json)')
  const parse = isPublic ? parsePublicJson : parseJson
  try {
    if (
      !(await within(
        limitSeconds,
        parse(ctx, async () => undefined),
      ))
    ) {
      throw late(limitSeconds)
    }
  } finally {
    ctx.req.resume() // what a refused body still holds must not stand before the connection's next request
  }
  const { body, rawBody } = ctx.request as unknown as { body: unknown; rawBody: string }
  // Reading replaces bytes that are no UTF-8 by this character; two different texts would become the same.
  if (rawBody.includes('\ufffd')) throw badRequest(httpMessages.notUtf8())
  return rawBody === '' ? {} : body
}

/** @throws HttpError 400 with what the schema refuses, and what else is wrong then */
export function checkOperationBody({ body, moreViolations }: Operation, value: unknown, rule: LinkRule): unknown {
  try {
    return checkBody(body!, value, rule)
  } catch (error) {
    if (!moreViolations || !(error instanceof HttpError) || error.statusCode !== 400) throw error
    throw badRequest([...[error.messages].flat(), ...moreViolations(value)], Infinity)
  }
}
