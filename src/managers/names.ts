/**
 * By what two names are the same manager's, as SQL of an expression that holds one: case aside, and ё is е. The names are
 * clean already (lib/names.ts).
 */
export const managerKey = (name: string): string => `folded_name(btrim(${name}))`

/** The spelling under which the table managers has a name: managers.name_key, case aside. */
export const spellingKey = (name: string): string => `lower(btrim(${name}))`

/**
 * The id of the manager of a name, as a subquery that is null for a name of nobody. An exact spelling wins, as in
 * manager_named() of the database, which also adds the manager.
 */
export const managerNamed = (name: string): string =>
  `(SELECT coalesce(k.same_as, k.id) FROM managers k WHERE ${managerKey('k.name')} = ${managerKey(name)}
     ORDER BY k.name_key <> ${spellingKey(name)}, k.same_as IS NOT NULL, k.created_at, k.id LIMIT 1)`

/** The ids of the managers of the names in a parameter that is an array, as a subquery; names of nobody have none. */
export const managersNamed = (names: string): string =>
  `SELECT k.id FROM (SELECT ${managerNamed('n')} AS id FROM unnest(${names}::text[]) n) k WHERE k.id IS NOT NULL`
