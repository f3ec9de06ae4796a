import { readFile } from 'node:fs/promises'
import { COLUMNS } from '../../recognizer/decoders/ctc/alphabet.ts'
import { BeamSearch, type SearchResult } from '../../recognizer/decoders/ctc/beam-search.ts'
import { bestPathScore, decodeGreedily } from '../../recognizer/decoders/ctc/greedy.ts'
import { openModel, type LanguageModel } from '../../recognizer/kenlm/model.ts'
import { defineTool, Misuse } from './command.ts'

const DEFAULT_TOP = 5

const usage = `Usage: decode [--lm FILE] [--decoder greedy|beam_search] [--top N] MATRIX.bin...

Decodes outputs of the T-one acoustic model: little-endian float32, 35 numbers (33 letters, space, blank) a frame of
30 ms, no header. Prints one JSON line for each: {file, text, top: [[text, acoustic, total], ...]} with natural-log
scores, best first.

  --lm FILE       KenLM language model (binary or ARPA) for beam_search; without it the sound alone decides
  --decoder NAME  beam_search (default) or greedy, which uses no language model
  --top N         results to show at most (default ${DEFAULT_TOP})
`

export const run = defineTool({
  name: 'decode',
  usage,
  options: {
    lm: { type: 'string' },
    decoder: { type: 'string', default: 'beam_search' },
    top: { type: 'string', default: String(DEFAULT_TOP) },
  },
  async work({ values, positionals, print }) {
    if (!/^[1-9]\d{0,8}$/.test(values.top)) throw new Misuse(`--top takes a number from 1 on, not ${values.top}`)
    if (!['greedy', 'beam_search'].includes(values.decoder)) throw new Misuse(`there is no decoder ${values.decoder}`)
    if (values.lm === '') throw new Misuse('--lm needs the name of a file')
    if (positionals.length === 0) throw new Misuse('no matrix given')
    const model = values.lm && values.decoder === 'beam_search' ? openModel(values.lm) : undefined
    try {
      const decode = values.decoder === 'greedy' ? greedily : searching(model, Number(values.top))
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

function greedily(matrix: Float32Array): SearchResult[] {
  const score = bestPathScore(matrix)
  return [{ text: decodeGreedily(matrix), acoustic: score, total: score }]
}

function searching(model: LanguageModel | undefined, top: number): (matrix: Float32Array) => SearchResult[] {
  const search = new BeamSearch(model)
  return (matrix) => search.search(matrix, top)
}

async function readMatrix(file: string): Promise<Float32Array> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new Error(`Cannot read the matrix ${file}: ${error.message}`, { cause: error })
  })
  if (bytes.length % (COLUMNS * 4) !== 0) {
    throw new Error(`${file} is no matrix: its ${bytes.length} bytes make no whole rows of ${COLUMNS * 4} bytes`)
  }
  // Copied, because a file read into a shared buffer can begin at an odd offset.
  return new Float32Array(new Uint8Array(bytes).buffer)
}
