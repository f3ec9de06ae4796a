import { readFile } from 'node:fs/promises'
import { CTC_TOKEN_COUNT } from '../../recognizer/decoders/ctc/alphabet.ts'
import { CtcBeamSearch, type ScoredDecodedText } from '../../recognizer/decoders/ctc/beam-search.ts'
import { scoreGreedyPath, decodeCtcGreedily } from '../../recognizer/decoders/ctc/greedy.ts'
import { openNgramLanguageModel, type NgramLanguageModel } from '../../recognizer/kenlm/model.ts'
import { defineCommandTool, CommandUsageError } from './command.ts'

const DEFAULT_RESULT_COUNT = 5

const usage = `Usage: decode [--lm FILE] [--decoder greedy|beam_search] [--top N] MATRIX.bin...

Decodes outputs of the T-one acoustic model: little-endian float32, 35 numbers (33 letters, space, blank) a frame of
30 ms, no header. Prints one JSON line for each: {file, text, top: [[text, acoustic, total], ...]} with natural-log
scores, best first.

  --lm FILE       KenLM language model (binary or ARPA) for beam_search; without it the sound alone decides
  --decoder NAME  beam_search (default) or greedy, which uses no language model
  --top N         results to show at most (default ${DEFAULT_RESULT_COUNT})
`

export const run = defineCommandTool({
  name: 'decode',
  usage,
  options: {
    lm: { type: 'string' },
    decoder: { type: 'string', default: 'beam_search' },
    top: { type: 'string', default: String(DEFAULT_RESULT_COUNT) },
  },
  async work({ values, positionals, print }) {
    if (!/^[1-9]\d{0,8}$/.test(values.top))
      throw new CommandUsageError(`--top takes a number from 1 on, not ${values.top}`)
    if (!['greedy', 'beam_search'].includes(values.decoder))
      throw new CommandUsageError(`there is no decoder ${values.decoder}`)
    if (values.lm === '') throw new CommandUsageError('--lm needs the name of a file')
    if (positionals.length === 0) throw new CommandUsageError('no matrix given')
    const model = values.lm && values.decoder === 'beam_search' ? openNgramLanguageModel(values.lm) : undefined
    try {
      const decode = values.decoder === 'greedy' ? searchGreedily : createBeamDecoder(model, Number(values.top))
      for (const file of positionals) {
        const results = decode(await readMatrix(file))
        const top = results.map(({ text, acoustic, total }) => [text, acoustic, total])
        await print(`${JSON.stringify({ file, text: results[0]?.text ?? '', top })}\n`)
      }
    } finally {
      model?.close()
    }
  },
})

function searchGreedily(matrix: Float32Array): ScoredDecodedText[] {
  const score = scoreGreedyPath(matrix)
  return [{ text: decodeCtcGreedily(matrix), acoustic: score, total: score }]
}

function createBeamDecoder(
  model: NgramLanguageModel | undefined,
  top: number,
): (matrix: Float32Array) => ScoredDecodedText[] {
  const search = new CtcBeamSearch(model)
  return (matrix) => search.search(matrix, top)
}

async function readMatrix(file: string): Promise<Float32Array> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new Error(`Cannot read the matrix ${file}: ${error.message}`, { cause: error })
  })
  if (bytes.length % (CTC_TOKEN_COUNT * 4) !== 0) {
    throw new Error(
      `${file} is no matrix: its ${bytes.length} bytes make no whole rows of ${CTC_TOKEN_COUNT * 4} bytes`,
    )
  }
  // A file can be read into a shared buffer at an odd offset, so its bytes are copied for alignment.
  return new Float32Array(new Uint8Array(bytes).buffer)
}
