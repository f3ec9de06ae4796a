import llamaTokenizer from 'llama-tokenizer-js'

const SPACE_MARK = '▁'

/** Tokens by their text in lower case without spaces. */
const tokensBySpelling = new Map<string, number[]>()
const spellings = llamaTokenizer.vocabById.map((text) => text.replaceAll(SPACE_MARK, '').toLowerCase())
for (const [token, spelling] of spellings.entries()) {
  const variants = tokensBySpelling.get(spelling)
  if (variants) variants.push(token)
  else tokensBySpelling.set(spelling, [token])
}

/** Returns the token itself and the tokens that differ from it only in case or in a leading space. */
export function getTokenVariants(token: number): readonly number[] {
  const spelling = spellings[token]
  return spelling ? tokensBySpelling.get(spelling)! : [token]
}

/** Returns true if a token contains a letter or a digit. */
export const isSpokenToken = (token: number): boolean => /[\p{L}\p{N}]/u.test(spellings[token] ?? '')
