import llamaTokenizer from 'llama-tokenizer-js'

const SPACE = '▁'

/** The tokens by their text, ignoring case and a leading space. */
const bySaying = new Map<string, number[]>()
const sayings = llamaTokenizer.vocabById.map((text) => text.replaceAll(SPACE, '').toLowerCase())
for (const [token, saying] of sayings.entries()) {
  const others = bySaying.get(saying)
  if (others) others.push(token)
  else bySaying.set(saying, [token])
}

/** The tokens that spell the same as one, including itself. */
export function alike(token: number): readonly number[] {
  const saying = sayings[token]
  return saying ? bySaying.get(saying)! : [token]
}

export const isHeard = (token: number): boolean => /[\p{L}\p{N}]/u.test(sayings[token] ?? '')
