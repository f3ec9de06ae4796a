import type { Sql } from '../../platform/db/sql.ts'
import type { Review } from './entity.ts'

/** What a person has said of a verdict. */
export type Said = Pick<
  Review,
  | 'id'
  | 'findingId'
  | 'ruleSetId'
  | 'ruleKey'
  | 'ruleHash'
  | 'kind'
  | 'machineVerdict'
  | 'verdict'
  | 'comment'
  | 'personId'
  | 'personName'
  | 'createdAt'
>

/** What people have said of the verdicts on one transcript of a call, the newest first. */
export async function saidOf(sql: Sql, recordingId: string, transcriptHash: string): Promise<Said[]> {
  const { rows } = await sql.query<Said>({
    name: 'said-of-call',
    text: `SELECT id, finding_id AS "findingId", rule_set_id AS "ruleSetId", rule_key AS "ruleKey", rule_hash AS "ruleHash",
                  kind, machine_verdict AS "machineVerdict", verdict, comment, person_id AS "personId",
                  person_name AS "personName", created_at AS "createdAt"
             FROM reviews WHERE recording_id = $1 AND transcript_hash = $2 ORDER BY id DESC`,
    values: [recordingId, transcriptHash],
  })
  return rows
}
