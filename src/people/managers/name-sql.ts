/** SQL: the key of a manager's name, without case and with ё as е. The name must be clean (lib/names.ts). */
export const managerKeySql = (name: string): string => `folded_name(btrim(${name}))`

/** SQL: the key of an exact spelling without case, as in managers.name_key. */
export const spellingKeySql = (name: string): string => `lower(btrim(${name}))`

/** SQL: the id of the manager of a name, or null. An exact spelling wins, as in manager_named() of the database. */
export const managerIdByNameSql = (name: string): string =>
  `(SELECT coalesce(k.same_as, k.id) FROM managers k WHERE ${managerKeySql('k.name')} = ${managerKeySql(name)}
     ORDER BY k.name_key <> ${spellingKeySql(name)}, k.same_as IS NOT NULL, k.created_at, k.id LIMIT 1)`

/** A subquery of the ids of the managers named in an array parameter; unknown names have none. */
export const managerIdsByNamesSql = (names: string): string =>
  `SELECT k.id FROM (SELECT ${managerIdByNameSql('n')} AS id FROM unnest(${names}::text[]) n) k WHERE k.id IS NOT NULL`
