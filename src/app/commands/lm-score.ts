import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { Misuse, runTool, write, type Streams } from '../../recognizer/kenlm/command-line.ts'
import { openModel } from '../../recognizer/kenlm/model.ts'
import { scoreSentence } from '../../recognizer/kenlm/sentence.ts'

const USAGE = `Usage: lm-score --lm FILE < sentences

Scores sentences, one a line, with a KenLM language model (binary or ARPA). An empty line is the empty sentence.
Prints one JSON line for each: {sentence, words: [[log10, length, oov], ...], total}; the last word is the end of
the sentence, log10 the probability of the word, length that of the n-gram found, oov whether the word is unknown.
`

/**
 * Scores the sentences of the input with both sentence marks.
 * @returns the exit code
 */
export async function run(args: string[], streams: Streams = process): Promise<number> {
  return runTool('lm-score', USAGE, streams, async () => {
    const { values, positionals } = parseArgs({
      args,
      options: { lm: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
    if (values.help) return write(streams.stdout, USAGE)
    if (!values.lm) throw new Misuse('--lm FILE is missing')
    if (positionals.length > 0)
      throw new Misuse(`the sentences come from the standard input, not from ${positionals[0]}`)
    const model = openModel(values.lm)
    try {
      for await (const sentence of linesOf(streams.stdin)) {
        await write(streams.stdout, `${JSON.stringify({ sentence, ...scoreSentence(model, sentence) })}\n`)
      }
    } finally {
      model.close()
    }
  })
}

/** Lines end at line feeds only: other separators of Unicode may stand inside a sentence. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
