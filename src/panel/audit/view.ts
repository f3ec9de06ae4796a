import type { EntryJson } from '../../platform/audit/schema.ts'
import { dayAfter } from '../frame/dates.ts'
import type { Language } from '../frame/i18n.ts'

/** An entry as the panel's row shows it; `filtered` makes the address of the log narrowed to something. */
export function entryRow(entry: EntryJson, language: Language, filtered: (to: Record<string, string>) => string) {
  const { id, at, action, details, address } = entry
  const { words, format } = language
  return {
    id,
    iso: at,
    time: format.shortTimeToSecond(at),
    who: whoOf(entry, language, filtered),
    action: (words.audit.actions as Record<string, string>)[action] ?? action,
    failed: action.startsWith('login.') || action === 'password.failed',
    object: objectOf(entry, language, filtered),
    details: details === null ? [] : detailsOf(details as Record<string, unknown>, language),
    address: address ?? '—',
  }
}

type Filtered = (to: Record<string, string>) => string

function whoOf({ person, key }: EntryJson, { words }: Language, filtered: Filtered) {
  const t = words.audit
  if (person) return { text: person.name, title: person.email, href: filtered({ person: person.id }) }
  return { text: key ? `${t.key} ${key.name}` : t.nobody, title: '', href: null }
}

/** The page of what an entry is about. */
const PAGES: Record<string, string> = {
  recording: '/recordings/',
  person: '/people/',
  department: '/departments/',
  ruleSet: '/rule-sets/',
}

function objectOf({ object }: EntryJson, language: Language, filtered: Filtered) {
  const { words } = language
  if (object === null) return null
  const page = PAGES[object.type]
  return {
    type: words.audit.objects[object.type] ?? object.type,
    text: nameOf(object, language) ?? object.id.slice(0, 8),
    href: page ? page + encodeURIComponent(object.id) : null,
    filter: filtered({ object: object.id }),
  }
}

/** A call is known by its phone and its time; one that was deleted by the name that was noted. */
export function nameOf({ type, call, name }: NonNullable<EntryJson['object']>, language: Language): string | null {
  const { words, format } = language
  if (type === 'queue' && name !== null) return words.queues.names[name] ?? name
  return call ? `${format.phone(call.phoneNumber) ?? name ?? '—'} · ${format.shortTime(call.startedAt)}` : name
}

/** A detail: what it is of, and its value, or what it was before and after. */
export interface Detail {
  name: string
  before?: string
  value: string
}

/** What says nothing: the parameters that every list has. */
const SILENT = new Set(['pageSize', 'order'])

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** The details of an entry, one after the other. */
export function detailsOf(details: Record<string, unknown>, language: Language): Detail[] {
  const { before, after, ...others } = details as Record<string, Record<string, unknown> | undefined>
  // The list of deals has a filter of that name, which is text.
  if (typeof before === 'string') return detailsOf({ ...others, stageBefore: before }, language)
  const [was, is] = [flat(before), flat(after)]
  const names = [...new Set([...was.keys(), ...is.keys()])]
  const name = (field: string) => language.words.audit.fields[field] ?? field
  const shown = (field: string, value: unknown) => valueText(field, value, language)
  const changes = names
    .filter((field) => JSON.stringify(was.get(field)) !== JSON.stringify(is.get(field)))
    // Of what is new or gone, what it has not says nothing.
    .filter((field) => (before && after) || !isEmpty(is.get(field) ?? was.get(field)))
    .map((field) => ({
      name: name(field),
      ...(was.has(field) && after && { before: shown(field, was.get(field)) }),
      value: shown(field, is.has(field) ? is.get(field) : was.get(field)),
    }))
  // What was asked of a queue tells it by its name, as the address does.
  const asked = endsLast([...flat(others)])
    .map(([field, value]) => [field === 'name' ? 'queue' : field, value] as const)
    .filter(([field, value]) => !SILENT.has(field) && !(field === 'page' && value === 1) && value !== null)
    .map(([field, value]) => ({ name: name(field), value: shown(field, value) }))
  return [...changes, ...asked]
}

/** A period is read from its beginning to its end; the database keeps the shorter name first. */
const endsLast = (fields: [string, unknown][]): [string, unknown][] =>
  fields.toSorted(([a], [b]) => Number(/to$/i.test(a)) - Number(/to$/i.test(b)))

/** Fields and their values; those of an inner object under its name and theirs. */
function flat(values: Record<string, unknown> | undefined): Map<string, unknown> {
  return new Map(
    Object.entries(values ?? {}).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([inner, one]): [string, unknown] => [`${name}.${inner}`, one])
        : [[name, value] as [string, unknown]],
    ),
  )
}

/** What values are called, by their field; details tell them by the names that the API has for them. */
const KNOWN_VALUES: Record<string, (words: Language['words']) => Record<string, string>> = {
  status: ({ recordings }) => recordings.status,
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
  by: ({ statistics, analytics }) => ({
    call: statistics.byCall,
    arrival: statistics.byArrival,
    ...analytics.dealList.bys,
  }),
  outcome: ({ analytics }) => analytics.dealList.outcomes,
  interval: ({ statistics }) => statistics.intervals,
  state: ({ queues, reconciliation }) => ({ ...reconciliation.calls.states, ...queues.states }),
  queue: ({ queues }) => queues.names,
  reason: ({ reviews, reconciliation }) => ({ ...reconciliation.reasons, ...reviews.reasons }),
}

function valueText(field: string, value: unknown, { words, format }: Language): string {
  if (value === null || value === undefined || value === '') return '—'
  if (typeof value === 'boolean') return value ? words.common.yes : words.common.no
  if (typeof value === 'number') return format.number(value)
  if (Array.isArray(value)) return arrayText(field, value, { words, format } as Language)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (field === 'password') return words.audit.changed
  if (/^\d{4}-\d\d-\d\d$/.test(text) && dayAfter(text)) return format.day(text)
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return format.shortTime(text)
  const week = /^(\d{4})-W(\d\d)$/.exec(text)
  if (week) return words.audit.week(Number(week[2]), Number(week[1]))
  const known = KNOWN_VALUES[field]?.(words)
  return known?.[text as never] ?? text
}

function arrayText(field: string, values: unknown[], language: Language): string {
  if (field === 'ids') return language.format.number(values.length)
  const words = language.words.audit.actions as Record<string, string>
  return (
    values
      .map((value) => (field === 'action' && words[String(value)]) || valueText(field, value, language))
      .join(', ') || '—'
  )
}
