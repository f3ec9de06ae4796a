import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { foldText, loadMorphology } from '../../platform/lib/morphology.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { compileSynonyms, type CompiledSynonyms } from '../../platform/lib/search/synonyms.ts'
import { synonymMessages } from './messages.ts'
import { MAX_SYNONYM_ENTRY_WORDS, type SearchSynonymsJson } from './synonyms-schema.ts'

/** Name of the row in the table settings. */
const SETTING_NAME = 'search-synonyms'

/** Groups of words and phrases that the search treats as equal. */
type SynonymGroups = SearchSynonymsJson['groups']

/** The last compiled groups. We cache them, because owners rarely change them. */
let compiledSynonyms: { groups: string; synonyms: CompiledSynonyms } = { groups: '[]', synonyms: new Map() }

/** Loads the synonym groups and compiles them for the search. Compiles again only after a change. */
export async function loadCompiledSynonyms(sql: Sql): Promise<CompiledSynonyms> {
  const groups = await loadSynonymGroups(sql)
  const text = JSON.stringify(groups)
  if (compiledSynonyms.groups !== text) {
    await loadMorphology()
    compiledSynonyms = { groups: text, synonyms: compileSynonyms(groups) }
  }
  return compiledSynonyms.synonyms
}

/** Loads the synonym groups. Returns an empty list if nobody has set any. */
export async function loadSynonymGroups(sql: Sql): Promise<SynonymGroups> {
  const { rows } = await sql.query<{ groups: SynonymGroups }>({
    text: `SELECT value -> 'groups' AS groups FROM settings WHERE name = $1`,
    values: [SETTING_NAME],
  })
  return rows[0]?.groups ?? []
}

/**
 * Replaces all synonym groups, records the change in the audit log and returns the groups as stored.
 * @throws HttpError 400 that names each invalid entry
 */
export async function updateSynonymGroups(
  { db }: Core,
  actor: Actor,
  newGroups: SynonymGroups,
): Promise<SearchSynonymsJson> {
  const groups = newGroups.map((group) => group.map((entry) => entry.trim()))
  const violations = findViolations(groups)
  if (violations.length > 0) throw badRequestError(violations)
  await runInTransaction(db, async (sql) => {
    // The lock serializes changes, so that the audit log records the correct previous groups.
    await sql.query({ text: 'LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE' })
    const before = await loadSynonymGroups(sql)
    await sql.query({
      text: `INSERT INTO settings (name, value) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = now()`,
      values: [SETTING_NAME, JSON.stringify({ groups })],
    })
    await recordGroupChanges(sql, actor, before, groups)
  })
  return { groups }
}

async function recordGroupChanges(sql: Sql, actor: Actor, before: SynonymGroups, after: SynonymGroups): Promise<void> {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const missingIn = (groups: SynonymGroups) => {
    const known = new Set(groups.map((group) => JSON.stringify(group)))
    return (group: string[]) => !known.has(JSON.stringify(group))
  }
  const details = { added: after.filter(missingIn(before)), removed: before.filter(missingIn(after)) }
  const object = { type: 'settings', id: SETTING_NAME, name: SETTING_NAME } as const
  await recordAuditChange(sql, actor, { action: 'settings.change', object, details })
}

/** Checks the rules that a schema cannot express, and returns a message for each invalid entry. */
function findViolations(groups: SynonymGroups): Message[] {
  /** For each entry, the group numbers of all its occurrences. */
  const found = new Map<string, number[]>()
  for (const [index, group] of groups.entries()) {
    for (const entry of group) found.set(normalizeEntry(entry), [...(found.get(normalizeEntry(entry)) ?? []), index])
  }
  return groups.flatMap((group, index) =>
    group.flatMap((entry, place) => {
      const rule = findEntryViolation(entry, index, found.get(normalizeEntry(entry))!)
      return rule?.withField(`groups.${index}.${place}`) ?? []
    }),
  )
}

const normalizeEntry = (entry: string): string => foldText(normalizeWhitespace(entry.normalize('NFC')))

/**
 * Returns the rule that an entry violates; undefined if there is none.
 * @param group number of the group that contains the entry
 * @param found group numbers of all occurrences of the entry
 */
function findEntryViolation(entry: string, group: number, found: number[]): Message | undefined {
  if (!/[\p{L}\p{N}]/u.test(entry)) return synonymMessages.noWord()
  if (normalizeWhitespace(entry).split(' ').length > MAX_SYNONYM_ENTRY_WORDS)
    return synonymMessages.tooManyWords({ limit: MAX_SYNONYM_ENTRY_WORDS })
  if (found.some((other) => other !== group)) return synonymMessages.inTwoGroups()
  return found.length > 1 ? synonymMessages.repeated() : undefined
}
