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

const FAIL = 30
const WARN = 25
const MEAN = 16

/** Wording to replace by a noun, `if`, `cannot` or a precise verb. */
const PATTERNS = {
  'the subject is a question word': /^(?:What|Who|Whoever|Whatever)\b(?!.*\?$)/,
  'it is … that': /\b[Ii]t is (?:\S+ ){1,4}(?:that|who)\b/,
  'may not, is to be': /\b(?:may not|must not be to|(?:is|are) (?:not )?to be)\b/,
  'vague verb': /\b(?:tells|told(?! to\b)|says (?:how|what|that it)|stands still|lies (?:in|between)|notes? it)\b/,
  'where for if': /\b(?:null|undefined|empty|none|true|false) where\b/,
  'for ever': /\bfor ever\b/,
}

/** Exceptions: a part of the sentence → the reason. */
const ALLOWED = new Map([])

const DOCUMENT =
  /^(?:README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)\.md$|^docs\/[\w-]+\.md$|^(?:src|deploy|bench)\/(?:.*\/)?README\.md$/
const CODE = /\.(?:ts|mjs)$/

/** A literal of schemas begins with a capital letter; one after `description:` or `summary:` may begin with anything. */
const SCHEMA = /http\/field\.ts'|\bOperation\b|from 'typebox'/
const LITERAL = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/
const LITERALS = new RegExp(
  String.raw`\/\*[\s\S]*?\*\/|(?<!:)\/\/.*|(?<key>description:|summary:)?\s*(?<text>(?:${LITERAL.source})(?:\s*\+\s*(?:${LITERAL.source}))*)`,
  'g',
)

/** Yields the texts of a document by paragraph or item, with their first lines. */
function documentTexts(source) {
  const hidden = source.replace(/^ *(```|~~~)[\s\S]*?^ *\1.*$|<!--[\s\S]*?-->/gm, (block) =>
    block.replace(/[^\n]/g, ''),
  )
  const lines = hidden
    .split('\n')
    .map((line) => (/^\s*(?:#|\||<|\[[^\]]+\]:)/.test(line) ? '' : line.replace(/^> ?/, '')))
  return paragraphs(lines, 1, 4)
}

/** Joins lines to paragraphs. Empty lines, items and tags separate them; an indented line after an empty one is an example. */
function* paragraphs(lines, first, exampleIndent) {
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

function* commentTexts(source) {
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
    yield* paragraphs(block, index - block.length + (ends ? 2 : 1), 2)
    block = []
    if (trailing) yield { line: index + 1, text: trailing[1] }
  }
}

function* descriptionTexts(source) {
  const isSchema = SCHEMA.test(source)
  for (const { groups, index } of source.matchAll(LITERALS)) {
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
const plain = (text) =>
  text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`|«[^»]*»|https?:\/\/[^\s)]+/g, 'Code')
    .replace(/\*\*|(?<!\w)_|_(?!\w)/g, '')
    .replace(/\b(?:e\.g|i\.e|etc|cf|vs)\.(?=[\s,)])/g, 'eg')

const sentences = (text) => plain(text).split(/(?<=[.!?][)"”]?)\s+/)
const countWords = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length

function findFault(sentence, words) {
  if (words > FAIL) return { failed: true, reason: `${words} words` }
  if (words > WARN) return { failed: false, reason: `${words} words` }
  const pattern = Object.keys(PATTERNS).find((name) => PATTERNS[name].test(sentence))
  return pattern && { failed: false, reason: pattern }
}

function projectFiles() {
  const below = ['docs', 'src', 'deploy', 'bench', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
  )
  const files = [...readdirSync('.'), ...below].filter((file) => DOCUMENT.test(file) || CODE.test(file))
  return files.sort((a, b) => a.localeCompare(b))
}

/** Yields the kind, line and text of everything in a file that has sentences. */
function* textsOf(file) {
  const source = readFileSync(file, 'utf8')
  const withKind = (kind, texts) => [...texts].map((text) => ({ kind, ...text }))
  if (file.endsWith('.md')) {
    const newest = file === 'CHANGELOG.md' ? source.split(/^(?=## )/m, 2).join('') : source
    yield* withKind('documents', documentTexts(newest))
    return
  }
  yield* withKind('comments', commentTexts(source))
  if (!/\.test\.ts$|^src\/test\//.test(file) && file.endsWith('.ts'))
    yield* withKind('descriptions', descriptionTexts(source))
}

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const totals = new Map()
let failures = 0

function add(name, words, fault) {
  const total = totals.get(name) ?? { sentences: 0, words: 0, over30: 0, warnings: 0 }
  totals.set(name, total)
  total.sentences++
  total.words += words
  if (fault) total[fault.failed ? 'over30' : 'warnings']++
}

for (const file of named.length > 0 ? named : projectFiles()) {
  for (const { kind, line, text } of textsOf(file)) {
    for (const sentence of sentences(text)) {
      const words = countWords(sentence)
      if (words === 0) continue
      const isAllowed = [...ALLOWED.keys()].some((part) => sentence.includes(part))
      const fault = isAllowed ? undefined : findFault(sentence, words)
      add(kind, words, fault)
      add(`${kind} ${dirname(file).split('/').slice(0, 3).join('/')}`, words, fault)
      if (fault?.failed) failures++
      if (fault) console.log(`${file}:${line}: ${fault.failed ? 'error' : 'warning'}: ${fault.reason}: ${sentence}`)
    }
  }
}

const mean = ({ words, sentences: count }) => (words / count).toFixed(1)
for (const kind of ['documents', 'descriptions', 'comments']) {
  const total = totals.get(kind)
  if (!total || Number(mean(total)) <= MEAN) continue
  failures++
  console.log(`${kind}: error: ${mean(total)} words per sentence, at most ${MEAN}`)
}
if (process.argv.includes('--report')) {
  const sorted = [...totals].sort(([a], [b]) => a.localeCompare(b))
  const rows = sorted.map(([name, total]) => [name, { mean: mean(total), ...total }])
  console.table(Object.fromEntries(rows))
}
process.exitCode = failures === 0 ? 0 : 1
