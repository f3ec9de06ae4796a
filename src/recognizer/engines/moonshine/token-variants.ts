import llamaTokenizer from 'llama-tokenizer-js'

const SPACE_MARK = '▁'

/** The tokens by their text, ignoring case and a leading space. */
const tokensBySpelling = new Map<string, number[]>()
const spellings = llamaTokenizer.vocabById.map((text) => text.replaceAll(SPACE_MARK, '').toLowerCase())
for (const [token, spelling] of spellings.entries()) {
  const variants = tokensBySpelling.get(spelling)
  if (variants) variants.push(token)
  else tokensBySpelling.set(spelling, [token])
}

/** The tokens that spell the same as one, including itself. */
export function listTokenVariants(token: number): readonly number[] {
  const spelling = spellings[token]
  return spelling ? tokensBySpelling.get(spelling)! : [token]
}

/** Whether a token has a letter or a digit. */
export const isSpokenToken = (token: number): boolean => /[\p{L}\p{N}]/u.test(spellings[token] ?? '')
