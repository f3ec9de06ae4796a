import type { Language } from '../frame/i18n.ts'
import { foldManagerName, isKnownManagerName } from '../frame/manager-names.ts'

interface FileNameFields {
  managerName?: string
  phoneNumber?: string
  direction?: 'INBOUND' | 'OUTBOUND'
  /** Local time in APP_TIMEZONE, such as 2026-11-01T14:30. */
  callStartedAt?: string
}

/** A date with a time, with the year first or last: 2026-11-01_14-30, 20261101143005 or 01.11.2026 14.30. */
const TIME_PATTERNS = [
  /(?<!\d)(?<year>20\d\d)[-._]?(?<month>\d\d)[-._]?(?<day>\d\d)[-._ T]*(?<hour>\d\d)[-._:h]?(?<minute>\d\d)(?:[-._:m]?(?<second>\d\d))?(?!\d)/,
  /(?<!\d)(?<day>\d\d)[-._](?<month>\d\d)[-._](?<year>20\d\d)[-._ T]*(?<hour>\d\d)[-._:h](?<minute>\d\d)(?:[-._:m](?<second>\d\d))?(?!\d)/,
]

/** Without a plus, only numbers of 11 to 14 digits count as phones, because shorter ones can be counters or extensions. */
const PHONE_PATTERNS = [/\+\d[\d() -]{5,18}\d/, /(?<!\d)[1-9]\d{10,13}(?!\d)/]

const DIRECTION_PATTERNS: [RegExp, 'INBOUND' | 'OUTBOUND'][] = [
  [/^(?:in|inbound|incoming|вх|вход|входящий)$/i, 'INBOUND'],
  [/^(?:out|outbound|outgoing|исх|исход|исходящий)$/i, 'OUTBOUND'],
]

/** Longer names are cut. Common file systems allow at most this length. */
const MAX_NAME_LENGTH = 255

/** Capitalized words in file names that are not names of people. */
const NOT_PERSON_NAMES =
  /^(?:call|rec|record|recording|audio|voice|mono|stereo|запись|звонок|разговор|менеджер|клиент)$/i

/**
 * Parses a file name such as 2026-11-01_14-30_+375291234567_Иван_Сидоров_in.wav into fields of a call. Unknown parts are omitted.
 * @param managers known names, which also define the spelling
 */
export function parseCallFileName(fileName: string, managers: string[]): FileNameFields {
  const name = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  let remaining = name.slice(0, MAX_NAME_LENGTH).replace(/\.[a-z0-9]{1,5}$/i, '')
  const time = TIME_PATTERNS.map((pattern) => pattern.exec(remaining)).find(
    (match) => match !== null && isValidTime(match.groups!),
  )
  if (time) remaining = remaining.replace(time[0], ' ')
  const phone = PHONE_PATTERNS.map((pattern) => pattern.exec(remaining)).find((match) => match !== null)
  if (phone) remaining = remaining.replace(phone[0], ' ')
  const words = remaining.split(/[_\s,;()[\]]+/).filter(Boolean)
  const direction = DIRECTION_PATTERNS.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1]
  const managerName = findManager(words, managers)
  return {
    ...(managerName && { managerName }),
    ...(phone && { phoneNumber: phone[0].replace(/[^+\d]/g, '') }),
    ...(direction && { direction }),
    ...(time && { callStartedAt: formatTimeField(time.groups!) }),
  }
}

type TimeParts = Record<string, string | undefined>

const formatTimeField = ({ year, month, day, hour, minute, second }: TimeParts): string =>
  `${year}-${month}-${day}T${hour}:${minute}${second ? `:${second}` : ''}`

/** Returns false for days and times that do not exist, such as February 30. */
function isValidTime(parts: TimeParts): boolean {
  const formatted = formatTimeField(parts)
  const time = new Date(`${formatted}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(formatted)
}

/** Returns the longest known manager name in the words, otherwise the first run of capitalized words if it has two or three. */
function findManager(words: string[], managers: string[]): string | undefined {
  const foldedText = ` ${foldManagerName(words.join(' '))} `
  const known = managers.filter((name) => foldedText.includes(` ${foldManagerName(name)} `))
  if (known.length > 0) return known.sort((a, b) => b.length - a.length)[0]
  const names = words.map(
    (word) => /^\p{Lu}[\p{L}'’-]+$/u.test(word) && !NOT_PERSON_NAMES.test(word) && !isDirection(word),
  )
  const from = names.findIndex((isName, n) => isName && names[n + 1])
  if (from < 0) return undefined
  const after = names.findIndex((isName, n) => n > from && !isName)
  const found = words.slice(from, after < 0 ? undefined : after)
  return found.length <= 3 ? found.join(' ') : undefined
}

const isDirection = (word: string): boolean => DIRECTION_PATTERNS.some(([pattern]) => pattern.test(word))

/** Returns true for a text of at least three digits, which can have separators and an extension. */
export const isPhoneNumberLike = (text: string): boolean =>
  /^[+\d\s().,;/#*-]+(?:(?:x|ext\.?|доб\.?)\s*\d+)?$/i.test(text) && text.replace(/\D/g, '').length >= 3

/** Warns about an unknown manager name or a phone number that looks wrong, although the API accepts both. */
export function collectCallFieldWarnings(
  { managerName, phoneNumber }: Record<string, string>,
  managers: string[] | null,
  { words }: Language,
): string[] {
  const { doubts: warningWords } = words.upload
  return [
    managerName && managers && !isKnownManagerName(managerName, managers) ? warningWords.manager(managerName) : [],
    phoneNumber && !isPhoneNumberLike(phoneNumber) ? warningWords.phone(phoneNumber) : [],
  ].flat()
}
