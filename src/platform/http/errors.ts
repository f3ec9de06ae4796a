import { STATUS_CODES } from 'node:http'
import type { Context, Next } from 'koa'
import Type from 'typebox'
import { isDatabaseDown } from '../db/db.ts'
import { HttpError } from '../errors.ts'
import type { Message } from '../lib/messages.ts'
import { getCurrentLanguage, type Logger } from '../lib/log.ts'
import { StorageUnavailableError } from '../storage/storage.ts'
import { httpMessages } from './messages.ts'
import * as field from './field.ts'

/** Describes the body of every error response. */
export const ApiErrorSchema = field.namedObject('Error', 'An error.', {
  statusCode: field.integer('The HTTP status.'),
  message: Type.Union([Type.String(), Type.Array(Type.String())], {
    description:
      'The problem and its solution. Field validation returns an array with one string per field, each beginning ' +
      'with the field. In English; in Russian for a person whose Accept-Language prefers it.',
  }),
  error: field.text('The name of the status, such as Conflict.'),
})

/** Formats the body of an error response in the language of the current request. */
export function formatErrorBody(statusCode: number, messages: Message | Message[] | string) {
  const format = (message: Message | string) =>
    typeof message === 'string' ? message : message.format(getCurrentLanguage())
  const message = Array.isArray(messages) ? messages.map(format) : format(messages)
  return { statusCode, message, error: STATUS_CODES[statusCode] ?? 'Error' }
}

/**
 * Creates middleware that renders every error thrown below it. Logs errors with a status from 500. The caller gets no details of
 * an unexpected error.
 */
export function createErrorMiddleware(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (thrown) {
      const error = toHttpError(thrown)
      if (error.statusCode >= 500) log.error({ err: thrown }, 'request failed')
      for (const header of ['Content-Type', 'Content-Disposition', 'ETag', 'Last-Modified']) ctx.remove(header)
      ctx.status = error.statusCode
      ctx.set(error.headers)
      ctx.body = formatErrorBody(error.statusCode, error.messages)
    }
  }
}

function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown
  if (thrown instanceof StorageUnavailableError)
    return new HttpError(503, httpMessages.storageAway(), { 'Retry-After': '5' })
  if (isDatabaseDown(thrown)) return new HttpError(503, httpMessages.databaseAway(), { 'Retry-After': '5' })
  if ((thrown as { code?: string })?.code === '57014')
    return new HttpError(503, httpMessages.databaseSlow(), {
      'Retry-After': '30',
    })
  if (/^(ENOSPC|EDQUOT|53100)$/.test((thrown as { code?: string })?.code ?? '')) {
    return new HttpError(507, httpMessages.storageFull())
  }
  return new HttpError(500, httpMessages.broken())
}
