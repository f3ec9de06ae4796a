const CONTRACTED_ENDINGS: Record<string, string> = { ll: 'will', re: 'are', ve: 'have', d: 'would', m: 'am', s: 'is' }
const CONTRACTIONS: Record<string, string[]> = {
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

/**
 * Splits an English contraction into words: "don't" becomes "do" and "not". Returns any other word alone, with a straight
 * apostrophe.
 */
export function expandContraction(word: string): string[] {
  const normalized = word.includes('’') || word.includes('ʼ') ? word.replaceAll('’', "'").replaceAll('ʼ', "'") : word
  const expansion = Object.hasOwn(CONTRACTIONS, normalized) ? CONTRACTIONS[normalized] : undefined
  if (expansion) return expansion
  const apostrophe = normalized.lastIndexOf("'")
  if (apostrophe < 0) return [normalized]
  const [stem, ending] = [normalized.slice(0, apostrophe), normalized.slice(apostrophe + 1)]
  if (ending === 't' && stem.endsWith('n')) return [stem.slice(0, -1), 'not']
  return Object.hasOwn(CONTRACTED_ENDINGS, ending) ? [stem, CONTRACTED_ENDINGS[ending]!] : [normalized]
}
