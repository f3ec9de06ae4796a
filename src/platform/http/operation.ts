import type { Message } from '../lib/messages.ts'
import type { TObject, TSchema } from 'typebox'
import type { AuditReadAction } from '../audit/actions.ts'
import type { AuditObject } from '../audit/entries.ts'
import type { Right } from './actor.ts'

/** Names the callers that an operation admits. The API description publishes the value as x-access and explains it. */
export type OperationAccess = 'public' | 'self' | 'owner' | 'ownerOrKey' | 'ownerOrHead' | 'scoped'

/** Describes one response of an operation for the API description. */
export interface ResponseSpec {
  description: string
  json?: TSchema
  example?: unknown
  /** Media types other than JSON. */
  content?: string[]
  /** Examples by media type. */
  contentExamples?: Record<string, string>
  headers?: Record<string, string>
}

/** Describes a multipart body with one file part and text parts. `file` is the name of the file part. */
export interface MultipartBody {
  file: string
  fields: TObject
}

/** Describes a request that the service sends to other systems, for the API description. */
export interface Webhook {
  id: string
  tag: string
  summary: string
  description: string
  headers: Record<string, { description: string; required: boolean }>
  body: TSchema
  example: object
  /** The meaning of the responses of a receiver, by status or range such as 2XX. */
  responses: Record<string, string>
}

/**
 * Declares one method of one path. The router authorises, validates and dispatches requests by it, and the API description is
 * generated from it.
 */
export interface Operation {
  id: string
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** As in the API description, such as /v1/recordings/{id}. */
  path: string
  tag: string
  summary: string
  description?: string
  access: OperationAccess
  /** Rights that people except owners also need. API keys need none. */
  rights?: readonly Right[]
  /** Rejects API keys with 403 even if `access` admits them. */
  closedToKeys?: true
  /** Action that the audit log records for a read by a person. Services record changes themselves. */
  audit?: AuditReadAction
  /** Type of the object {id} in the audit entry of a read. */
  auditObject?: AuditObject['type']
  /** Query or body field that names the object instead of {id}. The audit entry stores {id} under the detail name in `id`. */
  auditBy?: { field: string; id?: string }
  /** Records a read only if this query parameter is true, because other responses contain no call data. */
  auditWhen?: string
  /** Schemas of path parameters other than {id}, for the description only. The router does not validate them. */
  params?: Record<string, TSchema>
  query?: TObject
  /** Ignores unknown query parameters, because health checks add some. */
  anyQuery?: true
  body?: TSchema
  /** Accepts a request without a body, with all fields omitted. */
  optionalBody?: true
  /** Body in the API description if `body` leaves a part open that the service validates. */
  publishedBody?: TSchema
  /** Finds further violations in a body that the schema `body` rejects, so that one response lists all. */
  moreViolations?: (body: unknown) => Promise<Message[]>
  multipart?: MultipartBody
  /** Body in the API description that the handler parses itself: a form with names such as data[CALL_ID], or JSON. */
  formOrJson?: TSchema
  /** Responses in addition to the errors that follow from access, parameters and body. */
  responses: Record<number, ResponseSpec>
}
