const ENDINGS: Record<string, string> = { ll: 'will', re: 'are', ve: 'have', d: 'would', m: 'am', s: 'is' }
const SHORT: Record<string, string[]> = {
  "can't": ['can', 'not'],
  cannot: ['can', 'not'],
  "won't": ['will', 'not'],
  "shan't": ['shall', 'not'],
  "let's": ['let', 'us'],
  "d'you": ['do', 'you'],
  gonna: ['going', 'to'],
  wanna: ['want', 'to'],
  dont: ['do', 'not'],
  doesnt: ['does', 'not'],
  didnt: ['did', 'not'],
  isnt: ['is', 'not'],
  wouldnt: ['would', 'not'],
  couldnt: ['could', 'not'],
}

/** The words of an English contraction, or the word itself: "don't" is do and not. */
export function expandContraction(word: string): string[] {
  const straight = word.includes('’') || word.includes('ʼ') ? word.replaceAll('’', "'").replaceAll('ʼ', "'") : word
  const short = Object.hasOwn(SHORT, straight) ? SHORT[straight] : undefined
  if (short) return short
  const cut = straight.lastIndexOf("'")
  if (cut < 0) return [straight]
  const [stem, ending] = [straight.slice(0, cut), straight.slice(cut + 1)]
  if (ending === 't' && stem.endsWith('n')) return [stem.slice(0, -1), 'not']
  return Object.hasOwn(ENDINGS, ending) ? [stem, ENDINGS[ending]!] : [straight]
}
