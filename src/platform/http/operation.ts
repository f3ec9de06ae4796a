import type { Message } from '../lib/messages.ts'
import type { TObject, TSchema } from 'typebox'
import type { ReadAction } from '../audit/actions.ts'
import type { AuditObject } from '../audit/entries.ts'
import type { Right } from './actor.ts'

/** The callers of an operation; published as x-access. */
export type Access = 'public' | 'self' | 'owner' | 'ownerOrKey' | 'ownerOrHead' | 'scoped'

/** One response of an operation, as published. */
export interface ResponseSpec {
  description: string
  /** The schema of a JSON response. */
  json?: TSchema
  example?: unknown
  /** Media types of a response other than JSON. */
  content?: string[]
  /** An example for the text types. */
  contentExamples?: Record<string, string>
  headers?: Record<string, string>
}

/** A multipart body: one file part and text parts. */
export interface MultipartBody {
  file: string
  fields: TObject
}

/**
 * One method of one path. The router authorises, validates and dispatches by it; the published description is generated from
 * it.
 */
export interface Operation {
  id: string
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** As published: /v1/recordings/{id}. */
  path: string
  tag: string
  summary: string
  description?: string
  access: Access
  /** Rights that a person needs besides the access; keys need none. */
  rights?: readonly Right[]
  /** Only for the panel: a key gets 403, whatever the access. */
  closedToKeys?: true
  /** The audit action of a person's read. Services record changes. */
  audit?: ReadAction
  /** The type of the object {id}; the audit log records reads under it. */
  auditObject?: AuditObject['type']
  /** The field of query or body that names the object instead of {id}. The audit entry has it as the detail `id`. */
  auditBy?: { field: string; id?: string }
  /** A read is recorded only if this parameter is true: other responses contain no data of calls. */
  auditWhen?: string
  /** Further path parameters besides {id}, as published; the handler checks them, because a wrong one is a 404. */
  params?: Record<string, TSchema>
  query?: TObject
  /** True: ignore unknown query parameters (health checks add some). */
  anyQuery?: true
  body?: TSchema
  /** The body is optional; without it, all fields are omitted. */
  optionalBody?: true
  /** The published body, if the service validates a part that `body` leaves open. */
  publishedBody?: TSchema
  /** Further violations of a body that `body` rejects, up to the limit of a response, so that it lists all at once. */
  moreViolations?: (body: unknown) => Promise<Message[]>
  multipart?: MultipartBody
  /** The published body, which the handler parses itself: a form with names such as data[CALL_ID], or JSON. */
  formOrJson?: TSchema
  /** Responses besides the errors implied by access, parameters and body. */
  responses: Record<number, ResponseSpec>
}
