/**
 * By what two names are the same manager's, as SQL of an expression that holds one: whatever their case. The names are
 * clean already (lib/names.ts). The table managers holds it as name_key.
 */
export const managerKey = (name: string): string => `lower(btrim(${name}))`

/** The ids of the managers of the names in a parameter that is an array, as a subquery; names of nobody have none. */
export const managersNamed = (names: string): string =>
  `SELECT k.id FROM managers k WHERE k.name_key IN (SELECT ${managerKey('n')} FROM unnest(${names}::text[]) n)`
