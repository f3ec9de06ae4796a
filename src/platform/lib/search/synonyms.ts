import { listBaseForms } from '../morphology.ts'
import { listQueryTerms } from './terms.ts'
import { tokenize, type Token } from './tokens.ts'

/** A word or phrase of a group of synonyms. */
interface SynonymEntry {
  /** The dictionary forms of its words. */
  forms: string[][]
  /** The terms of its words in a query. */
  places: string[][]
  group: SynonymEntry[]
}

/** Groups of synonyms, by the dictionary forms of the first words. */
export type Synonyms = ReadonlyMap<string, SynonymEntry[]>

/** Prepares groups of synonyms, each a list of words or phrases. The dictionaries must be loaded. */
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

/** Synonyms of the tokens from `from` to before `to`, with the positions of the others of its group. */
export interface SynonymSpan {
  from: number
  to: number
  others: string[][][]
}

/** The places of a text where a word or phrase of a synonym group is. */
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
