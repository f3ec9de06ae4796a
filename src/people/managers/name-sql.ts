/**
 * Returns SQL for the key that matches names of managers: without case, and with ё as е. Apply normalizeWhitespace() to the name
 * first.
 */
export const managerNameKeySql = (name: string): string => `folded_name(btrim(${name}))`

/** Returns SQL for the key of an exact spelling without case, as in managers.name_key. */
export const managerSpellingKeySql = (name: string): string => `lower(btrim(${name}))`

/**
 * Returns SQL for the id of the manager with a name, or null. An exact spelling wins, as in the database function
 * manager_named(). A duplicate gives the id of its original (same_as).
 */
export const managerIdByNameSql = (name: string): string =>
  `(SELECT coalesce(k.same_as, k.id) FROM managers k WHERE ${managerNameKeySql('k.name')} = ${managerNameKeySql(name)}
     ORDER BY k.name_key <> ${managerSpellingKeySql(name)}, k.same_as IS NOT NULL, k.created_at, k.id LIMIT 1)`

/** Returns a subquery for the ids of the managers named in an array parameter. Unknown names give no row. */
export const managerIdsByNamesSql = (names: string): string =>
  `SELECT k.id FROM (SELECT ${managerIdByNameSql('n')} AS id FROM unnest(${names}::text[]) n) k WHERE k.id IS NOT NULL`
