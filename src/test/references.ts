import { listApiOperations } from '../app/api.ts'
import type { Operation } from '../platform/http/operation.ts'

/** The kinds of objects whose ids or names a request can contain. */
export type ObjectReferenceKind =
  | 'recording' | 'finding' | 'delivery' | 'file' | 'deal' | 'funnel' | 'manager' | 'crmUser' | 'department' | 'person'
  | 'ruleSet' | 'rule' | 'backtest' | 'run' | 'separationRun' | 'key' | 'session' | 'estimate' | 'load'
  | 'comment' | 'mention' | 'view' | 'playlist' | 'playlistItem' | 'assignment' | 'bulkAction'
  | 'notification' | 'calibration' | 'calibrationPart' | 'reviewer' // prettier-ignore

/** A parameter or field of an operation that names an object. */
export interface ObjectReference {
  operation: Operation
  place: 'path' | 'query' | 'body'
  /** The name of the field, or its path in the body, such as members.departmentId. */
  field: string
  kind: ObjectReferenceKind
}

/** The kind of a path parameter, by the path up to and including it. */
const PATH_KINDS: [path: string, kind: ObjectReferenceKind][] = [
  ['/v1/recordings/{id}/analysis/findings/{findingId}', 'finding'],
  ['/v1/recordings/{id}/deliveries/{deliveryId}', 'delivery'],
  ['/v1/recordings/{id}/comments/{commentId}', 'comment'],
  ['/v1/recordings/{id}', 'recording'],
  ['/v1/assignments/{id}', 'assignment'],
  ['/v1/bulk-actions/{id}', 'bulkAction'],
  ['/v1/views/{id}', 'view'],
  ['/v1/playlists/{id}/items/{recordingId}', 'playlistItem'],
  ['/v1/playlists/{id}', 'playlist'],
  ['/v1/calibrations/{id}/calls/{callId}', 'calibrationPart'],
  ['/v1/calibrations/{id}/rules/{ruleId}', 'calibrationPart'],
  ['/v1/calibrations/{id}', 'calibration'],
  ['/v1/people/{id}', 'person'],
  ['/v1/departments/{id}', 'department'],
  ['/v1/rule-sets/{id}', 'ruleSet'],
  ['/v1/backtests/{id}', 'backtest'],
  ['/v1/analysis-runs/{id}', 'run'],
  ['/v1/separation-runs/{id}', 'separationRun'],
  ['/v1/api-keys/{id}', 'key'],
  ['/v1/auth/sessions/{id}', 'session'],
  ['/v1/crm/history/loads/{id}', 'load'],
]

/** Path parameters that do not name an object of a person: queues, steps, versions of a rule set, documentation files. */
const NON_REFERENCE_PARTS = new Set(['name', 'version', 'file'])

/** The kind of each query parameter and body field that names an object. */
const FIELD_KINDS: Record<string, ObjectReferenceKind> = {
  ids: 'recording',
  recordingId: 'recording',
  object: 'recording',
  storageKey: 'file',
  deal: 'deal',
  dealIds: 'deal',
  funnel: 'funnel',
  funnels: 'funnel',
  manager: 'manager',
  managers: 'manager',
  managerName: 'manager',
  talker: 'manager',
  userId: 'crmUser',
  department: 'department',
  departments: 'department',
  departmentId: 'department',
  departmentIds: 'department',
  person: 'person',
  ruleSet: 'ruleSet',
  ruleSetId: 'ruleSet',
  set: 'ruleSet',
  copyOf: 'ruleSet',
  beforeId: 'ruleSet',
  rule: 'rule',
  said: 'rule',
  estimateId: 'estimate',
  finding: 'finding',
  replyTo: 'comment',
  mentions: 'mention',
  notificationIds: 'notification',
  recordingIds: 'recording',
  participantIds: 'reviewer',
}

/** Ids that callers choose themselves, and ids of rules within the rules of a body. */
const CALLER_CHOSEN_IDS = /^externalCallId$|^rules\./

/** Lists every reference of every operation. An id of an unknown kind throws an error: add it to FIELD_KINDS or PATH_KINDS. */
export const OBJECT_REFERENCES: ObjectReference[] = listApiOperations().flatMap(collectReferences)

/** Formats a reference as in the reference table, such as "listRecordings query.deal". */
export const formatObjectReference = ({ operation, place, field }: ObjectReference): string =>
  `${operation.id} ${place}.${field}`

function collectReferences(operation: Operation): ObjectReference[] {
  const { path, query, multipart } = operation
  const body = operation.publishedBody ?? operation.body ?? multipart?.fields
  const collectFieldReferences = (place: 'query' | 'body', schema: unknown) =>
    collectReferenceFields(schema as Schema).map((field): ObjectReference => ({
      operation,
      place,
      field,
      kind: findKind(operation, field),
    }))
  return [
    ...collectPathReferences(operation, path),
    ...collectFieldReferences('query', query),
    ...collectFieldReferences('body', body),
  ]
}

function collectPathReferences(operation: Operation, path: string): ObjectReference[] {
  const parts = [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, part]) => part!)
    .filter((part) => !NON_REFERENCE_PARTS.has(part))
  return parts.map((field) => {
    const end = path.indexOf(`{${field}}`) + field.length + 2
    const kind = PATH_KINDS.find(([known]) => path.slice(0, end) === known)?.[1]
    if (!kind) throw new Error(`PATH_KINDS does not tell what {${field}} of ${path} names`)
    return { operation, place: 'path', field, kind }
  })
}

function findKind({ id }: Operation, field: string): ObjectReferenceKind {
  const kind = FIELD_KINDS[field.split('.').at(-1)!]
  if (!kind) throw new Error(`FIELD_KINDS does not tell what ${field} of ${id} names`)
  return kind
}

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  format?: string
}

/** Collects the fields of a schema that name objects: fields of FIELD_KINDS and fields with ids. */
function collectReferenceFields(schema: Schema | undefined, path = ''): string[] {
  if (!schema) return []
  const name = path.split('.').at(-1)!
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([inner, one]) =>
      collectReferenceFields(one, path ? `${path}.${inner}` : inner),
    )
  }
  const nestedSchemas = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]
  if (nestedSchemas.length > 0) return [...new Set(nestedSchemas.flatMap((one) => collectReferenceFields(one, path)))]
  const isId = schema.format === 'uuid' || /Ids?$/.test(name) || name in FIELD_KINDS
  return isId && !CALLER_CHOSEN_IDS.test(path) ? [path] : []
}
