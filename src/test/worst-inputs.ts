import { parseEvent } from '../crm/bitrix24/event.ts'
import { isCommonPassword } from '../platform/lib/common-passwords.ts'
import { normalAddress } from '../platform/lib/client-address.ts'
import { isHost } from '../platform/lib/connections.ts'
import { decodeBytes, fileNameOf, nameInUtf8, parametersOf } from '../platform/lib/content-disposition.ts'
import { isId } from '../platform/lib/ids.ts'
import { cleanName } from '../platform/lib/names.ts'
import { linkViolation } from '../platform/outbound/net-guard.ts'
import { parseDayOrTime } from '../platform/lib/time.ts'
import { readDay } from '../panel/frame/dates.ts'
import { foldName } from '../panel/frame/managers.ts'
import { localPath } from '../panel/frame/origin.ts'
import { readUserAgent } from '../panel/account/user-agent.ts'
import { isPhone, readName } from '../panel/upload/names.ts'
import { shownName } from '../calls/recordings/audio-files.ts'
import { splitQuery } from '../platform/lib/search/query.ts'
import { digitsOf } from '../calls/list/selection.ts'
import { isPlainKey } from '../platform/storage/index.ts'

/** A function that parses outside text, and its slowest inputs, each at its size limit. */
export type WorstInput = [name: string, read: (text: string) => unknown, inputs: () => string[]]

/** Size limits of a part header, a URL parameter and a JSON field. */
const HEADER = 16_000
const ADDRESS = 8000
const FIELD = 1_000_000
/** Size limit of the body of a public operation. */
const PUBLIC = 64 * 1024

export const filled = (text: string, length: number): string => text.repeat(Math.floor(length / text.length))

const QUESTIONS = [`${'-'.repeat(ADDRESS)}a`, filled('- ', ADDRESS), filled('a-', ADDRESS), filled('"', ADDRESS)]

/** Inputs from callers and browsers. */
export const WORST_INPUTS: WorstInput[] = [
  [
    'the parameters of a header',
    parametersOf,
    () => [
      filled(';', HEADER),
      `;${' '.repeat(HEADER)}`,
      `;a${' '.repeat(HEADER)}`,
      `;${'a'.repeat(HEADER)}`,
      `;a="${'a'.repeat(HEADER)}`,
      `;a="${filled('\\"', HEADER)}`,
      `;a="${filled('\\', HEADER - 1)}`,
      filled(';a="\\"', HEADER),
      filled(';a= ', HEADER),
      filled('; a =', HEADER),
    ],
  ],
  [
    'the file name of a header',
    fileNameOf,
    () => [
      `;filename*=utf-8''${filled('%', HEADER)}`,
      `;filename*=utf-8''${filled('%d0%b0', HEADER)}`,
      `;filename*=${filled("a'", HEADER)}`,
      `;filename*=${filled('a-', HEADER)}`,
    ],
  ],
  [
    'the header of a part',
    nameInUtf8,
    () => [
      filled('content-disposition:', HEADER),
      filled('content-disposition:\r\n', HEADER),
      `content-disposition:${filled('\r\n ', HEADER)}`,
      `content-disposition:a${filled(';\r\n ', HEADER)}`,
      `content-disposition:a${filled(`;filename*=koi8-r''%c1`, HEADER)}`,
      `content-disposition:a;filename*=koi8-r''${filled('%c1', HEADER)}`,
    ],
  ],
  ['the bytes of a header', decodeBytes, () => [`${'\u00e9'.repeat(HEADER)}\u0100`, '\u00f0'.repeat(HEADER)]],
  [
    'a file name',
    shownName,
    () => [filled('/', HEADER), filled('.', HEADER), `x.${'e\u0301'.repeat(HEADER)}`, filled('👨‍👩‍', HEADER)],
  ],
  ['a name', cleanName, () => [`a${' '.repeat(HEADER)}a`, filled(' a', HEADER)]],
  [
    'a time',
    (text) => parseDayOrTime(text, 'UTC'),
    () => [
      ' '.repeat(ADDRESS),
      `2026-03-01T10:00:00.${'1'.repeat(ADDRESS)}`,
      filled(' 00:00', ADDRESS),
      filled('+00', ADDRESS),
    ],
  ],
  ['an id', isId, () => ['0'.repeat(FIELD), filled('00000000-', FIELD)]],
  [
    'a link',
    (text) => linkViolation(text, false),
    () => [
      `http://${'.'.repeat(2000)}`,
      `http://${filled('a.', 2000)}`,
      `http://${'['.repeat(2000)}`,
      'x'.repeat(FIELD),
    ],
  ],
  ['a key of the storage', isPlainKey, () => ['/'.repeat(FIELD), `${filled('a/', 1000)}..`, '\ud800'.repeat(1000)]],
  ['a question', splitQuery, () => QUESTIONS],
  ['a phone number', digitsOf, () => ['a'.repeat(HEADER), filled('1a', HEADER)]],
  [
    'a password',
    isCommonPassword,
    () => [
      'a'.repeat(1024),
      `${'a'.repeat(1023)}b`,
      filled('ab', 1024),
      `${filled('ab', 1022)}xyz`,
      '1'.repeat(1024),
      filled('aabb', 1024),
    ],
  ],
  ['a User-Agent', readUserAgent, () => [filled('Chrome', HEADER), filled('Mac OS ', HEADER), ' '.repeat(HEADER)]],
  [
    'an address',
    normalAddress,
    () => [filled('1.', HEADER), filled(':', HEADER), filled('0', HEADER), `::${filled('ffff:', HEADER)}`],
  ],
  [
    'a host',
    isHost,
    () => [
      '['.repeat(HEADER),
      `[${':'.repeat(HEADER)}`,
      `[${filled('a:', HEADER)}]${':'.repeat(HEADER)}`,
      `${'a'.repeat(HEADER)}/`,
      `${'a'.repeat(HEADER)}:${'1'.repeat(HEADER)}x`,
    ],
  ],
  [
    'an event of the CRM as a form',
    (text) => parseEvent(text, 'application/x-www-form-urlencoded'),
    () => [
      '&'.repeat(PUBLIC),
      filled('a&', PUBLIC),
      filled('event=&', PUBLIC),
      filled('%41', PUBLIC),
      '%'.repeat(PUBLIC),
      '+'.repeat(PUBLIC),
    ],
  ],
  [
    'an event of the CRM as JSON',
    (text) => parseEvent(text, 'application/json'),
    () => [
      '['.repeat(PUBLIC),
      `${'['.repeat(PUBLIC / 2)}${']'.repeat(PUBLIC / 2)}`,
      filled('{"data":', PUBLIC),
      '9'.repeat(PUBLIC),
      `"${filled('\\u0041', PUBLIC)}"`,
      ' '.repeat(PUBLIC),
    ],
  ],
  [
    'what an event of the CRM is said to be',
    (type) => parseEvent('{}', type),
    () => [filled('json', HEADER), filled('jso ', HEADER), filled('j s o n ', HEADER)],
  ],
  [
    'a day as people write it',
    readDay,
    () => [
      `1${' '.repeat(FIELD)}a`,
      `1 ${'я'.repeat(FIELD)}`,
      `21 ноя${'.'.repeat(FIELD)}`,
      `21 ноя.,${' '.repeat(FIELD)}2026x`,
      `21.11.2026${' '.repeat(FIELD)}x`,
      `21.11.2026${filled(' ,', FIELD)}14:30x`,
      `21 ноя 2026${filled(' г.', FIELD)}`,
      filled('21.11.2026 ', FIELD),
      '1'.repeat(FIELD),
    ],
  ],
  [
    'a name of a file with what it tells of its call',
    (text) => readName(text, ['Анна Ковалёва', 'Иван Сидоров']),
    () => [
      '/'.repeat(HEADER),
      filled('.a', HEADER),
      filled('20261101', HEADER),
      `20261101${' '.repeat(HEADER)}`,
      filled('20261101 ', HEADER),
      `01.11.2026${'-'.repeat(HEADER)}`,
      filled('01.11.2026-', HEADER),
      filled('+1', HEADER),
      `+1${' '.repeat(HEADER)}`,
      filled('+1(', HEADER),
      '1'.repeat(HEADER),
      '_'.repeat(HEADER),
      filled('Анна_', HEADER),
      `Анна_${"К'’-".repeat(HEADER / 4)}_`,
    ],
  ],
  ['a name that is compared', foldName, () => [' '.repeat(HEADER), filled(' a', HEADER), filled('ё\u00a0', HEADER)]],
  [
    'what may be a phone',
    isPhone,
    () => [
      '1'.repeat(HEADER),
      `${' '.repeat(HEADER)}a`,
      filled('1 ', HEADER),
      `1${' '.repeat(HEADER)}x`,
      `1${' '.repeat(HEADER)}доб${' '.repeat(HEADER)}a`,
      filled(' ext. ', HEADER),
    ],
  ],
  [
    'where a login leads',
    localPath,
    () => [`/${filled('../', FIELD)}`, `/${filled('/', FIELD)}`, `/${filled('%2e/', FIELD)}`],
  ],
]
