/**
 * Checks the language of documents, API descriptions and comments. A sentence over 30 words fails, and so does a mean over 16
 * words per sentence of a kind. A sentence over 25 words, or with a pattern below, is a warning.
 *
 *   node scripts/check-prose.mjs [--report] [FILE...]
 *
 * Without FILE it reads the whole project. --report prints the sentences, the mean and the warnings of each folder.
 *
 * Documents: paragraphs and items of lists; headings, tables, code blocks, HTML and the targets of links are skipped.
 * Descriptions: in files of schemas and operations, literals that begin like a sentence, and every description and summary.
 * Comments: lines and blocks; directives and indented examples are skipped.
 * Inline code, URLs and quotations in «» count as one word. Words joined by a hyphen or a slash count as one.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

const MAX_WORDS = 30
const LONG_WORDS = 25
const MAX_MEAN_WORDS = 16

/** Wording to replace by a noun, `if`, `cannot` or a precise verb. */
const FORBIDDEN_PATTERNS = {
  'the subject is a question word': /^(?:What|Who|Whoever|Whatever)\b(?!.*\?$)/,
  'it is … that': /\b[Ii]t is (?:\S+ ){1,4}(?:that|who)\b/,
  'may not, is to be': /\b(?:may not|must not be to|(?:is|are) (?:not )?to be)\b/,
  'vague verb': /\b(?:tells|told(?! to\b)|says (?:how|what|that it)|stands still|lies (?:in|between)|notes? it)\b/,
  'where for if': /\b(?:null|undefined|empty|none|true|false) where\b/,
  'for ever': /\bfor ever\b/,
}

/** Exceptions: a part of the sentence → the reason. */
const ALLOWED_SENTENCES = new Map([])

const DOCUMENT_FILE =
  /^(?:README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)\.md$|^docs\/[\w-]+\.md$|^(?:src|deploy|bench)\/(?:.*\/)?README\.md$/
const CODE_FILE = /\.(?:ts|mjs)$/

/** A literal of schemas begins with a capital letter; one after `description:` or `summary:` may begin with anything. */
const SCHEMA_SOURCE = /http\/field\.ts'|\bOperation\b|from 'typebox'/
const STRING_LITERAL = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/
const DESCRIPTION_LITERALS = new RegExp(
  String.raw`\/\*[\s\S]*?\*\/|(?<!:)\/\/.*|(?<key>description:|summary:)?\s*(?<text>(?:${STRING_LITERAL.source})(?:\s*\+\s*(?:${STRING_LITERAL.source}))*)`,
  'g',
)

/** Yields the texts of a document by paragraph or item, with their first lines. */
function extractDocumentTexts(source) {
  const hidden = source.replace(/^ *(```|~~~)[\s\S]*?^ *\1.*$|<!--[\s\S]*?-->/gm, (block) =>
    block.replace(/[^\n]/g, ''),
  )
  const lines = hidden
    .split('\n')
    .map((line) => (/^\s*(?:#|\||<|\[[^\]]+\]:)/.test(line) ? '' : line.replace(/^> ?/, '')))
  return splitParagraphs(lines, 1, 4)
}

/** Joins lines to paragraphs. Empty lines, items and tags separate them; an indented line after an empty one is an example. */
function* splitParagraphs(lines, first, exampleIndent) {
  let current
  for (const [index, line] of [...lines, ''].entries()) {
    const item = /^\s*(?:(?:[-*]|\d+\.)\s+|(?=@\w+\s))/.exec(line)
    if (current && (item || line.trim() === '')) {
      yield current
      current = undefined
    }
    const text = line.slice(item?.[0].length ?? 0).trim()
    if (text === '' || (!current && !item && line.search(/\S/) >= exampleIndent)) continue
    if (current) current.text += ` ${text}`
    else current = { line: first + index, text }
  }
}

function* extractCommentTexts(source) {
  const lines = source.split('\n')
  let block = []
  let isInside = false
  for (const [index, line] of [...lines, ''].entries()) {
    const single = /^\s*\/\/ ?(?!\s*(?:oxlint|@ts|#))(.*)/.exec(line)
    const trailing = !isInside && !single && /\S\s\/\/ ([A-Z].*)$/.exec(line)
    isInside ||= /^\s*\/\*/.test(line)
    if (isInside || single)
      block.push(isInside ? line.replace(/^\s*(?:\/\*\*?|\*(?!\/)) ?|\s*\*\/.*$/g, '') : single[1])
    const ends = isInside && line.includes('*/')
    if ((isInside || single) && !ends) continue
    isInside = false
    yield* splitParagraphs(block, index - block.length + (ends ? 2 : 1), 2)
    block = []
    if (trailing) yield { line: index + 1, text: trailing[1] }
  }
}

function* extractDescriptionTexts(source) {
  const isSchema = SCHEMA_SOURCE.test(source)
  for (const { groups, index } of source.matchAll(DESCRIPTION_LITERALS)) {
    if (groups.text === undefined) continue
    const text = groups.text
      .replace(/\n\s*/g, ' ')
      .replace(/(['"`])\s*\+\s*['"`]/g, '')
      .slice(1, -1)
      .replace(/\\(['`])/g, '$1')
    if (!groups.key && !(isSchema && /^[A-Z](?![A-Z]+ )/.test(text) && text.includes(' '))) continue
    yield { line: source.slice(0, index).split('\n').length, text: text.replace(/\$\{[^}]*\}/g, '`x`') }
  }
}

/** Replaces code, quotations and URLs by one word each, and links by their text. */
const stripMarkup = (text) =>
  text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`|«[^»]*»|https?:\/\/[^\s)]+/g, 'Code')
    .replace(/\*\*|(?<!\w)_|_(?!\w)/g, '')
    .replace(/\b(?:e\.g|i\.e|etc|cf|vs)\.(?=[\s,)])/g, 'eg')

const splitSentences = (text) => stripMarkup(text).split(/(?<=[.!?][)"”]?)\s+/)
const countWords = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length

function findFault(sentence, words) {
  if (words > MAX_WORDS) return { failed: true, reason: `${words} words` }
  if (words > LONG_WORDS) return { failed: false, reason: `${words} words` }
  const pattern = Object.keys(FORBIDDEN_PATTERNS).find((name) => FORBIDDEN_PATTERNS[name].test(sentence))
  return pattern && { failed: false, reason: pattern }
}

function listProjectFiles() {
  const below = ['docs', 'src', 'deploy', 'bench', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
  )
  const files = [...readdirSync('.'), ...below].filter((file) => DOCUMENT_FILE.test(file) || CODE_FILE.test(file))
  return files.sort((a, b) => a.localeCompare(b))
}

/** Yields the kind, line and text of everything in a file that has sentences. */
function* extractTexts(file) {
  const source = readFileSync(file, 'utf8')
  const withKind = (kind, texts) => [...texts].map((text) => ({ kind, ...text }))
  if (file.endsWith('.md')) {
    const newest = file === 'CHANGELOG.md' ? source.split(/^(?=## )/m, 2).join('') : source
    yield* withKind('documents', extractDocumentTexts(newest))
    return
  }
  yield* withKind('comments', extractCommentTexts(source))
  if (!/\.test\.ts$|^src\/test\//.test(file) && file.endsWith('.ts'))
    yield* withKind('descriptions', extractDescriptionTexts(source))
}

const namedFiles = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const totals = new Map()
let failures = 0

function addToTotal(name, words, fault) {
  const total = totals.get(name) ?? { sentences: 0, words: 0, over30: 0, warnings: 0 }
  totals.set(name, total)
  total.sentences++
  total.words += words
  if (fault) total[fault.failed ? 'over30' : 'warnings']++
}

for (const file of namedFiles.length > 0 ? namedFiles : listProjectFiles()) {
  for (const { kind, line, text } of extractTexts(file)) {
    for (const sentence of splitSentences(text)) {
      const words = countWords(sentence)
      if (words === 0) continue
      const isAllowed = [...ALLOWED_SENTENCES.keys()].some((part) => sentence.includes(part))
      const fault = isAllowed ? undefined : findFault(sentence, words)
      addToTotal(kind, words, fault)
      addToTotal(`${kind} ${dirname(file).split('/').slice(0, 3).join('/')}`, words, fault)
      if (fault?.failed) failures++
      if (fault) console.log(`${file}:${line}: ${fault.failed ? 'error' : 'warning'}: ${fault.reason}: ${sentence}`)
    }
  }
}

const formatMean = ({ words, sentences: count }) => (words / count).toFixed(1)
for (const kind of ['documents', 'descriptions', 'comments']) {
  const total = totals.get(kind)
  if (!total || Number(formatMean(total)) <= MAX_MEAN_WORDS) continue
  failures++
  console.log(`${kind}: error: ${formatMean(total)} words per sentence, at most ${MAX_MEAN_WORDS}`)
}
if (process.argv.includes('--report')) {
  const sorted = [...totals].sort(([a], [b]) => a.localeCompare(b))
  const rows = sorted.map(([name, total]) => [name, { mean: formatMean(total), ...total }])
  console.table(Object.fromEntries(rows))
}
process.exitCode = failures === 0 ? 0 : 1
