import { analyzeSearchText, formatTsvector } from '../platform/lib/search/terms.ts'
import Type from 'typebox'
import { collectRuleSetViolations } from '../check/rules/violations.ts'
import { normalisePhoneNumber } from '../crm/phone.ts'
import { validateBody } from '../platform/http/validation.ts'
import { formatCsvLines } from '../platform/lib/csv.ts'
import { MAX_JSON_VALUES, parseJson } from '../platform/lib/json.ts'
import { readLines, TextTooLargeError } from '../platform/lib/read-text.ts'
import { parseModelAnswers } from '../check/model/answers.ts'
import { FormValues, parseUrlEncodedForm } from '../panel/frame/fields.ts'
import type { Language } from '../panel/frame/i18n.ts'
import { describeRuleChangesSince } from '../panel/rule-sets/draft.ts'
import { formatNameAsKey } from '../panel/rule-sets/keys.ts'
import { parseRuleForm } from '../panel/rule-sets/rule-form.ts'
import { parseCallFieldSearch } from '../calls/list/search-query.ts'
import { parseS3Response } from '../platform/storage/s3-response.ts'
import { TRANSCRIPT_TEXT_FORMATS } from '../calls/transcripts/present.ts'
import { repeatTextToLength, type WorstParserInput } from './worst-inputs.ts'

/** The product accepts inputs up to these sizes. */
const FIELD_CHARS = 1_000_000
const QUERY_CHARS = 500
const SEGMENT_CHARS = 100_000
const PORTAL_CHARS = 6_000_000
const S3_CHARS = 1_500_000
const LINE_BYTES = 4_000_000

/**
 * Generates JSON texts within the limits that take longest to parse.
 * @param length number of characters
 */
function* generateSlowJson(length: number): Generator<string> {
  const half = Math.floor(MAX_JSON_VALUES / 2)
  const names = Array.from({ length: MAX_JSON_VALUES - 1 }, (_, n) => `"${n.toString(36)}"`)
  yield `{${names.map((name) => `${name}:1`).join(',')}}`
  yield `[${names.slice(0, half).map((name) => `{${name}:1}`).join(',')}]` // prettier-ignore
  yield `[${repeatTextToLength('{},', 3 * half)}0]`
  yield `[${repeatTextToLength('[],', 3 * half)}0]`
  yield `[${repeatTextToLength('{},', length - 3)}0]`
  yield `${'['.repeat(length / 2)}${']'.repeat(length / 2)}`
  yield repeatTextToLength('{"a":', length)
  yield `"${'a'.repeat(length - 2)}"`
  yield `"${'я'.repeat(length / 2)}"`
  yield `"${repeatTextToLength('\\u0041', length)}"`
  yield `"${'\\'.repeat(length - 2)}"`
  yield '9'.repeat(length)
  yield ' '.repeat(length)
}

const makeLabelSet = (phrases: object) => ({
  key: 'k',
  name: { en: 'n', ru: 'n' },
  mode: 'label',
  rules: [{ key: 'r', name: { en: 'n', ru: 'n' }, kind: 'said', ...phrases }],
})
/** Creates a phrase at its limits: ten words with ten alternatives each. */
const makeWidePhrase = (last: string): string =>
  `${Array.from({ length: 9 }, () => 'а/б/в/г/д/е/ж/з/и/к').join(' ')} ${last}`
const makeBilingualPhrases = (text: string) => {
  const phrases = Array.from({ length: 200 }, () => text)
  return { ru: phrases, en: phrases }
}

const checkFormat = (format: string) => (text: string) => {
  try {
    validateBody(Type.Object({ a: Type.String({ format }) }), { a: text }, { ALLOW_PRIVATE_NETWORK_DOWNLOADS: false })
  } catch {
    // It is rejected, as expected.
  }
}
const TEXT_FORMAT_NAMES = ['email', 'uri', 'uuid', 'date-time', 'day-or-time', 'digits', 'line']
const makeFormatInput = (name: string): WorstParserInput => [
  `the format ${name}`,
  checkFormat(name),
  () => ['a', '1', '.', '@', '-', '%', ':', '/', '[', ' ', 'a@', 'a.', '%4', '1:', '://a'].flatMap((text) => [repeatTextToLength(text, FIELD_CHARS), `a@${repeatTextToLength(text, FIELD_CHARS)}`, `http://${repeatTextToLength(text, FIELD_CHARS)} `]), // prettier-ignore
]

const tryParseJson = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

async function* splitChunks(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

async function readAllLines(text: string): Promise<void> {
  try {
    for await (const line of readLines(splitChunks(text), LINE_BYTES)) tryParseJson(line)
  } catch (error) {
    if (!(error instanceof TextTooLargeError)) throw error
  }
}

const LANGUAGE = { code: 'en', words: { ruleSets: { change: {} } } } as Language

function formatSubtitles(text: string): string {
  const segments = [{ start: 0, end: 1, channel: 0, text, confidence: null }]
  return TRANSCRIPT_TEXT_FORMATS.srt.write({ segments } as never, 1)
}

const formatS3List = (content: string): string => `<?xml version="1.0"?><ListBucketResult>${content}</ListBucketResult>`
const formatS3Key = (key: string): string =>
  `<Contents><Key>${key}</Key><Size>1</Size><LastModified>x</LastModified></Contents>`

/** The search indexes only this part of a text. */
const TEXT_CHARS = 250_000

/** Parsers of responses from other servers, of rule sets and of the panel's forms, with their worst inputs. */
export const WORST_SERVER_REPLIES: WorstParserInput[] = [
  [
    'the words of a text for the search',
    (text) => analyzeSearchText(text).then(formatTsvector),
    () => [
      repeatTextToLength("а'", TEXT_CHARS),
      repeatTextToLength('а-', TEXT_CHARS),
      repeatTextToLength('1а', TEXT_CHARS),
      repeatTextToLength('а-б ', TEXT_CHARS),
      repeatTextToLength(`${'5 '.repeat(60)}x `, TEXT_CHARS),
    ],
  ],
  ['JSON of a request or a model', tryParseJson, () => [...generateSlowJson(FIELD_CHARS)]],
  ['JSON of the portal', tryParseJson, () => [...generateSlowJson(PORTAL_CHARS)]],
  [
    'a model reply',
    (text) => parseModelAnswers(text, ['a']),
    () => [
      `\`\`\`${'\n'.repeat(50_000)}x`,
      `\`\`\`${'\n'.repeat(FIELD_CHARS)}x`,
      `\`\`\`json${' '.repeat(FIELD_CHARS)}`,
      repeatTextToLength('```\n', FIELD_CHARS),
      '`'.repeat(FIELD_CHARS),
      `{"answers":[${repeatTextToLength('{"id":"a","verdict":"met","segment":1,"quote":"x","why":"y"},', FIELD_CHARS / 2)}0]}`,
      ...generateSlowJson(FIELD_CHARS),
    ],
  ],
  [
    'an S3 listing',
    (text) => parseS3Response(new Response(text)).catch(() => undefined),
    () => [
      formatS3List(Array.from({ length: 200 }, () => formatS3Key('&amp;'.repeat(1024))).join('')),
      formatS3List(repeatTextToLength(formatS3Key('a'), 1000 * formatS3Key('a').length)),
      formatS3List(repeatTextToLength(formatS3Key('a'), S3_CHARS)),
      ...['<a/>', '<Key>', '<', '&', '&#65;', ' ', '<Contents>', '</Key>'].map((text) =>
        formatS3List(repeatTextToLength(text, S3_CHARS)),
      ),
      repeatTextToLength('<a>', S3_CHARS),
      ' '.repeat(S3_CHARS),
    ],
  ],
  [
    'lines of a recognizer',
    readAllLines,
    () => ['a'.repeat(2 * LINE_BYTES), repeatTextToLength('1\n', LINE_BYTES), `${'я'.repeat(LINE_BYTES / 2 - 100)}\n`],
  ],
  [
    'a portal phone number',
    (text) => normalisePhoneNumber(text, ['BY', 'RU']),
    () => ['1', ' ', '+', 'доб', '1 '].map((text) => repeatTextToLength(text, PORTAL_CHARS)),
  ],
  ...TEXT_FORMAT_NAMES.map(makeFormatInput),
  [
    'a rule with phrases',
    (last) =>
      collectRuleSetViolations(
        makeLabelSet({
          any: makeBilingualPhrases(makeWidePhrase(last)),
          except: makeBilingualPhrases(makeWidePhrase('м')),
        }),
      ),
    () => ['л', '"а"', '{имя}'],
  ],
  [
    'a phrase of a rule',
    (text) => collectRuleSetViolations(makeLabelSet({ any: { ru: [text] } })),
    () => ['/', 'а/', '{', '"', '{а}', ' ', "а'", '№'].map((text) => repeatTextToLength(text, FIELD_CHARS)),
  ],
  ['a search query for names', parseCallFieldSearch, () => [' ', 'or ', ' or', '"', '-', '1 ', 'a '].map((text) => repeatTextToLength(text, QUERY_CHARS))], // prettier-ignore
  [
    'a form of the panel',
    (text) => {
      const fields = parseUrlEncodedForm(text)
      for (let n = 0; n < 5000; n++) fields.raw(`name-${n}`)
    },
    () => [
      `a=${'%41'.repeat(FIELD_CHARS / 3)}`,
      `a=${'+'.repeat(FIELD_CHARS)}`,
      `a=${'%'.repeat(FIELD_CHARS)}`,
      Array.from({ length: 5000 }, (_, n) => `name-${n}=${'x'.repeat(180)}`).join('&'),
    ],
  ],
  [
    'the form of a rule',
    (text) =>
      parseRuleForm(FormValues.of({ kind: 'said', 'name.en': 'a', 'any.ru': text, 'hint.en': text }), 'key', true),
    () => ['\n', '\r\n', '\r', ' ', 'а\n'].map((text) => repeatTextToLength(text, FIELD_CHARS)),
  ],
  ['the name of a rule', (text) => formatNameAsKey(text, 'rule', 2), () => ['-', 'я', 'e\u0301', ' a'].map((text) => repeatTextToLength(text, FIELD_CHARS))], // prettier-ignore
  ['the rules at the opening of a form', (text) => describeRuleChangesSince(text, [], LANGUAGE), () => [' ', ':', 'a:b '].map((text) => repeatTextToLength(text, FIELD_CHARS))], // prettier-ignore
  [
    'a cell of a table',
    (text) => formatCsvLines([[text]]),
    () => ['"', '=', '\n', 'я'].map((text) => repeatTextToLength(text, FIELD_CHARS)),
  ],
  [
    'a segment as a cue',
    formatSubtitles,
    () => [' ', '\n', ' \n', '\r'].map((text) => `a${repeatTextToLength(text, SEGMENT_CHARS)}a`),
  ],
]
