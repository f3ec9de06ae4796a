import { analyzeText, formatTsvector } from '../platform/lib/search/terms.ts'
import Type from 'typebox'
import { violationsOf } from '../check/rules/violations.ts'
import { normalisePhone } from '../crm/phone.ts'
import { checkBody } from '../platform/http/validation.ts'
import { csvLines } from '../platform/lib/csv.ts'
import { MAX_JSON_VALUES, parseJson } from '../platform/lib/json.ts'
import { readLines, TextTooLarge } from '../platform/lib/read-text.ts'
import { readAnswers } from '../check/model/answers.ts'
import { Fields, parseFields } from '../panel/frame/fields.ts'
import type { Language } from '../panel/frame/i18n.ts'
import { changedSince } from '../panel/rule-sets/draft.ts'
import { keyOf } from '../panel/rule-sets/keys.ts'
import { ruleOf } from '../panel/rule-sets/rule-form.ts'
import { parseNames } from '../calls/list/question.ts'
import { readAnswer } from '../platform/storage/s3-answer.ts'
import { TEXT_FORMATS } from '../calls/transcripts/present.ts'
import { filled, type WorstInput } from './worst-inputs.ts'

/** Size limits of a JSON field, a form of the panel and a reply of the model. */
const FIELD = 1_000_000
const QUESTION = 500
const SEGMENT = 100_000
const PORTAL = 6_000_000
const S3 = 1_500_000
const LINE = 4_000_000

/** Generates the JSON of a given length that takes longest to parse. */
function* slowJson(length: number): Generator<string> {
  const half = Math.floor(MAX_JSON_VALUES / 2)
  const names = Array.from({ length: MAX_JSON_VALUES - 1 }, (_, n) => `"${n.toString(36)}"`)
  yield `{${names.map((name) => `${name}:1`).join(',')}}`
  yield `[${names.slice(0, half).map((name) => `{${name}:1}`).join(',')}]` // prettier-ignore
  yield `[${filled('{},', 3 * half)}0]`
  yield `[${filled('[],', 3 * half)}0]`
  yield `[${filled('{},', length - 3)}0]`
  yield `${'['.repeat(length / 2)}${']'.repeat(length / 2)}`
  yield filled('{"a":', length)
  yield `"${'a'.repeat(length - 2)}"`
  yield `"${'я'.repeat(length / 2)}"`
  yield `"${filled('\\u0041', length)}"`
  yield `"${'\\'.repeat(length - 2)}"`
  yield '9'.repeat(length)
  yield ' '.repeat(length)
}

const setOf = (phrases: object) => ({
  key: 'k',
  name: { en: 'n', ru: 'n' },
  mode: 'label',
  rules: [{ key: 'r', name: { en: 'n', ru: 'n' }, kind: 'said', ...phrases }],
})
/** A phrase at its limits: ten words of ten alternatives. */
const wide = (last: string): string => `${Array.from({ length: 9 }, () => 'а/б/в/г/д/е/ж/з/и/к').join(' ')} ${last}`
const inBoth = (text: string) => {
  const phrases = Array.from({ length: 200 }, () => text)
  return { ru: phrases, en: phrases }
}

const checkFormat = (format: string) => (text: string) => {
  try {
    checkBody(Type.Object({ a: Type.String({ format }) }), { a: text }, { ALLOW_PRIVATE_NETWORK_DOWNLOADS: false })
  } catch {
    // It is rejected, as expected.
  }
}
const FORMATS = ['email', 'uri', 'uuid', 'date-time', 'day-or-time', 'digits', 'line']
const format = (name: string): WorstInput => [
  `the format ${name}`,
  checkFormat(name),
  () => ['a', '1', '.', '@', '-', '%', ':', '/', '[', ' ', 'a@', 'a.', '%4', '1:', '://a'].flatMap((text) => [filled(text, FIELD), `a@${filled(text, FIELD)}`, `http://${filled(text, FIELD)} `]), // prettier-ignore
]

const parsed = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

async function readAll(text: string): Promise<void> {
  try {
    for await (const line of readLines(chunksOf(text), LINE)) parsed(line)
  } catch (error) {
    if (!(error instanceof TextTooLarge)) throw error
  }
}

const LANGUAGE = { code: 'en', words: { ruleSets: { change: {} } } } as Language

function subtitlesOf(text: string): string {
  const segments = [{ start: 0, end: 1, channel: 0, text, confidence: null }]
  return TEXT_FORMATS.srt.write({ segments } as never, 1)
}

const s3List = (content: string): string => `<?xml version="1.0"?><ListBucketResult>${content}</ListBucketResult>`
const s3Key = (key: string): string =>
  `<Contents><Key>${key}</Key><Size>1</Size><LastModified>x</LastModified></Contents>`

/** The search reads no more of a text. */
const TEXT = 250_000

/** Inputs from other servers, in rule sets and in the panel's forms. */
export const WORST_REPLIES: WorstInput[] = [
  [
    'the words of a text for the search',
    (text) => analyzeText(text).then(formatTsvector),
    () => [
      filled("а'", TEXT),
      filled('а-', TEXT),
      filled('1а', TEXT),
      filled('а-б ', TEXT),
      filled(`${'5 '.repeat(60)}x `, TEXT),
    ],
  ],
  ['JSON of a request or a model', parsed, () => [...slowJson(FIELD)]],
  ['JSON of the portal', parsed, () => [...slowJson(PORTAL)]],
  [
    'what a model replies',
    (text) => readAnswers(text, ['a']),
    () => [
      `\`\`\`${'\n'.repeat(50_000)}x`,
      `\`\`\`${'\n'.repeat(FIELD)}x`,
      `\`\`\`json${' '.repeat(FIELD)}`,
      filled('```\n', FIELD),
      '`'.repeat(FIELD),
      `{"answers":[${filled('{"id":"a","verdict":"met","segment":1,"quote":"x","why":"y"},', FIELD / 2)}0]}`,
      ...slowJson(FIELD),
    ],
  ],
  [
    'a list of S3',
    (text) => readAnswer(new Response(text)).catch(() => undefined),
    () => [
      s3List(Array.from({ length: 200 }, () => s3Key('&amp;'.repeat(1024))).join('')),
      s3List(filled(s3Key('a'), 1000 * s3Key('a').length)),
      s3List(filled(s3Key('a'), S3)),
      ...['<a/>', '<Key>', '<', '&', '&#65;', ' ', '<Contents>', '</Key>'].map((text) => s3List(filled(text, S3))),
      filled('<a>', S3),
      ' '.repeat(S3),
    ],
  ],
  [
    'lines of a recognizer',
    readAll,
    () => ['a'.repeat(2 * LINE), filled('1\n', LINE), `${'я'.repeat(LINE / 2 - 100)}\n`],
  ],
  [
    'a phone of the portal',
    (text) => normalisePhone(text, ['BY', 'RU']),
    () => ['1', ' ', '+', 'доб', '1 '].map((text) => filled(text, PORTAL)),
  ],
  ...FORMATS.map(format),
  [
    'a rule with phrases',
    (last) => violationsOf(setOf({ any: inBoth(wide(last)), except: inBoth(wide('м')) })),
    () => ['л', '"а"', '{имя}'],
  ],
  [
    'a phrase of a rule',
    (text) => violationsOf(setOf({ any: { ru: [text] } })),
    () => ['/', 'а/', '{', '"', '{а}', ' ', "а'", '№'].map((text) => filled(text, FIELD)),
  ],
  ['a question about names', parseNames, () => [' ', 'or ', ' or', '"', '-', '1 ', 'a '].map((text) => filled(text, QUESTION))], // prettier-ignore
  [
    'a form of the panel',
    (text) => {
      const fields = parseFields(text)
      for (let n = 0; n < 5000; n++) fields.raw(`name-${n}`)
    },
    () => [
      `a=${'%41'.repeat(FIELD / 3)}`,
      `a=${'+'.repeat(FIELD)}`,
      `a=${'%'.repeat(FIELD)}`,
      Array.from({ length: 5000 }, (_, n) => `name-${n}=${'x'.repeat(180)}`).join('&'),
    ],
  ],
  [
    'the form of a rule',
    (text) => ruleOf(Fields.of({ kind: 'said', 'name.en': 'a', 'any.ru': text, 'hint.en': text }), 'key', true),
    () => ['\n', '\r\n', '\r', ' ', 'а\n'].map((text) => filled(text, FIELD)),
  ],
  ['the name of a rule', (text) => keyOf(text, 'rule', 2), () => ['-', 'я', 'e\u0301', ' a'].map((text) => filled(text, FIELD))], // prettier-ignore
  ['the rules that a form has seen', (text) => changedSince(text, [], LANGUAGE), () => [' ', ':', 'a:b '].map((text) => filled(text, FIELD))], // prettier-ignore
  ['a cell of a table', (text) => csvLines([[text]]), () => ['"', '=', '\n', 'я'].map((text) => filled(text, FIELD))],
  ['a segment as a cue', subtitlesOf, () => [' ', '\n', ' \n', '\r'].map((text) => `a${filled(text, SEGMENT)}a`)],
]
