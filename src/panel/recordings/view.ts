import type { ExcerptJson } from '../../recordings/list/excerpts-schema.ts'
import type { RecordingJson } from '../../recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { failureReason } from '../recording/view.ts'
import { bandOf } from './facets.ts'
import { addressOf, wholeName, withFilters, type FilterName, type ListState } from './filters.ts'

/** A piece of text, and whether it is what was searched for. */
interface Piece {
  text: string
  match: boolean
}

/** So much of the text stands before the first match: the column is narrow. */
const LEAD = 18

/** The excerpt in pieces; what is not marked lies between the matches. */
function piecesOf({ text, matches }: ExcerptJson): Piece[] {
  const pieces: Piece[] = []
  const first = matches[0]?.[0] ?? 0
  let at = first > LEAD + 6 ? text.indexOf(' ', first - LEAD) + 1 || first : 0
  if (at > first) at = first
  if (at > 0) pieces.push({ text: '…', match: false })
  for (const [start, end] of matches) {
    pieces.push({ text: text.slice(at, start), match: false }, { text: text.slice(start, end), match: true })
    at = end
  }
  return [...pieces, { text: text.slice(at), match: false }].filter(({ text }) => text !== '')
}

/** A row of the list. */
export function recordingRow(
  recording: RecordingJson,
  excerpt: ExcerptJson | undefined,
  q: string | undefined,
  language: Language,
) {
  const { words, format } = language
  const { id, phoneNumber, managerName, direction, durationSeconds, fileName, score } = recording
  const time = recording.callStartedAt ?? recording.createdAt
  const shownTime = format.shortTime(time)
  return {
    id,
    // What was searched for is marked in the call too, where its text holds it.
    href: q && excerpt?.more ? `/recordings/${id}?${new URLSearchParams({ q }).toString()}` : `/recordings/${id}`,
    iso: time,
    time: shownTime,
    select: words.recordings.select([shownTime, phoneNumber ?? fileName].filter(Boolean).join(', ')),
    direction: direction && { arrow: direction === 'INBOUND' ? '↙' : '↗', word: words.recordings.direction[direction] },
    phone: phoneNumber,
    file: phoneNumber === null ? fileName : null,
    manager: managerName,
    length: durationSeconds === null ? null : format.length(durationSeconds),
    score: score === null ? null : format.number(Math.round(score)),
    badge: badgeOf(recording, language),
    status: recording.status,
    ...textOf(recording, excerpt, language),
  }
}

/** The state in one word, with how far it is or which place it has. */
function badgeOf({ status, progress }: RecordingJson, { words, format }: Language) {
  const { recordings } = words
  if (status === 'PROCESSING' && progress.percent > 0) {
    return { kind: 'processing', text: words.common.percent(format.number(progress.percent)) }
  }
  const placed = status === 'QUEUED' && progress.position !== null
  return {
    kind: status.toLowerCase(),
    text: placed ? recordings.queuedAt(progress.position!) : recordings.status[status],
  }
}

/** What stands in the column of text: what was said, else what is going on. */
function textOf(recording: RecordingJson, excerpt: ExcerptJson | undefined, language: Language) {
  const { status, progress, attempts } = recording
  const { recordings } = language.words
  const note = (text: string) => ({ pieces: [], note: text })
  switch (status) {
    case 'DONE':
      if (!excerpt) return note('')
      return excerpt.text === ''
        ? note(recordings.noSpeech)
        : { pieces: piecesOf(excerpt), note: null, all: excerpt.text }
    case 'PROCESSING':
      return note(progress.etaSeconds === null ? recordings.transcribing : recordings.left(progress.etaSeconds))
    case 'QUEUED': {
      const again = attempts > 0 ? recordings.attempt(attempts + 1) : ''
      const estimate = progress.etaSeconds === null ? '' : recordings.doneIn(progress.etaSeconds)
      const eta = progress.paused ? recordings.paused : estimate
      return note([again, eta].filter(Boolean).join(', '))
    }
    case 'FAILED':
      return { ...note(failureReason(recording, language)), failed: true }
    default:
      return note('')
  }
}

/** A rule by its key, because nobody else knows its name here, and the verdict. */
function ruleOf(rule: string, verdicts: Record<string, string>): string {
  const [name = '', verdict = 'missed'] = rule.split(':')
  return `${name.split('/')[1]}, ${verdicts[verdict]}`
}

/** A filter that holds, as it stands above the list: what it is, and the list without it. */
interface Chip {
  text: string
  href: string
  /** Whether a wide page shows it among the facets already. */
  inFacets: boolean
}

/** The filters that hold, but for the search, which stands in its field. */
export function chipsOf(
  state: ListState,
  language: Language,
  shown: { departments: { id: string; name: string }[]; period: string | null; managers: string[] },
): Chip[] {
  const { words, format } = language
  const { filters } = state
  const { facets, filter } = words.recordings
  const chips: Chip[] = []
  const add = (label: string, text: string, names: FilterName[], inFacets = false) => {
    const without = Object.fromEntries(names.map((name) => [name, null]))
    chips.push({ text: label ? `${label}: ${text}` : text, href: addressOf(withFilters(state, without)), inFacets })
  }
  const facet = (name: FilterName, texts: Record<string, string>) => {
    const value = filters[name]
    if (value !== undefined) add(facets[name as keyof typeof facets] as string, texts[value] ?? value, [name], true)
  }
  facet('status', facets.statuses)
  facet('direction', facets.directions)
  facet('source', facets.sources)
  if (filters.manager) {
    const chosen = filters.manager.split('|').map(wholeName)
    add(
      filter.manager,
      chosen.join(', '),
      ['manager'],
      chosen.every((name) => shown.managers.includes(name)),
    )
  }
  facet('department', Object.fromEntries(shown.departments.map(({ id, name }) => [id, name])))
  const band = bandOf(filters)
  if (band) add(facets.score, facets.bands[band], ['scoreFrom', 'scoreBelow'], true)
  else facet('scoreBelow', {})
  facet('noSpeech', facets.speech)
  if (filters.scoreFrom && !band) add('', filter.scored(Number(filters.scoreFrom)), ['scoreFrom'])
  if (filters.rule) add(filter.rule, ruleOf(filters.rule, filter.verdicts), ['rule'])
  if (filters.linked) add('', filter.linked[filters.linked as 'true' | 'false'], ['linked'])
  if (filters.deal) add(filter.deal, filters.deal, ['deal'])
  if (filters.phone) add(filter.phone, filters.phone, ['phone'])
  if (filters.externalCallId) add(filter.callId, filters.externalCallId, ['externalCallId'])
  const { since, upTo, least, most } = filter
  const span = (from: string | undefined, to: string | undefined, [first, last]: ((what: string) => string)[]) =>
    from === to ? from! : [from && first!(from), to && last!(to)].filter(Boolean).join(' ')
  if (shown.period) add('', shown.period, ['dateFrom', 'dateTo'], true)
  else if (filters.dateFrom || filters.dateTo) {
    const day = (text: string | undefined) => text && [format.day(text.slice(0, 10)), text.slice(11)].join(' ').trim()
    add(words.recordings.columns.time, span(day(filters.dateFrom), day(filters.dateTo), [since, upTo]), [
      'dateFrom',
      'dateTo',
    ])
  }
  if (filters.createdFrom || filters.createdTo) {
    const day = (text: string | undefined) => text && format.day(text.slice(0, 10))
    const { createdFrom, createdTo } = filters
    add(filter.created, span(day(createdFrom), day(createdTo), [since, upTo]), ['createdFrom', 'createdTo'])
  }
  if (filters.lengthFrom || filters.lengthTo) {
    add(words.recordings.columns.length, span(filters.lengthFrom, filters.lengthTo, [least, most]), [
      'lengthFrom',
      'lengthTo',
    ])
  }
  return chips
}
