import { parsePortalEvent } from '../crm/bitrix24/event.ts'
import { isCommonPassword } from '../platform/lib/common-passwords.ts'
import { normalizeIpAddress } from '../platform/lib/client-address.ts'
import { isValidHostHeader } from '../platform/lib/connections.ts'
import {
  decodeHeaderParameter,
  parseDispositionFileName,
  convertPartFileNameToUtf8,
  parseHeaderParameters,
} from '../platform/lib/content-disposition.ts'
import { isUuid } from '../platform/lib/ids.ts'
import { normalizeWhitespace } from '../platform/lib/whitespace.ts'
import { findLinkViolation } from '../platform/outbound/net-guard.ts'
import { parseDayOrTime } from '../platform/lib/time.ts'
import { parseDay } from '../panel/frame/dates.ts'
import { foldManagerName } from '../panel/frame/manager-names.ts'
import { parseLocalPath } from '../panel/frame/origin.ts'
import { parseUserAgent } from '../panel/account/user-agent.ts'
import { isPhoneNumberLike, parseCallFileName } from '../panel/upload/file-name.ts'
import { sanitizeFileName } from '../calls/recordings/audio-files.ts'
import { splitSearchQuery } from '../platform/lib/search/query.ts'
import { extractDigits } from '../calls/list/selection.ts'
import { isPlainStorageKey } from '../platform/storage/storage.ts'

/** A parser of outside text with inputs that take it the longest, each at its size limit. */
export type WorstParserInput = [name: string, read: (text: string) => unknown, inputs: () => string[]]

/** Size limits of a part header, a URL parameter and a JSON field. */
const HEADER_CHARS = 16_000
const URL_CHARS = 8000
const FIELD_CHARS = 1_000_000
/** The size limit of the body of a public operation. */
const PUBLIC_BODY_CHARS = 64 * 1024

/** Repeats a text as often as it fits into a length. */
export const repeatTextToLength = (text: string, length: number): string =>
  text.repeat(Math.floor(length / text.length))

const WORST_QUERIES = [
  `${'-'.repeat(URL_CHARS)}a`,
  repeatTextToLength('- ', URL_CHARS),
  repeatTextToLength('a-', URL_CHARS),
  repeatTextToLength('"', URL_CHARS),
]

/** Parsers of texts from API clients and browsers, with their worst inputs. */
export const WORST_CLIENT_INPUTS: WorstParserInput[] = [
  [
    'the parameters of a header',
    parseHeaderParameters,
    () => [
      repeatTextToLength(';', HEADER_CHARS),
      `;${' '.repeat(HEADER_CHARS)}`,
      `;a${' '.repeat(HEADER_CHARS)}`,
      `;${'a'.repeat(HEADER_CHARS)}`,
      `;a="${'a'.repeat(HEADER_CHARS)}`,
      `;a="${repeatTextToLength('\\"', HEADER_CHARS)}`,
      `;a="${repeatTextToLength('\\', HEADER_CHARS - 1)}`,
      repeatTextToLength(';a="\\"', HEADER_CHARS),
      repeatTextToLength(';a= ', HEADER_CHARS),
      repeatTextToLength('; a =', HEADER_CHARS),
    ],
  ],
  [
    'the file name of a header',
    parseDispositionFileName,
    () => [
      `;filename*=utf-8''${repeatTextToLength('%', HEADER_CHARS)}`,
      `;filename*=utf-8''${repeatTextToLength('%d0%b0', HEADER_CHARS)}`,
      `;filename*=${repeatTextToLength("a'", HEADER_CHARS)}`,
      `;filename*=${repeatTextToLength('a-', HEADER_CHARS)}`,
    ],
  ],
  [
    'the header of a part',
    convertPartFileNameToUtf8,
    () => [
      repeatTextToLength('content-disposition:', HEADER_CHARS),
      repeatTextToLength('content-disposition:\r\n', HEADER_CHARS),
      `content-disposition:${repeatTextToLength('\r\n ', HEADER_CHARS)}`,
      `content-disposition:a${repeatTextToLength(';\r\n ', HEADER_CHARS)}`,
      `content-disposition:a${repeatTextToLength(`;filename*=koi8-r''%c1`, HEADER_CHARS)}`,
      `content-disposition:a;filename*=koi8-r''${repeatTextToLength('%c1', HEADER_CHARS)}`,
    ],
  ],
  [
    'the bytes of a header',
    decodeHeaderParameter,
    () => [`${'\u00e9'.repeat(HEADER_CHARS)}\u0100`, '\u00f0'.repeat(HEADER_CHARS)],
  ],
  [
    'a file name',
    sanitizeFileName,
    () => [
      repeatTextToLength('/', HEADER_CHARS),
      repeatTextToLength('.', HEADER_CHARS),
      `x.${'e\u0301'.repeat(HEADER_CHARS)}`,
      repeatTextToLength('👨‍👩‍', HEADER_CHARS),
    ],
  ],
  ['a name', normalizeWhitespace, () => [`a${' '.repeat(HEADER_CHARS)}a`, repeatTextToLength(' a', HEADER_CHARS)]],
  [
    'a time',
    (text) => parseDayOrTime(text, 'UTC'),
    () => [
      ' '.repeat(URL_CHARS),
      `2026-03-01T10:00:00.${'1'.repeat(URL_CHARS)}`,
      repeatTextToLength(' 00:00', URL_CHARS),
      repeatTextToLength('+00', URL_CHARS),
    ],
  ],
  ['an id', isUuid, () => ['0'.repeat(FIELD_CHARS), repeatTextToLength('00000000-', FIELD_CHARS)]],
  [
    'a link',
    (text) => findLinkViolation(text, false),
    () => [
      `http://${'.'.repeat(2000)}`,
      `http://${repeatTextToLength('a.', 2000)}`,
      `http://${'['.repeat(2000)}`,
      'x'.repeat(FIELD_CHARS),
    ],
  ],
  [
    'a storage key',
    isPlainStorageKey,
    () => ['/'.repeat(FIELD_CHARS), `${repeatTextToLength('a/', 1000)}..`, '\ud800'.repeat(1000)],
  ],
  ['a search query', splitSearchQuery, () => WORST_QUERIES],
  ['a phone number', extractDigits, () => ['a'.repeat(HEADER_CHARS), repeatTextToLength('1a', HEADER_CHARS)]],
  [
    'a password',
    isCommonPassword,
    () => [
      'a'.repeat(1024),
      `${'a'.repeat(1023)}b`,
      repeatTextToLength('ab', 1024),
      `${repeatTextToLength('ab', 1022)}xyz`,
      '1'.repeat(1024),
      repeatTextToLength('aabb', 1024),
    ],
  ],
  [
    'a User-Agent',
    parseUserAgent,
    () => [
      repeatTextToLength('Chrome', HEADER_CHARS),
      repeatTextToLength('Mac OS ', HEADER_CHARS),
      ' '.repeat(HEADER_CHARS),
    ],
  ],
  [
    'an address',
    normalizeIpAddress,
    () => [
      repeatTextToLength('1.', HEADER_CHARS),
      repeatTextToLength(':', HEADER_CHARS),
      repeatTextToLength('0', HEADER_CHARS),
      `::${repeatTextToLength('ffff:', HEADER_CHARS)}`,
    ],
  ],
  [
    'a host',
    isValidHostHeader,
    () => [
      '['.repeat(HEADER_CHARS),
      `[${':'.repeat(HEADER_CHARS)}`,
      `[${repeatTextToLength('a:', HEADER_CHARS)}]${':'.repeat(HEADER_CHARS)}`,
      `${'a'.repeat(HEADER_CHARS)}/`,
      `${'a'.repeat(HEADER_CHARS)}:${'1'.repeat(HEADER_CHARS)}x`,
    ],
  ],
  [
    'a CRM event as a form',
    (text) => parsePortalEvent(text, 'application/x-www-form-urlencoded'),
    () => [
      '&'.repeat(PUBLIC_BODY_CHARS),
      repeatTextToLength('a&', PUBLIC_BODY_CHARS),
      repeatTextToLength('event=&', PUBLIC_BODY_CHARS),
      repeatTextToLength('%41', PUBLIC_BODY_CHARS),
      '%'.repeat(PUBLIC_BODY_CHARS),
      '+'.repeat(PUBLIC_BODY_CHARS),
    ],
  ],
  [
    'a CRM event as JSON',
    (text) => parsePortalEvent(text, 'application/json'),
    () => [
      '['.repeat(PUBLIC_BODY_CHARS),
      `${'['.repeat(PUBLIC_BODY_CHARS / 2)}${']'.repeat(PUBLIC_BODY_CHARS / 2)}`,
      repeatTextToLength('{"data":', PUBLIC_BODY_CHARS),
      '9'.repeat(PUBLIC_BODY_CHARS),
      `"${repeatTextToLength('\\u0041', PUBLIC_BODY_CHARS)}"`,
      ' '.repeat(PUBLIC_BODY_CHARS),
    ],
  ],
  [
    'the type of a CRM event',
    (type) => parsePortalEvent('{}', type),
    () => [
      repeatTextToLength('json', HEADER_CHARS),
      repeatTextToLength('jso ', HEADER_CHARS),
      repeatTextToLength('j s o n ', HEADER_CHARS),
    ],
  ],
  [
    'a typed day',
    parseDay,
    () => [
      `1${' '.repeat(FIELD_CHARS)}a`,
      `1 ${'я'.repeat(FIELD_CHARS)}`,
      `21 ноя${'.'.repeat(FIELD_CHARS)}`,
      `21 ноя.,${' '.repeat(FIELD_CHARS)}2026x`,
      `21.11.2026${' '.repeat(FIELD_CHARS)}x`,
      `21.11.2026${repeatTextToLength(' ,', FIELD_CHARS)}14:30x`,
      `21 ноя 2026${repeatTextToLength(' г.', FIELD_CHARS)}`,
      repeatTextToLength('21.11.2026 ', FIELD_CHARS),
      '1'.repeat(FIELD_CHARS),
    ],
  ],
  [
    'a file name with call fields',
    (text) => parseCallFileName(text, ['Анна Ковалёва', 'Иван Сидоров']),
    () => [
      '/'.repeat(HEADER_CHARS),
      repeatTextToLength('.a', HEADER_CHARS),
      repeatTextToLength('20261101', HEADER_CHARS),
      `20261101${' '.repeat(HEADER_CHARS)}`,
      repeatTextToLength('20261101 ', HEADER_CHARS),
      `01.11.2026${'-'.repeat(HEADER_CHARS)}`,
      repeatTextToLength('01.11.2026-', HEADER_CHARS),
      repeatTextToLength('+1', HEADER_CHARS),
      `+1${' '.repeat(HEADER_CHARS)}`,
      repeatTextToLength('+1(', HEADER_CHARS),
      '1'.repeat(HEADER_CHARS),
      '_'.repeat(HEADER_CHARS),
      repeatTextToLength('Анна_', HEADER_CHARS),
      `Анна_${"К'’-".repeat(HEADER_CHARS / 4)}_`,
    ],
  ],
  [
    'a name for comparison',
    foldManagerName,
    () => [
      ' '.repeat(HEADER_CHARS),
      repeatTextToLength(' a', HEADER_CHARS),
      repeatTextToLength('ё\u00a0', HEADER_CHARS),
    ],
  ],
  [
    'a possible phone number',
    isPhoneNumberLike,
    () => [
      '1'.repeat(HEADER_CHARS),
      `${' '.repeat(HEADER_CHARS)}a`,
      repeatTextToLength('1 ', HEADER_CHARS),
      `1${' '.repeat(HEADER_CHARS)}x`,
      `1${' '.repeat(HEADER_CHARS)}доб${' '.repeat(HEADER_CHARS)}a`,
      repeatTextToLength(' ext. ', HEADER_CHARS),
    ],
  ],
  [
    'the redirect after a login',
    parseLocalPath,
    () => [
      `/${repeatTextToLength('../', FIELD_CHARS)}`,
      `/${repeatTextToLength('/', FIELD_CHARS)}`,
      `/${repeatTextToLength('%2e/', FIELD_CHARS)}`,
    ],
  ],
]
