import type { Core } from '../../platform/core.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { notFoundError } from '../../platform/errors.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import { SqlParameters, toConditions } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { canEditRuleSet } from '../rule-sets/policy.ts'
import { loadEditableRuleSet, loadRuleSetRow } from '../rule-sets/service.ts'
import { backtestUsesDraftRulesSql } from '../rule-sets/versions.ts'
import type { Rule, RuleSetBody } from '../rules/types.ts'
import { estimateCheckCost } from './estimate.ts'
import {
  calculateRuleMetPercent,
  collectBacktestWarnings,
  type VerdictChange,
  type BacktestFigures,
} from './figures.ts'
import { backtestMessages } from './messages.ts'
import type { BacktestJson, ChangedBacktestCallJson } from './schema.ts'

interface BacktestRow extends Pick<
  BacktestJson,
  'id' | 'ruleSetId' | 'state' | 'revision' | 'isCurrent' | 'total' | 'done'
> {
  from: Date
  to: Date
  personId: string
  personName: string
  draft: RuleSetBody
  published: RuleSetBody | null
  figures: BacktestFigures
  createdAt: Date
  finishedAt: Date | null
}

const BACKTEST_STATE_SQL = `CASE b.status WHEN 'DONE' THEN 'done' WHEN 'CANCELLED' THEN 'cancelled' WHEN 'FAILED' THEN 'failed' ELSE 'running' END`

const BACKTEST_COLUMNS = `
  b.id, b.rule_set_id AS "ruleSetId", ${BACKTEST_STATE_SQL} AS state, b.from_at AS "from", b.to_at AS "to", b.draft_revision AS revision,
  ${backtestUsesDraftRulesSql('b')} AS "isCurrent", b.person_id AS "personId", b.person_name AS "personName", b.draft, b.published,
  cardinality(b.recording_ids) AS total, b.done, b.figures, b.created_at AS "createdAt",
  b.finished_at AS "finishedAt"`

/**
 * Loads a test run.
 * @throws HttpError 404 if it does not exist or the person cannot edit its rule set
 */
export async function loadBacktest(core: Core, sql: Sql, me: ActingPerson, id: string): Promise<BacktestJson> {
  const { rows } = await sql.query<BacktestRow>({
    text: `SELECT ${BACKTEST_COLUMNS} FROM backtests b WHERE b.id = $1`,
    values: [id],
  })
  const row = rows[0]
  if (!row) throw notFoundError(backtestMessages.noBacktest())
  const set = await loadRuleSetRow(sql, me, row.ruleSetId).catch(() => undefined)
  if (!set || !canEditRuleSet(me, set.applies)) throw notFoundError(backtestMessages.noBacktest())
  return presentBacktest(core, row)
}

interface BacktestQuery extends PageRequest {
  state?: BacktestJson['state']
  /** True selects test runs whose rules equal those of the current draft. */
  current?: boolean
}

/**
 * Lists the test runs of a rule set, newest first.
 * @throws HttpError 404 if the rule set is not visible, 403 if the person cannot edit it
 */
export async function listBacktests(core: Core, me: ActingPerson, ruleSetId: string, query: BacktestQuery) {
  const { state, current, ...page } = query
  await loadEditableRuleSet(core.pool, me, ruleSetId)
  const p = new SqlParameters()
  const conditions = p.and(
    toConditions(
      ['b.rule_set_id = ?::uuid', ruleSetId],
      [`${BACKTEST_STATE_SQL} = ?`, state],
      [`${backtestUsesDraftRulesSql('b')} = ?::boolean`, current],
    ),
  )
  const list = {
    select: BACKTEST_COLUMNS,
    from: `backtests b WHERE ${conditions}`,
    order: 'b.id DESC',
    values: p.values,
  }
  const result = await listPage<BacktestRow>(core.pool, list, page)
  return { ...result, items: result.items.map((row) => presentBacktest(core, row)) }
}

function presentBacktest({ config }: Core, row: BacktestRow): BacktestJson {
  const { from, to, personId, personName, draft, published, figures, createdAt, finishedAt, ...plain } = row
  const name = createRuleNameLookup(draft, published)
  return {
    ...plain,
    from: from.toISOString(),
    to: to.toISOString(),
    person: { id: personId, name: personName },
    changed: figures.changed,
    skipped: figures.skipped,
    scoredByOthers: figures.scoredByOthers ?? 0,
    rules: figures.rules.map(({ rule, ...counts }) => ({
      rule,
      name: name(rule),
      ...counts,
      oldRate: calculateRuleMetPercent(counts.old),
      newRate: calculateRuleMetPercent(counts.new),
    })),
    histogram: figures.histogram,
    newZeros: figures.newZeros
      .filter(({ calls }) => calls > 0)
      .map(({ rule, calls }) => ({ rule, name: name(rule), calls })),
    warnings: collectBacktestWarnings(figures).map(({ rule, code }) => ({ rule, name: name(rule), code })),
    estimate: estimateCheckCost(config, { calls: row.total, words: figures.words }, [draft.rules]),
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt && finishedAt.toISOString(),
  }
}

/** The name of NO_POINTS_KEY in the lists of rules. */
const NO_POINTS_NAME = {
  en: 'No points scored, no critical rule missed',
  ru: 'Ни одного балла, критичные правила не нарушены',
}

/** The name in the draft overrides the published name of the same rule. */
function createRuleNameLookup(draft: RuleSetBody, published: RuleSetBody | null): (key: string) => Rule['name'] {
  const names = new Map([...(published?.rules ?? []), ...draft.rules].map(({ key, name }) => [key, name]))
  return (key) => names.get(key) ?? NO_POINTS_NAME
}

interface ChangedCallRow extends Pick<ChangedBacktestCallJson, 'recordingId' | 'oldScore' | 'newScore'> {
  phoneNumber: string | null
  managerName: string | null
  callAt: Date
  changes: VerdictChange[]
}

/**
 * Lists the visible calls whose verdicts or score differ in a test run. The largest change of the score comes first.
 * @throws HttpError 404 if there is no such test run, or the person cannot edit its rule set
 */
export async function listChangedBacktestCalls(core: Core, actor: PersonActor, id: string, page: PageRequest) {
  const { rules } = await loadBacktest(core, core.pool, actor.person, id)
  const names = new Map(rules.map(({ rule, name }) => [rule, name]))
  const p = new SqlParameters()
  const list = {
    select: `c.recording_id AS "recordingId", r.phone_number AS "phoneNumber", r.manager_name AS "managerName",
             r.call_at AS "callAt", c.old_score AS "oldScore", c.new_score AS "newScore", c.changes`,
    from: `backtest_calls c JOIN recordings r ON r.id = c.recording_id
            WHERE ${p.and([...toConditions(['c.backtest_id = ?::uuid', id]), ...visibleRecordingsCondition(actor)])}`,
    order: 'abs(coalesce(c.new_score, 0) - coalesce(c.old_score, 0)) DESC, c.recording_id',
    values: p.values,
  }
  const result = await listPage<ChangedCallRow>(core.pool, list, page)
  const items = result.items.map(({ phoneNumber, managerName, callAt, changes, ...call }) => ({
    ...call,
    recording: { phoneNumber, managerName, callAt: callAt.toISOString() },
    changes: changes.map((change) => ({ ...change, name: names.get(change.rule)! })),
  }))
  return { ...result, items }
}
