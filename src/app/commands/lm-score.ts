import type { Readable } from 'node:stream'
import { openNgramLanguageModel } from '../../recognizer/kenlm/model.ts'
import { scoreSentenceWithModel } from '../../recognizer/kenlm/sentence.ts'
import { defineCommandTool, CommandUsageError } from './command.ts'

const usage = `Usage: lm-score --lm FILE < sentences

Scores sentences, one a line, with a KenLM language model (binary or ARPA). An empty line is the empty sentence.
Prints one JSON line for each: {sentence, words: [[log10, length, oov], ...], total}; the last word is the end of
the sentence, log10 the probability of the word, length that of the n-gram found, oov whether the word is unknown.
`

export const run = defineCommandTool({
  name: 'lm-score',
  usage,
  options: { lm: { type: 'string' } },
  async work({ values, positionals, stdin, print }) {
    if (!values.lm) throw new CommandUsageError('--lm FILE is missing')
    if (positionals.length > 0)
      throw new CommandUsageError(`the sentences come from the standard input, not from ${positionals[0]}`)
    const model = openNgramLanguageModel(values.lm)
    try {
      for await (const sentence of splitLines(stdin)) {
        await print(`${JSON.stringify({ sentence, ...scoreSentenceWithModel(model, sentence) })}\n`)
      }
    } finally {
      model.close()
    }
  },
})

/** Splits at line feeds only, because a sentence can contain other line separators of Unicode. */
async function* splitLines(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let remainder = ''
  for await (const chunk of input) {
    const lines = (remainder + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
    remainder = lines.pop()!
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  remainder += decoder.decode()
  if (remainder !== '') yield remainder
}
