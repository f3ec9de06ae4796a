import type { Message } from '../lib/messages.ts'
import type { TObject, TSchema } from 'typebox'
import type { ReadAction } from '../audit/actions.ts'
import type { AuditObject } from '../audit/record.ts'
import type { Right } from './actor.ts'

/** The callers of an operation; published as x-access. */
export type Access = 'public' | 'self' | 'owner' | 'ownerOrKey' | 'ownerOrHead' | 'scoped'

/** One answer of an operation, as published. */
export interface ResponseSpec {
  description: string
  /** The schema of a JSON answer. */
  json?: TSchema
  example?: unknown
  /** Media types of an answer that is no JSON. */
  content?: string[]
  /** An example for those of them that are text. */
  contentExamples?: Record<string, string>
  headers?: Record<string, string>
}

/** A multipart body: one file part and text parts. */
export interface MultipartBody {
  file: string
  fields: TObject
}

/** One method of one path. The router guards, validates and dispatches by it; the published description follows. */
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
  /** Serves the panel alone: a key is answered 403, whatever the access. */
  closedToKeys?: true
  /** As what the audit log notes a person's read by it. Services note changes. */
  audit?: ReadAction
  /** The type of the object {id}; the audit log records reads under it. */
  auditObject?: AuditObject['type']
  /** The field of query or body that names the object instead of {id}. The audit entry has it as the detail `id`. */
  auditBy?: { field: string; id?: string }
  /** A read is recorded only if this parameter is true: other responses contain no data of calls. */
  auditWhen?: string
  /** Parameters of the path besides {id}, as published; the handler checks them, because a wrong one is a 404. */
  params?: Record<string, TSchema>
  query?: TObject
  /** True: parameters that nobody knows are passed over; monitors add some. */
  anyQuery?: true
  body?: TSchema
  /** The body may be left out, which says as much as one without fields. */
  optionalBody?: true
  /** The body as published, where the service judges a part of it that `body` leaves open. */
  publishedBody?: TSchema
  /** Further violations of a body that `body` rejects, up to the limit of a response, so that it lists all at once. */
  moreViolations?: (body: unknown) => Promise<Message[]>
  multipart?: MultipartBody
  /** A body, as published, that the handler reads itself: as a form, with names such as data[CALL_ID], or as JSON. */
  formOrJson?: TSchema
  /** Answers besides the errors that follow from access, parameters and body. */
  responses: Record<number, ResponseSpec>
}
