import type { Sql } from './sql.ts'
import expected from '../../../migrations/schema.json' with { type: 'json' }

/** Maps each part of a schema to its definition, such as "column deliveries.host" to "text not null". */
export type DatabaseSchema = Record<string, string>

interface SchemaDifference {
  /** Name of the part, such as "column deliveries.host". */
  of: string
  /** Undefined if this release does not know the part. */
  expected?: string
  /** Undefined if the database does not have the part. */
  found?: string
  /** True if this release fails or gives wrong results on the schema. Missing indexes and most additions are harmless. */
  fatal: boolean
}

/** Selects each part of the schema with a definition that can be compared between databases. */
const SCHEMA_PARTS_SQL = `
  WITH tables AS (
    SELECT c.oid, c.relname AS name FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
       AND c.relname <> 'schema_migrations' AND NOT EXISTS (
         SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
  SELECT 'table ' || name AS part, 'a table' AS definition FROM tables
  UNION ALL
  SELECT 'column ' || t.name || '.' || a.attname,
         concat_ws(' ', format_type(a.atttypid, a.atttypmod),
           CASE WHEN a.attcollation <> ty.typcollation THEN 'collate ' || co.collname END,
           CASE WHEN a.attnotnull THEN 'not null' END,
           CASE WHEN a.attidentity <> '' THEN 'identity' END,
           CASE WHEN a.attgenerated <> '' THEN 'generated as ' || pg_get_expr(ad.adbin, ad.adrelid) END)
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type ty ON ty.oid = a.atttypid
    LEFT JOIN pg_collation co ON co.oid = a.attcollation
    LEFT JOIN pg_attrdef ad ON ad.adrelid = a.attrelid AND ad.adnum = a.attnum
  UNION ALL
  SELECT 'default of ' || t.name || '.' || a.attname, pg_get_expr(ad.adbin, ad.adrelid)
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attgenerated = '' AND NOT a.attisdropped
    JOIN pg_attrdef ad ON ad.adrelid = a.attrelid AND ad.adnum = a.attnum
  UNION ALL
  SELECT CASE WHEN i.indisunique THEN 'unique index ' ELSE 'index ' END || c.relname,
         pg_get_indexdef(i.indexrelid) || CASE WHEN i.indisvalid THEN '' ELSE ' (not valid)' END
    FROM tables t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
   WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
  UNION ALL
  -- Postgres 18 keeps a constraint for each NOT NULL, which the column tells already.
  SELECT 'constraint ' || t.name || '.' || k.conname, pg_get_constraintdef(k.oid)
    FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid WHERE k.contype IN ('p', 'u', 'x', 'c', 'f')
  UNION ALL
  SELECT 'trigger ' || t.name || '.' || g.tgname,
         pg_get_triggerdef(g.oid) || CASE g.tgenabled WHEN 'O' THEN '' ELSE ' (' || g.tgenabled::text || ')' END
    FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid WHERE NOT g.tgisinternal
  UNION ALL
  SELECT 'function ' || p.oid::regprocedure::text,
         concat_ws(' ', 'returns', pg_get_function_result(p.oid), l.lanname,
           CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' END,
           CASE WHEN p.proisstrict THEN 'strict' END, ':',
           coalesce(pg_get_function_sqlbody(p.oid), p.prosrc))
    FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
   WHERE p.pronamespace = current_schema()::regnamespace AND NOT EXISTS (
     SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  UNION ALL
  SELECT 'text search ' || f.cfgname, (
           SELECT string_agg(tt.alias || ': ' || m.dictionaries, ', ' ORDER BY tt.alias)
             FROM (SELECT maptokentype, string_agg(d.dictname, '+' ORDER BY mapseqno) AS dictionaries
                     FROM pg_ts_config_map m JOIN pg_ts_dict d ON d.oid = m.mapdict
                    WHERE mapcfg = f.oid GROUP BY maptokentype) m
             JOIN ts_token_type(f.cfgparser) tt ON tt.tokid = m.maptokentype)
    FROM pg_ts_config f WHERE f.cfgnamespace = current_schema()::regnamespace
  UNION ALL
  SELECT 'dictionary ' || d.dictname, d.dictinitoption
    FROM pg_ts_dict d WHERE d.dictnamespace = current_schema()::regnamespace
`

/** Loads all parts of the schema that migrations create. Ignores the order of columns. */
export async function loadDatabaseSchema(sql: Sql): Promise<DatabaseSchema> {
  const { rows } = await sql.query<{ part: string; definition: string | null }>({ text: SCHEMA_PARTS_SQL })
  const { rows: names } = await sql.query<{ name: string }>({ text: 'SELECT quote_ident(current_schema()) AS name' })
  const plain = (text: string) => text.replaceAll(`${names[0]!.name}.`, '').replace(/\s+/g, ' ').trim()
  const parts = rows.map(({ part, definition }) => [plain(part), plain(definition ?? '')] as const)
  return Object.fromEntries(parts.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Compares the schema of the database with migrations/schema.json, the result of all migrations of this release. */
export async function compareDatabaseSchema(sql: Sql): Promise<SchemaDifference[]> {
  const found = await loadDatabaseSchema(sql)
  return diffSchemas(found, expected)
}

function diffSchemas(found: DatabaseSchema, expected: DatabaseSchema): SchemaDifference[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    .sort()
    .filter((of) => found[of] !== expected[of])
    .map((of) => ({ of, expected: expected[of], found: found[of], fatal: isFatal(of, found, expected) }))
}

/** Additions are fatal only if they block inserts, because this release must run on the schema of later ones. */
function isFatal(of: string, found: DatabaseSchema, expected: DatabaseSchema): boolean {
  if (expected[of] !== undefined) return !of.startsWith('index ')
  const [kind, column] = of.split(' ')
  return kind === 'column' && found[of]!.endsWith(' not null') && found[`default of ${column}`] === undefined
}
