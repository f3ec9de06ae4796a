import { generateId } from '../platform/lib/ids.ts'
import { insertCalls, type TestCallRow } from './calls.ts'
import type { TestApp } from './server.ts'

/** The fields of a call with a check, as the check queue stores it. */
export interface CheckedCallRow extends TestCallRow {
  verdicts?: Record<string, 'met' | 'missed' | 'not_applicable' | 'unknown'>
  labels?: string[]
  /** The id of the version that scored the call; by default the published version of incoming-sales. */
  version?: string
}

/** Finds the id of the published version of a rule set. */
export async function findPublishedRuleSetVersionId(
  { db }: Pick<TestApp, 'db'>,
  set = 'incoming-sales',
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT v.id FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id WHERE s.key = $1 AND v.state = 'published'`,
    [set],
  )
  return rows[0]!.id
}

/**
 * Inserts a retired version with the rules of the published version.
 * @returns the id of the new version
 */
export async function insertRuleSetVersionCopy(
  { db }: Pick<TestApp, 'db'>,
  number: number,
  set = 'incoming-sales',
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `INSERT INTO rule_set_versions (id, rule_set_id, number, state, rules, hash)
     SELECT $1, rule_set_id, $2, 'retired', rules, 'another' FROM rule_set_versions WHERE id = $3 RETURNING id`,
    [generateId(), number, await findPublishedRuleSetVersionId({ db }, set)],
  )
  return rows[0]!.id
}

/**
 * Inserts calls. A call with a score also gets a current check with the given verdicts.
 * @returns the ids in the order of `calls`
 */
export async function insertCheckedCalls(app: Pick<TestApp, 'db'>, calls: CheckedCallRow[]): Promise<string[]> {
  const ids = await insertCalls(app, calls)
  const [scores, labels] = await Promise.all([
    findPublishedRuleSetVersionId(app),
    findPublishedRuleSetVersionId(app, 'refusal-reasons'),
  ])
  const checks = calls.flatMap((call, n) =>
    call.score === undefined || call.score === null
      ? []
      : [{ id: generateId(), recordingId: ids[n]!, score: call.score, version: call.version ?? scores, call }],
  )
  const findings = checks.flatMap(({ id, call, version }) => [
    ...Object.entries(call.verdicts ?? {}).map(([rule, verdict]) => ({
      id: generateId(),
      analysis: id,
      rule,
      verdict,
      version,
      label: false,
    })),
    ...(call.labels ?? []).map((rule) => ({
      id: generateId(),
      analysis: id,
      rule,
      verdict: 'met',
      version: labels,
      label: true,
    })),
  ])
  await app.db.query(
    `INSERT INTO analyses (id, recording_id, status, provider, version_id, transcript_hash, score, score_auto)
     SELECT id, "recordingId", 'DONE', 'rules', version, 'hash', score, score
       FROM json_to_recordset($1) AS c (id uuid, "recordingId" uuid, version uuid, score real)`,
    [JSON.stringify(checks)],
  )
  await app.db.query(
    `INSERT INTO findings (id, analysis_id, version_id, position, is_label, rule_key, rule_hash, machine_verdict,
                           machine_decided_by, verdict, decided_by, why)
     SELECT id, analysis, version, 0, label, rule, 'hash', verdict, 'rules', verdict,
            'rules', '{"code": "found"}'
       FROM json_to_recordset($1) AS f (id uuid, analysis uuid, version uuid, rule text, verdict text, label boolean)`,
    [JSON.stringify(findings)],
  )
  await app.db.query('UPDATE analyses SET is_current = true WHERE id = ANY($1::uuid[])', [checks.map(({ id }) => id)])
  return ids
}

/** The fields of a CRM deal that a test inserts. Omitted fields get default values. */
export interface TestDealRow {
  id: number
  funnel?: number
  stage?: string
  outcome: 'open' | 'won' | 'lost'
  amount?: number | null
  currency?: string | null
  /** The id of the responsible user of the CRM. */
  responsible?: string | null
  createdAt: string
  closedAt?: string | null
  contacts?: number[]
  /** The stage before the deal was closed. */
  before?: string
  /** Ids of calls with an unambiguous link to the deal. */
  calls?: string[]
}

/** Inserts deals with their stage history and their links to calls, and assigns all funnels of deals to one department. */
export async function insertDeals({ db }: Pick<TestApp, 'db'>, deals: TestDealRow[]): Promise<void> {
  const rows = deals.map((deal) => ({
    funnel: 0,
    stage: deal.outcome === 'won' ? 'WON' : 'LOSE',
    contacts: [],
    calls: [],
    ...deal,
  }))
  await db.query(
    `INSERT INTO crm_deals (id, title, funnel_id, stage_id, outcome, amount, currency, responsible_id, contact_ids, created_at, updated_at, closed_at)
     SELECT id, 'Deal ' || id, funnel, stage, outcome, amount, currency, responsible,
            ARRAY(SELECT json_array_elements_text(contacts)::bigint), "createdAt", "createdAt", "closedAt"
       FROM json_to_recordset($1) AS d (id bigint, funnel bigint, stage text, outcome text, amount numeric, currency text,
            responsible text, contacts json, "createdAt" timestamptz, "closedAt" timestamptz)`,
    [JSON.stringify(rows)],
  )
  // Reports count only deals in funnels of departments.
  await db.query(
    `INSERT INTO departments (id, name)
     SELECT gen_random_uuid(), 'Of all funnels' WHERE NOT EXISTS (SELECT FROM departments WHERE name = 'Of all funnels')`,
  )
  await db.query(
    `UPDATE departments SET funnels = ARRAY(SELECT DISTINCT funnel_id FROM crm_deals) WHERE name = 'Of all funnels'`,
  )
  await db.query(
    `INSERT INTO crm_stage_history (id, deal_id, type, funnel_id, stage_id, outcome, moved_at)
     SELECT id, id, 2, funnel, before, 'open', "createdAt" FROM json_to_recordset($1)
         AS d (id bigint, funnel bigint, before text, "createdAt" timestamptz) WHERE before IS NOT NULL`,
    [JSON.stringify(rows)],
  )
  await db.query(
    `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by)
     SELECT value::uuid, id, 'phone' FROM json_to_recordset($1) AS d (id bigint, calls json), json_array_elements_text(calls)`,
    [JSON.stringify(rows)],
  )
}

/**
 * Inserts funnels with their stages.
 * @param stages outcome of each stage by its id
 */
export async function insertFunnels(
  { db }: Pick<TestApp, 'db'>,
  funnels: { id: number; name: string; stages: [id: string, name: string, outcome: 'open' | 'won' | 'lost'][] }[],
): Promise<void> {
  for (const { id, name, stages } of funnels) {
    await db.query('INSERT INTO crm_funnels (id, name) VALUES ($1, $2)', [id, name])
    for (const [stage, called, outcome] of stages) {
      await db.query('INSERT INTO crm_stages (funnel_id, id, name, outcome) VALUES ($1, $2, $3, $4)', [
        id,
        stage,
        called,
        outcome,
      ])
    }
  }
}
