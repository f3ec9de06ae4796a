import { parseEvent } from '../crm/bitrix24/event.ts'
import { isCommonPassword } from '../platform/lib/common-passwords.ts'
import { normalizeAddress } from '../platform/lib/client-address.ts'
import { isValidHost } from '../platform/lib/connections.ts'
import {
  decodeParameter,
  parseFileName,
  convertFileNameToUtf8,
  parseHeaderParameters,
} from '../platform/lib/content-disposition.ts'
import { isUuid } from '../platform/lib/ids.ts'
import { normalizeWhitespace } from '../platform/lib/whitespace.ts'
import { findLinkViolation } from '../platform/outbound/net-guard.ts'
import { parseDayOrTime } from '../platform/lib/time.ts'
import { parseDay } from '../panel/frame/dates.ts'
import { foldName } from '../panel/frame/manager-names.ts'
import { parseLocalPath } from '../panel/frame/origin.ts'
import { parseUserAgent } from '../panel/account/user-agent.ts'
import { isPhoneLike, parseFileName as parseCallFileName } from '../panel/upload/file-name.ts'
import { sanitizeFileName } from '../calls/recordings/audio-files.ts'
import { splitQuery } from '../platform/lib/search/query.ts'
import { digitsOf } from '../calls/list/selection.ts'
import { isPlainKey } from '../platform/storage/storage.ts'

/** A parser of outside text with inputs that take it the longest, each at its size limit. */
export type WorstInput = [name: string, read: (text: string) => unknown, inputs: () => string[]]

/** Size limits of a part header, a URL parameter and a JSON field. */
const HEADER_CHARS = 16_000
const URL_CHARS = 8000
const FIELD_CHARS = 1_000_000
/** The size limit of the body of a public operation. */
const PUBLIC_BODY_CHARS = 64 * 1024

/** Repeats a text as often as it fits into a length. */
export const repeatToLength = (text: string, length: number): string => text.repeat(Math.floor(length / text.length))

const WORST_QUERIES = [
  `${'-'.repeat(URL_CHARS)}a`,
  repeatToLength('- ', URL_CHARS),
  repeatToLength('a-', URL_CHARS),
  repeatToLength('"', URL_CHARS),
]

/** Parsers of texts from API clients and browsers, with their worst inputs. */
export const WORST_INPUTS: WorstInput[] = [
  [
    'the parameters of a header',
    parseHeaderParameters,
    () => [
      repeatToLength(';', HEADER_CHARS),
      `;${' '.repeat(HEADER_CHARS)}`,
      `;a${' '.repeat(HEADER_CHARS)}`,
      `;${'a'.repeat(HEADER_CHARS)}`,
      `;a="${'a'.repeat(HEADER_CHARS)}`,
      `;a="${repeatToLength('\\"', HEADER_CHARS)}`,
      `;a="${repeatToLength('\\', HEADER_CHARS - 1)}`,
      repeatToLength(';a="\\"', HEADER_CHARS),
      repeatToLength(';a= ', HEADER_CHARS),
      repeatToLength('; a =', HEADER_CHARS),
    ],
  ],
  [
    'the file name of a header',
    parseFileName,
    () => [
      `;filename*=utf-8''${repeatToLength('%', HEADER_CHARS)}`,
      `;filename*=utf-8''${repeatToLength('%d0%b0', HEADER_CHARS)}`,
      `;filename*=${repeatToLength("a'", HEADER_CHARS)}`,
      `;filename*=${repeatToLength('a-', HEADER_CHARS)}`,
    ],
  ],
  [
    'the header of a part',
    convertFileNameToUtf8,
    () => [
      repeatToLength('content-disposition:', HEADER_CHARS),
      repeatToLength('content-disposition:\r\n', HEADER_CHARS),
      `content-disposition:${repeatToLength('\r\n ', HEADER_CHARS)}`,
      `content-disposition:a${repeatToLength(';\r\n ', HEADER_CHARS)}`,
      `content-disposition:a${repeatToLength(`;filename*=koi8-r''%c1`, HEADER_CHARS)}`,
      `content-disposition:a;filename*=koi8-r''${repeatToLength('%c1', HEADER_CHARS)}`,
    ],
  ],
  [
    'the bytes of a header',
    decodeParameter,
    () => [`${'\u00e9'.repeat(HEADER_CHARS)}\u0100`, '\u00f0'.repeat(HEADER_CHARS)],
  ],
  [
    'a file name',
    sanitizeFileName,
    () => [
      repeatToLength('/', HEADER_CHARS),
      repeatToLength('.', HEADER_CHARS),
      `x.${'e\u0301'.repeat(HEADER_CHARS)}`,
      repeatToLength('👨‍👩‍', HEADER_CHARS),
    ],
  ],
  ['a name', normalizeWhitespace, () => [`a${' '.repeat(HEADER_CHARS)}a`, repeatToLength(' a', HEADER_CHARS)]],
  [
    'a time',
    (text) => parseDayOrTime(text, 'UTC'),
    () => [
      ' '.repeat(URL_CHARS),
      `2026-03-01T10:00:00.${'1'.repeat(URL_CHARS)}`,
      repeatToLength(' 00:00', URL_CHARS),
      repeatToLength('+00', URL_CHARS),
    ],
  ],
  ['an id', isUuid, () => ['0'.repeat(FIELD_CHARS), repeatToLength('00000000-', FIELD_CHARS)]],
  [
    'a link',
    (text) => findLinkViolation(text, false),
    () => [
      `http://${'.'.repeat(2000)}`,
      `http://${repeatToLength('a.', 2000)}`,
      `http://${'['.repeat(2000)}`,
      'x'.repeat(FIELD_CHARS),
    ],
  ],
  [
    'a key of the storage',
    isPlainKey,
    () => ['/'.repeat(FIELD_CHARS), `${repeatToLength('a/', 1000)}..`, '\ud800'.repeat(1000)],
  ],
  ['a question', splitQuery, () => WORST_QUERIES],
  ['a phone number', digitsOf, () => ['a'.repeat(HEADER_CHARS), repeatToLength('1a', HEADER_CHARS)]],
  [
    'a password',
    isCommonPassword,
    () => [
      'a'.repeat(1024),
      `${'a'.repeat(1023)}b`,
      repeatToLength('ab', 1024),
      `${repeatToLength('ab', 1022)}xyz`,
      '1'.repeat(1024),
      repeatToLength('aabb', 1024),
    ],
  ],
  [
    'a User-Agent',
    parseUserAgent,
    () => [repeatToLength('Chrome', HEADER_CHARS), repeatToLength('Mac OS ', HEADER_CHARS), ' '.repeat(HEADER_CHARS)],
  ],
  [
    'an address',
    normalizeAddress,
    () => [
      repeatToLength('1.', HEADER_CHARS),
      repeatToLength(':', HEADER_CHARS),
      repeatToLength('0', HEADER_CHARS),
      `::${repeatToLength('ffff:', HEADER_CHARS)}`,
    ],
  ],
  [
    'a host',
    isValidHost,
    () => [
      '['.repeat(HEADER_CHARS),
      `[${':'.repeat(HEADER_CHARS)}`,
      `[${repeatToLength('a:', HEADER_CHARS)}]${':'.repeat(HEADER_CHARS)}`,
      `${'a'.repeat(HEADER_CHARS)}/`,
      `${'a'.repeat(HEADER_CHARS)}:${'1'.repeat(HEADER_CHARS)}x`,
    ],
  ],
  [
    'an event of the CRM as a form',
    (text) => parseEvent(text, 'application/x-www-form-urlencoded'),
    () => [
      '&'.repeat(PUBLIC_BODY_CHARS),
      repeatToLength('a&', PUBLIC_BODY_CHARS),
      repeatToLength('event=&', PUBLIC_BODY_CHARS),
      repeatToLength('%41', PUBLIC_BODY_CHARS),
      '%'.repeat(PUBLIC_BODY_CHARS),
      '+'.repeat(PUBLIC_BODY_CHARS),
    ],
  ],
  [
    'an event of the CRM as JSON',
    (text) => parseEvent(text, 'application/json'),
    () => [
      '['.repeat(PUBLIC_BODY_CHARS),
      `${'['.repeat(PUBLIC_BODY_CHARS / 2)}${']'.repeat(PUBLIC_BODY_CHARS / 2)}`,
      repeatToLength('{"data":', PUBLIC_BODY_CHARS),
      '9'.repeat(PUBLIC_BODY_CHARS),
      `"${repeatToLength('\\u0041', PUBLIC_BODY_CHARS)}"`,
      ' '.repeat(PUBLIC_BODY_CHARS),
    ],
  ],
  [
    'what an event of the CRM is said to be',
    (type) => parseEvent('{}', type),
    () => [
      repeatToLength('json', HEADER_CHARS),
      repeatToLength('jso ', HEADER_CHARS),
      repeatToLength('j s o n ', HEADER_CHARS),
    ],
  ],
  [
    'a day as people write it',
    parseDay,
    () => [
      `1${' '.repeat(FIELD_CHARS)}a`,
      `1 ${'я'.repeat(FIELD_CHARS)}`,
      `21 ноя${'.'.repeat(FIELD_CHARS)}`,
      `21 ноя.,${' '.repeat(FIELD_CHARS)}2026x`,
      `21.11.2026${' '.repeat(FIELD_CHARS)}x`,
      `21.11.2026${repeatToLength(' ,', FIELD_CHARS)}14:30x`,
      `21 ноя 2026${repeatToLength(' г.', FIELD_CHARS)}`,
      repeatToLength('21.11.2026 ', FIELD_CHARS),
      '1'.repeat(FIELD_CHARS),
    ],
  ],
  [
    'a name of a file with what it tells of its call',
    (text) => parseCallFileName(text, ['Анна Ковалёва', 'Иван Сидоров']),
    () => [
      '/'.repeat(HEADER_CHARS),
      repeatToLength('.a', HEADER_CHARS),
      repeatToLength('20261101', HEADER_CHARS),
      `20261101${' '.repeat(HEADER_CHARS)}`,
      repeatToLength('20261101 ', HEADER_CHARS),
      `01.11.2026${'-'.repeat(HEADER_CHARS)}`,
      repeatToLength('01.11.2026-', HEADER_CHARS),
      repeatToLength('+1', HEADER_CHARS),
      `+1${' '.repeat(HEADER_CHARS)}`,
      repeatToLength('+1(', HEADER_CHARS),
      '1'.repeat(HEADER_CHARS),
      '_'.repeat(HEADER_CHARS),
      repeatToLength('Анна_', HEADER_CHARS),
      `Анна_${"К'’-".repeat(HEADER_CHARS / 4)}_`,
    ],
  ],
  [
    'a name that is compared',
    foldName,
    () => [' '.repeat(HEADER_CHARS), repeatToLength(' a', HEADER_CHARS), repeatToLength('ё\u00a0', HEADER_CHARS)],
  ],
  [
    'what may be a phone',
    isPhoneLike,
    () => [
      '1'.repeat(HEADER_CHARS),
      `${' '.repeat(HEADER_CHARS)}a`,
      repeatToLength('1 ', HEADER_CHARS),
      `1${' '.repeat(HEADER_CHARS)}x`,
      `1${' '.repeat(HEADER_CHARS)}доб${' '.repeat(HEADER_CHARS)}a`,
      repeatToLength(' ext. ', HEADER_CHARS),
    ],
  ],
  [
    'where a login leads',
    parseLocalPath,
    () => [
      `/${repeatToLength('../', FIELD_CHARS)}`,
      `/${repeatToLength('/', FIELD_CHARS)}`,
      `/${repeatToLength('%2e/', FIELD_CHARS)}`,
    ],
  ],
]
