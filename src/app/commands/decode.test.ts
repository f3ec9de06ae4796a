import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect } from 'chai'
import { RECOGNIZER_FIXTURES_FOLDER, loadRecognizerFixture } from '../../test/asr-fixtures.ts'
import { run as decode } from './decode.ts'
import { run as score } from './lm-score.ts'

interface Outcome {
  code: number
  out: string
  err: string
}

async function runTool(command: typeof decode, args: string[], input: string | Buffer[] = ''): Promise<Outcome> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const chunks = typeof input === 'string' ? [Buffer.from(input)] : input
  const running = command(args, { stdin: Readable.from(chunks), stdout, stderr })
  const [out, err, code] = await Promise.all([
    readText(stdout),
    readText(stderr),
    running.finally(() => (stdout.end(), stderr.end())),
  ])
  return { code, out, err }
}

async function readText(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

const parseLines = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

const LM_FILE = `${RECOGNIZER_FIXTURES_FOLDER}/lm/ru5.trie.bin`
const MATRIX_FILE = `${RECOGNIZER_FIXTURES_FOLDER}/decode/open-006.bin`

describe('command decode', () => {
  const [one] = loadRecognizerFixture<{
    cases: { id: string; greedy: string; beamNoLm: string; beam: Record<string, string> }[]
  }>('decode/index.json').cases.filter(({ id }) => id === 'open-006')

  it('decode prints one JSON line per matrix with the best results', async () => {
    const other = `${RECOGNIZER_FIXTURES_FOLDER}/decode/open-061.bin`
    const { code, out } = await runTool(decode, ['--lm', LM_FILE, '--top', '2', MATRIX_FILE, other])
    expect(code).to.equal(0)
    const [first, second] = parseLines(out) as { file: string; text: string; top: [string, number, number][] }[]
    expect(first).to.include({ file: MATRIX_FILE, text: one!.beam.trie })
    expect(first!.top.length).to.equal(2)
    expect(first!.top[0]![0]).to.equal(first!.text)
    expect(first!.top[0]!.slice(1)).to.satisfy((scores: number[]) => scores.every(Number.isFinite))
    expect(second).to.include({ file: other, text: '' })
  })

  it('decode works greedily and without a language model', async () => {
    const greedy = parseLines((await runTool(decode, ['--decoder', 'greedy', MATRIX_FILE])).out)[0] as {
      text: string
      top: unknown[]
    }
    expect(greedy.text).to.equal(one!.greedy)
    expect(greedy.top.length).to.equal(1)
    const alone = parseLines((await runTool(decode, [MATRIX_FILE])).out)[0] as { text: string }
    expect(alone.text).to.equal(one!.beamNoLm)
  })

  it('decode explains invalid arguments and exits with 2', async () => {
    const refused: [string[], RegExp][] = [
      [[], /no matrix given/],
      [['--top', '0', MATRIX_FILE], /--top takes a number from 1 on, not 0/],
      [['--top', 'x', MATRIX_FILE], /not x/],
      [['--decoder', 'best', MATRIX_FILE], /no decoder best/],
      [['--wide', MATRIX_FILE], /--wide/],
      [['--lm'], /--lm/],
      [['--lm=', MATRIX_FILE], /--lm needs the name of a file/],
    ]
    for (const [args, message] of refused) {
      const { code, out, err } = await runTool(decode, args)
      expect([code, out], args.join(' ')).to.deep.equal([2, ''])
      expect(err).to.match(message).and.to.contain('Usage: decode')
    }
  })

  it('decode names an unusable file and exits with 1', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'decode-'))
    const odd = join(folder, 'odd.bin')
    writeFileSync(odd, Buffer.alloc(141))
    expect(await runTool(decode, [odd])).to.include({
      code: 1,
      err: `decode: ${odd} is no matrix: its 141 bytes make no whole rows of 140 bytes\n`,
    })
    expect((await runTool(decode, [join(folder, 'missing.bin')])).err).to.match(
      /^decode: Cannot read the matrix .*missing\.bin: ENOENT/,
    )
    expect((await runTool(decode, ['--lm', odd, MATRIX_FILE])).err).to.match(
      /^decode: Cannot read the language model .*odd\.bin: it is no KenLM/,
    )
    rmSync(folder, { recursive: true })
  })

  it('decode prints its usage with --help', async () => {
    expect((await runTool(decode, ['--help'])).out).to.match(/^Usage: decode/)
  })
})

describe('command lm-score', () => {
  it('lm-score prints one JSON line per sentence, also for an empty one', async () => {
    const { sentences, models } = loadRecognizerFixture<{
      sentences: string[]
      models: { scores?: { words: unknown; total: number }[] }[]
    }>('scores/ru5.json')
    const expected = models[0]!.scores!.map(({ words, total }, i) => ({ sentence: sentences[i], words, total }))
    const { code, out } = await runTool(score, ['--lm', LM_FILE], sentences.map((sentence) => `${sentence}\n`).join(''))
    expect(code).to.equal(0)
    expect(parseLines(out)).to.deep.equal(expected)
  })

  it('lm-score splits its input only at line feeds, independent of chunks', async () => {
    const bytes = Buffer.from('да\r\n\nнет\u2028да')
    const { out } = await runTool(
      score,
      ['--lm', LM_FILE],
      [...bytes].map((byte) => Buffer.from([byte])),
    )
    expect(parseLines(out).map((line) => (line as { sentence: string }).sentence)).to.deep.equal([
      'да',
      '',
      'нет\u2028да',
    ])
  })

  it('lm-score prints nothing for empty input', async () => {
    expect(await runTool(score, ['--lm', LM_FILE])).to.deep.equal({ code: 0, out: '', err: '' })
  })

  it('lm-score explains invalid arguments and exits with 2', async () => {
    expect((await runTool(score, [])).code).to.equal(2)
    expect((await runTool(score, ['--lm', LM_FILE, 'file'])).err).to.match(/standard input, not from file/)
  })

  it('lm-score exits with 1 if the model cannot be read', async () => {
    expect(await runTool(score, ['--lm', 'missing.bin'])).to.include({ code: 1 })
  })
})
