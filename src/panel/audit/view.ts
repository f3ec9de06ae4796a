import type { BilingualText } from '../../platform/lib/messages.ts'
import type { AuditEntryJson } from '../../platform/audit/schema.ts'
import { getDayAfter } from '../frame/dates.ts'
import type { Language } from '../frame/i18n.ts'

type FilterLink = (filter: Record<string, string>) => string

const OBJECT_PATHS: Record<string, string> = {
  recording: '/recordings/',
  person: '/people/',
  department: '/departments/',
  ruleSet: '/rule-sets/',
}

/** Builds a row of the audit log. @param hrefWithFilter returns the address of the log with an additional filter */
export function buildAuditEntryRow(entry: AuditEntryJson, language: Language, hrefWithFilter: FilterLink) {
  const { id, at, person, key, action, address, operations, operationCount } = entry
  const t = language.words.audit
  return {
    id,
    iso: at,
    time: language.format.shortTimeToSecond(at),
    who: person
      ? { text: person.name, title: person.email, href: hrefWithFilter({ person: person.id }) }
      : { text: key ? `${t.key} ${key.name}` : t.nobody, title: '', href: null },
    ...buildOperation(entry, language, hrefWithFilter),
    failed: action.startsWith('login.') || action === 'password.failed',
    address: address ?? '—',
    operations: operations.length > 1 ? operations.map((one) => buildOperation(one, language, hrefWithFilter)) : [],
    moreOperations: t.more(language.format.number(operationCount - 1)),
  }
}

function buildOperation(
  { action, object, details }: AuditEntryJson['operations'][number],
  language: Language,
  hrefWithFilter: FilterLink,
) {
  const t = language.words.audit
  const page = object && OBJECT_PATHS[object.type]
  return {
    action: (t.actions as Record<string, string>)[action] ?? action,
    object: object && {
      type: t.objects[object.type] ?? object.type,
      text: formatAuditObjectName(object, language) ?? object.id.slice(0, 8),
      href: page ? page + encodeURIComponent(object.id) : null,
      filter: hrefWithFilter({ object: object.id }),
    },
    details: details === null ? [] : buildAuditDetails(details as Record<string, unknown>, language),
  }
}

/** Formats the object of an entry: a call by phone number and time, other objects by name. Null without a name. */
export function formatAuditObjectName(
  { type, call, name }: NonNullable<AuditEntryJson['object']>,
  language: Language,
): string | null {
  const { words, format } = language
  if (type === 'queue' && name !== null) return words.queues.names[name] ?? name
  return call ? `${format.phone(call.phoneNumber) ?? name ?? '—'} · ${format.shortTime(call.startedAt)}` : name
}

interface Detail {
  name: string
  before?: string
  value: string
}

/** Parameters that every list has and that carry no information. */
const HIDDEN_PARAMETERS = new Set(['pageSize', 'order', 'sort'])

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** Lists the changed fields with their old and new values, then the parameters of the request. Hides paging parameters. */
export function buildAuditDetails(details: Record<string, unknown>, language: Language): Detail[] {
  const { before, after, ...others } = details as Record<string, Record<string, unknown> | undefined>
  // A string `before` is a text filter of the list of deals, not an old value.
  if (typeof before === 'string') return buildAuditDetails({ ...others, stageBefore: before }, language)
  const name = (field: string) => language.words.audit.fields[field] ?? field
  const formatValue = (field: string, value: unknown) => formatFieldValue(field, value, language)
  const [oldValues, newValues] = [flattenFields(before), flattenFields(translateRule(after, language))]
  const isChanged = (field: string) => JSON.stringify(oldValues.get(field)) !== JSON.stringify(newValues.get(field))
  // A verdict that a person kept is shown too.
  const changes = [...new Set([...oldValues.keys(), ...newValues.keys()])]
    .filter((field) => isChanged(field) || field === 'verdict')
    // Empty fields of a new or a deleted object are not shown.
    .filter((field) => (before && after) || !isEmpty(newValues.get(field) ?? oldValues.get(field)))
    .map((field) => ({
      name: name(field),
      ...(oldValues.has(field) && after && isChanged(field) && { before: formatValue(field, oldValues.get(field)) }),
      value: formatValue(field, newValues.has(field) ? newValues.get(field) : oldValues.get(field)),
    }))
  const parameters = sortEndsLast([...flattenFields(others)])
    .filter(([field, value]) => !HIDDEN_PARAMETERS.has(field) && !(field === 'page' && value === 1) && value !== null)
    // Only queues have this name in a query.
    .map(([field, value]) => [field === 'name' ? 'queue' : field, value] as const)
    .map(([field, value]) => ({ name: name(field), value: formatValue(field, value) }))
  return [...changes, ...parameters]
}

/** Replaces the key of a rule by its name. Entries of earlier releases have only the key. */
function translateRule(after: Record<string, unknown> | undefined, { code }: Language) {
  if (!after?.ruleName) return after
  const { ruleName, ...others } = after
  return { ...others, rule: (ruleName as BilingualText)[code] }
}

/** Puts parameters that end in `to` last, so that periods are shown in order. The database sorts shorter names first. */
const sortEndsLast = (fields: [string, unknown][]): [string, unknown][] =>
  fields.toSorted(([a], [b]) => Number(/to$/i.test(a)) - Number(/to$/i.test(b)))

/** Flattens nested objects by one level: `{ a: { b: 1 } }` becomes `a.b`. */
function flattenFields(values: Record<string, unknown> | undefined): Map<string, unknown> {
  return new Map(
    Object.entries(values ?? {}).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([inner, one]): [string, unknown] => [`${name}.${inner}`, one])
        : [[name, value] as [string, unknown]],
    ),
  )
}

/** Translations of API values, by field name. */
const KNOWN_VALUES: Record<string, (words: Language['words']) => Partial<Record<string, string>>> = {
  action: ({ audit }) => audit.actions,
  bulkAction: ({ recordings }) => recordings.whole.title,
  status: ({ recordings }) => recordings.status,
  period: ({ recordings }) => recordings.periods,
  role: ({ frame }) => frame.roles,
  source: ({ recordings }) => recordings.source,
  setFor: ({ audit }) => audit.setFor,
  mode: ({ audit }) => audit.modes,
  verdict: ({ recording }) => recording.check.verdicts,
  direction: ({ recordings }) => recordings.direction,
  decoder: ({ recordings }) => recordings.decoder,
  language: ({ people }) => people.languages,
  rights: ({ people }) => people.rightNames,
  kind: ({ audit }) => audit.kinds,
  by: ({ statistics, analytics, assignments }) => ({
    call: statistics.byCall,
    arrival: statistics.byArrival,
    ...analytics.dealList.bys,
    others: assignments.toHear,
    me: assignments.byMe,
  }),
  outcome: ({ analytics }) => analytics.dealList.outcomes,
  interval: ({ statistics }) => statistics.intervals,
  state: ({ queues, reconciliation }) => ({ ...reconciliation.calls.states, ...queues.states }),
  queue: ({ queues }) => queues.names,
  notificationKinds: ({ audit }) => audit.notificationKinds,
  emails: ({ notifications }) => notifications.settings.emails,
  reason: ({ reviews, reconciliation }) => ({ ...reconciliation.reasons, ...reviews.reasons }),
}

function formatFieldValue(field: string, value: unknown, language: Language): string {
  const { words, format } = language
  if (value === null || value === undefined || value === '') return '—'
  if (typeof value === 'boolean') return value ? words.common.yes : words.common.no
  if (typeof value === 'number') return format.number(value)
  if (Array.isArray(value)) {
    const texts = value.map((one: unknown) => formatFieldValue(field, one, language))
    return field === 'ids' ? format.number(texts.length) : texts.join(value.some(Array.isArray) ? '; ' : ', ') || '—'
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (field === 'password') return words.audit.changed
  if (/^\d{4}-\d\d-\d\d$/.test(text) && getDayAfter(text)) return format.day(text)
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return format.shortTime(text)
  const week = /^(\d{4})-W(\d\d)$/.exec(text)
  if (week) return words.audit.week(Number(week[2]), Number(week[1]))
  return KNOWN_VALUES[field]?.(words)[text] ?? text
}
