import { listBaseForms } from '../morphology.ts'
import { listQueryTerms } from './terms.ts'
import { tokenize, type Token } from './tokens.ts'

interface SynonymEntry {
  /** Base forms of each word. */
  forms: string[][]
  /** Query terms of each word. */
  places: string[][]
  group: SynonymEntry[]
}

/** Maps the base forms of first words to the entries of synonym groups. compileSynonyms() creates it. */
export type Synonyms = ReadonlyMap<string, SynonymEntry[]>

/**
 * Compiles groups of synonyms for findSynonymSpans(). Call loadMorphology() first.
 * @param groups lists of words or phrases with the same meaning
 */
export function compileSynonyms(groups: readonly (readonly string[])[]): Synonyms {
  const byForm = new Map<string, SynonymEntry[]>()
  for (const texts of groups) {
    const group: SynonymEntry[] = []
    for (const text of texts) {
      const words = Array.from(tokenize(text), ({ word }) => word)
      if (words.length > 0) group.push({ forms: words.map(listBaseForms), places: words.map(listQueryTerms), group })
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
export interface SynonymSpan {
  from: number
  to: number
  others: string[][][]
}

/** Finds the words and phrases of a text that belong to a synonym group. */
export function findSynonyms(tokens: readonly Token[], synonyms: Synonyms): SynonymSpan[] {
  const forms = tokens.map(({ word }) => listBaseForms(word))
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
