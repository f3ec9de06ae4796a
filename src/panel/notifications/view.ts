import type { NotificationGroupJson } from '../../work/notifications/schema.ts'
import { parseWeekBounds } from '../analytics/weeks.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { translateDefaultReason } from '../reviews/default-reason.ts'

type NotificationJson = NotificationGroupJson['items'][number]

/** A call shows this many notifications; the page of the call has the others. */
const MAX_SHOWN = 3
const MAX_QUOTE_CHARACTERS = 200

/** Builds the notifications about one call, or one notification about no call. */
export function buildNotificationGroup({ recording, total, unread, items }: NotificationGroupJson, language: Language) {
  const { words, format } = language
  const hidden = total - MAX_SHOWN
  return {
    id: recording?.id ?? items[0]!.id,
    call: recording && {
      href: `/recordings/${recording.id}`,
      text: format.phone(recording.phoneNumber) ?? words.notifications.call,
      manager: recording.managerName,
      iso: recording.callAt,
      time: format.shortTime(recording.callAt),
      exact: format.exactTime(recording.callAt),
    },
    isUnread: unread > 0,
    read: recording ? { name: 'recording', value: recording.id } : { name: 'id', value: items[0]!.id },
    more: hidden > 0 ? words.notifications.more(hidden, format.number(hidden)) : null,
    items: items.slice(0, MAX_SHOWN).map((item) => buildLine(item, recording?.id, language)),
  }
}

function buildLine(item: NotificationJson, recordingId: string | undefined, language: Language) {
  const { format } = language
  const { id, actor, text, createdAt, isRead } = item
  return {
    isUnread: !isRead,
    actor: actor?.name ?? null,
    text: formatLine(item, language),
    quote: shorten(translateDefaultReason(text, language)),
    href: formatOpenHref(id, item, recordingId),
    time: { iso: createdAt, text: format.shortTime(createdAt), exact: format.exactTime(createdAt) },
  }
}

function formatLine(
  { kind, at, rule, verdict, week, view }: NotificationJson,
  { words, format, code }: Language,
): string {
  const t = words.notifications.lines
  const moment = format.length(at ?? 0)
  const ruleName = rule?.name[code] ?? ''
  switch (kind) {
    case 'dispute':
      return t.dispute(ruleName)
    case 'decision':
      return t.decision(ruleName, words.recording.check.verdicts[verdict!]!)
    case 'assignment':
      return at === null ? t.assignment : t.assignmentFrom(moment)
    case 'criticalMiss':
      return t.criticalMiss(ruleName)
    case 'view':
      return t.view(view!.name)
    case 'weeklyReport':
      return t.weeklyReport(format.days(...parseWeekBounds(week!)))
    default:
      return t[kind](moment)
  }
}

const shorten = (text: string | null): string | null =>
  text !== null && text.length > MAX_QUOTE_CHARACTERS
    ? `${text.slice(0, MAX_QUOTE_CHARACTERS).trimEnd()}…`
    : (text?.trim() ?? null)

/** Formats the address that marks a notification as read and leads to its place: a comment, a moment, a rule or a week. */
function formatOpenHref(id: string, item: NotificationJson, recordingId = ''): string {
  const { kind, commentId, rule, week, at } = item
  return formatPathWithQuery(`/notifications/${id}/open`, {
    recording: recordingId,
    comment: commentId ?? '',
    rule: rule?.key ?? '',
    decide: kind === 'dispute' ? 'true' : '',
    from: kind === 'assignment' && at !== null ? String(at) : '',
    week: week ?? '',
  })
}
