import type { Sql } from './sql.ts'

/** Lists the keys of Postgres advisory locks, one per purpose. Database functions define further keys in the migrations. */
export const ADVISORY_LOCK_KEYS = {
  /** Serializes migrations across machines. */
  migrate: 7_361_000,
  addUpRecordingCounts: 7_361_001,
  /** Serializes changes of people and departments. */
  people: 7_361_002,
  addUpDealCalls: 7_361_003,
  /** Lets one worker at a time plan CRM comments. */
  planComments: 7_361_004,
  /** Lets one transaction at a time assign numbers to new texts. */
  numberTexts: 7_361_005,
  addUpRuleCounts: 7_361_006,
  /** Lets one worker at a time create weekly reports. */
  weeklyReports: 7_361_007,
  /** Serializes moves of rule sets, because a move renumbers the others. */
  moveRuleSets: 7_361_008,
  /** Serializes registrations of the same audio. The lock takes a second key for the audio. */
  sameAudio: 7_361_009,
  /** Lets one process at a time run a bulk action. The lock takes a second key for the action. */
  bulkAction: 7_361_010,
  /** Lets one of several starting processes seed the rule sets. */
  seedRuleSets: 7_310_447_812,
} as const

/** Tries to take an advisory lock until the end of the transaction. @returns false if another session has it */
export async function tryAdvisoryLock(sql: Sql, key: number): Promise<boolean> {
  const { rows } = await sql.query<{ ours: boolean }>({
    text: 'SELECT pg_try_advisory_xact_lock($1) AS ours',
    values: [key],
  })
  return rows[0]!.ours
}
