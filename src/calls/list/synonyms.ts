import type { Sql } from '../../platform/db/sql.ts'
import { loadLemmas } from '../../platform/lib/morphology.ts'
import { compileSynonyms, type Synonyms } from '../../platform/lib/search/synonyms.ts'

/** The row of `settings` with the groups of synonyms. */
const SETTING = 'search-synonyms'

/** Groups of words and phrases that the search treats alike. */
export type SynonymGroups = string[][]

/** The groups compiled last: they change a few times a year. */
let compiled: { groups: string; synonyms: Synonyms } = { groups: '[]', synonyms: new Map() }

/** Loads the synonyms of the company for parseSearch(). */
export async function loadSynonyms(sql: Sql): Promise<Synonyms> {
  const groups = await loadSynonymGroups(sql)
  const text = JSON.stringify(groups)
  if (compiled.groups !== text) {
    await loadLemmas()
    compiled = { groups: text, synonyms: compileSynonyms(groups) }
  }
  return compiled.synonyms
}

export async function loadSynonymGroups(sql: Sql): Promise<SynonymGroups> {
  const { rows } = await sql.query<{ groups: SynonymGroups }>({
    text: `SELECT value -> 'groups' AS groups FROM settings WHERE name = $1`,
    values: [SETTING],
  })
  return rows[0]?.groups ?? []
}
