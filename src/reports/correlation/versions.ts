import type { Sql } from '../../platform/db/sql.ts'
import { badRequest } from '../../platform/errors.ts'
import { periodMessages } from '../../platform/lib/period-messages.ts'
import type { Data } from './data.ts'
import type { CorrelationJson } from './schema.ts'

/** Finds the id of a version by a name such as incoming-sales/2. @throws HttpError 400 if it does not exist */
export async function findVersion(sql: Sql, scoredBy: string | undefined): Promise<string | undefined> {
  if (scoredBy === undefined) return undefined
  const [set, number] = scoredBy.split('/')
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT v.id FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id WHERE s.key = $1 AND v.number = $2 AND v.state <> 'draft'`,
    values: [set, number],
  })
  if (!rows[0]) throw badRequest([periodMessages.scoredBy().about('scoredBy')])
  return rows[0].id
}

type Version = CorrelationJson['versions'][number]

/** Lists the versions that scored calls of the deals, and the compared version even without scores. */
export async function listVersions(sql: Sql, { versions, versionId }: Data): Promise<Version[]> {
  const known = new Map(versions.map((version) => [version.id, version]))
  const ids = [...new Set([...known.keys(), ...(versionId === null ? [] : [versionId])])]
  const { rows } = await sql.query<Pick<Version, 'set' | 'version'> & { id: string }>({
    text: `SELECT v.id, json_build_object('key', s.key, 'name', s.name) AS set, v.number AS version
             FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE v.id = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], v.id)`,
    values: [ids],
  })
  return rows.map(({ id, set, version }) => ({
    set,
    version,
    calls: known.get(id)?.calls ?? 0,
    deals: known.get(id)?.deals ?? 0,
    used: id === versionId,
  }))
}
