import type { Sql } from './sql.ts'

/** Keys of Postgres' advisory locks, one per purpose. Functions of the database contain their own (see migrations). */
export const ADVISORY_LOCK_KEYS = {
  /** One migrator at a time, on all machines. */
  migrate: 7_361_000,
  addUpRecordingCounts: 7_361_001,
  /** One change of people or departments at a time. */
  people: 7_361_002,
  addUpDealCalls: 7_361_003,
  /** One worker at a time plans comments. */
  planComments: 7_361_004,
  /** One text at a time gets its number. */
  numberTexts: 7_361_005,
  addUpRuleCounts: 7_361_006,
  /** One worker at a time makes reports. */
  weeklyReports: 7_361_007,
  /** One rule set moves at a time: it renumbers the others. */
  moveRuleSets: 7_361_008,
  /** One registration of the same audio at a time; with a second key. */
  sameAudio: 7_361_009,
  /** Several processes start at once: one of them seeds. */
  seedRuleSets: 7_310_447_812,
} as const

/** Takes a lock until the end of the transaction; false if somebody else holds it. */
export async function tryAdvisoryLock(sql: Sql, key: number): Promise<boolean> {
  const { rows } = await sql.query<{ ours: boolean }>({
    text: 'SELECT pg_try_advisory_xact_lock($1) AS ours',
    values: [key],
  })
  return rows[0]!.ours
}
