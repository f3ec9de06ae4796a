import type { Language } from '../frame/i18n.ts'
import { foldName, isKnown } from '../frame/managers.ts'

interface NamedCall {
  managerName?: string
  phoneNumber?: string
  direction?: 'INBOUND' | 'OUTBOUND'
  /** In the format of the API: 2026-11-01T14:30, in the time zone of the service. */
  callStartedAt?: string
}

/** A date with its time, the year first or last: 2026-11-01_14-30, 20261101143005, 01.11.2026 14.30. */
const TIMES = [
  /(?<!\d)(?<year>20\d\d)[-._]?(?<month>\d\d)[-._]?(?<day>\d\d)[-._ T]*(?<hour>\d\d)[-._:h]?(?<minute>\d\d)(?:[-._:m]?(?<second>\d\d))?(?!\d)/,
  /(?<!\d)(?<day>\d\d)[-._](?<month>\d\d)[-._](?<year>20\d\d)[-._ T]*(?<hour>\d\d)[-._:h](?<minute>\d\d)(?:[-._:m](?<second>\d\d))?(?!\d)/,
]

/** Without a plus, only a number that is too long for a counter or an extension. */
const PHONES = [/\+\d[\d() -]{5,18}\d/, /(?<!\d)[1-9]\d{10,13}(?!\d)/]

const DIRECTIONS: [RegExp, 'INBOUND' | 'OUTBOUND'][] = [
  [/^(?:in|inbound|incoming|вх|вход|входящий)$/i, 'INBOUND'],
  [/^(?:out|outbound|outgoing|исх|исход|исходящий)$/i, 'OUTBOUND'],
]

/** No file system has longer names. */
const LONGEST_NAME = 255

/** Words in file names that are not names of people. */
const NO_NAMES = /^(?:call|rec|record|recording|audio|voice|mono|stereo|запись|звонок|разговор|менеджер|клиент)$/i

/** Parses names such as 2026-11-01_14-30_+375291234567_Иван_Сидоров_in.wav, with managers spelled as they are known. */
export function readName(fileName: string, managers: string[]): NamedCall {
  const name = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  let rest = name.slice(0, LONGEST_NAME).replace(/\.[a-z0-9]{1,5}$/i, '')
  const time = TIMES.map((pattern) => pattern.exec(rest)).find((match) => match !== null && isTime(match.groups!))
  if (time) rest = rest.replace(time[0], ' ')
  const phone = PHONES.map((pattern) => pattern.exec(rest)).find((match) => match !== null)
  if (phone) rest = rest.replace(phone[0], ' ')
  const words = rest.split(/[_\s,;()[\]]+/).filter(Boolean)
  const direction = DIRECTIONS.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1]
  const managerName = managerIn(words, managers)
  return {
    ...(managerName && { managerName }),
    ...(phone && { phoneNumber: phone[0].replace(/[^+\d]/g, '') }),
    ...(direction && { direction }),
    ...(time && { callStartedAt: fieldOf(time.groups!) }),
  }
}

type Parts = Record<string, string | undefined>

const fieldOf = ({ year, month, day, hour, minute, second }: Parts): string =>
  `${year}-${month}-${day}T${hour}:${minute}${second ? `:${second}` : ''}`

/** Rejects dates such as February 30. */
function isTime(parts: Parts): boolean {
  const written = fieldOf(parts)
  const time = new Date(`${written}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(written)
}

/** A known manager, else two or three words with capitals. */
function managerIn(words: string[], managers: string[]): string | undefined {
  const said = ` ${foldName(words.join(' '))} `
  const known = managers.filter((name) => said.includes(` ${foldName(name)} `))
  if (known.length > 0) return known.sort((a, b) => b.length - a.length)[0]
  const names = words.map((word) => /^\p{Lu}[\p{L}'’-]+$/u.test(word) && !NO_NAMES.test(word) && !isDirection(word))
  const from = names.findIndex((isName, n) => isName && names[n + 1])
  if (from < 0) return undefined
  const after = names.findIndex((isName, n) => n > from && !isName)
  const found = words.slice(from, after < 0 ? undefined : after)
  return found.length <= 3 ? found.join(' ') : undefined
}

const isDirection = (word: string): boolean => DIRECTIONS.some(([pattern]) => pattern.test(word))

/** At least three digits, and otherwise only separators and an extension. */
export const isPhone = (text: string): boolean =>
  /^[+\d\s().,;/#*-]+(?:(?:x|ext\.?|доб\.?)\s*\d+)?$/i.test(text) && text.replace(/\D/g, '').length >= 3

/** Warnings about valid fields: an unknown manager, or a phone that is no number. */
export function doubtsOf(
  { managerName, phoneNumber }: Record<string, string>,
  managers: string[] | null,
  { words }: Language,
): string[] {
  const { doubts } = words.upload
  return [
    managerName && managers && !isKnown(managerName, managers) ? doubts.manager(managerName) : [],
    phoneNumber && !isPhone(phoneNumber) ? doubts.phone(phoneNumber) : [],
  ].flat()
}
