import { getBaseForms } from '../morphology.ts'
import { getQueryTerms } from './terms.ts'
import { tokenizeText, type TextToken } from './tokens.ts'

interface SynonymEntry {
  /** Base forms of each word. */
  forms: string[][]
  /** Query terms of each word. */
  places: string[][]
  group: SynonymEntry[]
}

/** Maps the base forms of first words to the entries of synonym groups. compileSynonyms() creates it. */
export type CompiledSynonyms = ReadonlyMap<string, SynonymEntry[]>

/**
 * Compiles groups of synonyms for findSynonymSpans(). Call loadMorphology() first.
 * @param groups lists of words or phrases with the same meaning
 */
export function compileSynonyms(groups: readonly (readonly string[])[]): CompiledSynonyms {
  const byForm = new Map<string, SynonymEntry[]>()
  for (const texts of groups) {
    const group: SynonymEntry[] = []
    for (const text of texts) {
      const words = Array.from(tokenizeText(text), ({ word }) => word)
      if (words.length > 0) group.push({ forms: words.map(getBaseForms), places: words.map(getQueryTerms), group })
    }
    for (const entry of group) {
      for (const form of entry.forms[0]!) byForm.set(form, [...(byForm.get(form) ?? []), entry])
    }
  }
  return byForm
}

/**
 * Represents a synonym in the tokens from `from` to before `to`. `others` has the query terms, word by word, of the other group
 * members.
 */
interface SynonymSpan {
  from: number
  to: number
  others: string[][][]
}

/** Finds the words and phrases of a text that belong to a synonym group. */
export function findSynonymSpans(tokens: readonly TextToken[], synonyms: CompiledSynonyms): SynonymSpan[] {
  const forms = tokens.map(({ word }) => getBaseForms(word))
  const spans: SynonymSpan[] = []
  for (const [from, firsts] of forms.entries()) {
    const entries = new Set(firsts.flatMap((form) => synonyms.get(form) ?? []))
    for (const entry of entries) {
      const isPresent = entry.forms.every((wanted, n) => forms[from + n]?.some((form) => wanted.includes(form)))
      if (!isPresent) continue
      const others = entry.group.filter((other) => other !== entry).map(({ places }) => places)
      spans.push({ from, to: from + entry.forms.length, others })
    }
  }
  return spans
}
