import type { Sql } from '../../platform/db/sql.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import type { Rule, RuleSetBody } from '../rules/types.ts'
import type { Core } from '../../platform/core.ts'
import { forbidden, notFound } from '../../platform/errors.ts'
import { Parameters, where } from '../../platform/lib/where.ts'
import { visibleTo } from '../../people/managers/visibility.ts'
import { mayEdit } from '../rule-sets/policy.ts'
import { findSet } from '../rule-sets/service.ts'
import { judgedDraft } from '../rule-sets/zeros.ts'
import { estimateOf } from './estimate.ts'
import { rateOf, warningsOf, type Change, type Figures } from './figures.ts'
import type { BacktestJson } from './schema.ts'
import { backtestMessages } from './messages.ts'

interface Row {
  id: string
  ruleSetId: string
  state: BacktestJson['state']
  from: Date
  to: Date
  revision: number
  isCurrent: boolean
  personId: string
  personName: string
  draft: RuleSetBody
  published: RuleSetBody | null
  total: number
  done: number
  figures: Figures
  createdAt: Date
  finishedAt: Date | null
  words: number
}

const STATE = `CASE b.status WHEN 'DONE' THEN 'done' WHEN 'CANCELLED' THEN 'cancelled' WHEN 'FAILED' THEN 'failed' ELSE 'running' END`

/** About how many words the calls of a list have, as SQL. */
export const wordsOf = (ids: string): string =>
  `SELECT coalesce(sum(length(t.text)) / 6.2, 0)::int AS words FROM transcripts t WHERE t.recording_id = ANY(${ids})`

// Those of earlier releases do not hold their words.
const SELECT_BACKTEST = `
  SELECT b.id, b.rule_set_id AS "ruleSetId", ${STATE} AS state, b.from_at AS "from", b.to_at AS "to", b.draft_revision AS revision,
         ${judgedDraft('b')} AS "isCurrent", b.person_id AS "personId", b.person_name AS "personName", b.draft, b.published,
         cardinality(b.recording_ids) AS total, b.done, b.figures, b.created_at AS "createdAt",
         b.finished_at AS "finishedAt",
         coalesce((b.figures ->> 'words')::int, (${wordsOf('b.recording_ids')})) AS words
    FROM backtests b`

/** A backtest of a set that the person may edit. @throws HttpError 404 */
export const readBacktest = (core: Core, me: ActingPerson, id: string): Promise<BacktestJson> =>
  findBacktest(core, core.pool, me, id)

/** The same, in a transaction. @throws HttpError 404 */
export async function findBacktest(core: Core, sql: Sql, me: ActingPerson, id: string): Promise<BacktestJson> {
  const { rows } = await sql.query<Row>({ text: `${SELECT_BACKTEST} WHERE b.id = $1`, values: [id] })
  const row = rows[0]
  if (!row) throw notFound(backtestMessages.noBacktest())
  const set = await findSet(sql, me, row.ruleSetId).catch(() => undefined)
  if (!set || !mayEdit(me, set.applies)) throw notFound(backtestMessages.noBacktest())
  return present(core, row)
}

interface Asked {
  page: number
  pageSize: number
  state?: BacktestJson['state']
  /** Whether it has judged by the draft as it is. */
  current?: boolean
}

/** A page of the backtests of a set that the person may edit, the newest first. @throws HttpError 403, 404 */
export async function listBacktests(
  core: Core,
  me: ActingPerson,
  ruleSetId: string,
  { page, pageSize, state, current }: Asked,
) {
  const set = await findSet(core.pool, me, ruleSetId)
  if (!mayEdit(me, set.applies)) throw forbidden()
  const p = new Parameters()
  const conditions = p.and(
    where(
      ['b.rule_set_id = ?::uuid', ruleSetId],
      [`${STATE} = ?`, state],
      [`${judgedDraft('b')} = ?::boolean`, current],
    ),
  )
  const { rows } = await core.pool.query<Row>({
    text: `${SELECT_BACKTEST} WHERE ${conditions} ORDER BY b.id DESC LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
    values: p.values,
  })
  const counts = await core.pool.query<{ total: number }>({
    text: `SELECT count(*)::int AS total FROM backtests b WHERE ${conditions}`,
    values: p.values,
  })
  return { items: rows.map((row) => present(core, row)), total: counts.rows[0]!.total, page, pageSize }
}

function present({ config }: Core, row: Row): BacktestJson {
  const { from, to, personId, personName, draft, published, figures, words, createdAt, finishedAt, ...plain } = row
  const name = namesOf(draft, published)
  return {
    ...plain,
    from: from.toISOString(),
    to: to.toISOString(),
    person: { id: personId, name: personName },
    changed: figures.changed,
    skipped: figures.skipped,
    rules: figures.rules.map(({ rule, ...counts }) => ({
      rule,
      name: name(rule),
      ...counts,
      oldRate: rateOf(counts.old),
      newRate: rateOf(counts.new),
    })),
    histogram: figures.histogram,
    newZeros: figures.newZeros
      .filter(({ calls }) => calls > 0)
      .map(({ rule, calls }) => ({ rule, name: name(rule), calls })),
    warnings: warningsOf(figures).map(({ rule, code }) => ({ rule, name: name(rule), code })),
    estimate: estimateOf(config, { calls: row.total, words }, [draft.rules]),
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt && finishedAt.toISOString(),
  }
}

/** What stands for the rule of calls that would get 0 though no critical one is missed. */
const WITHOUT_POINTS = { en: 'Not one point, without a critical rule', ru: 'Ни одного балла, без критичного правила' }

/** What the rules of a backtest are called, by their keys. */
function namesOf(draft: RuleSetBody, published: RuleSetBody | null): (key: string) => Rule['name'] {
  const names = new Map([...(published?.rules ?? []), ...draft.rules].map(({ key, name }) => [key, name]))
  return (key) => names.get(key) ?? WITHOUT_POINTS
}

interface ChangedRow {
  recordingId: string
  phoneNumber: string | null
  managerName: string | null
  callAt: Date
  oldScore: number | null
  newScore: number | null
  changes: Change[]
}

/** Lists a page of the calls whose verdicts or score change, largest change of the score first. @throws HttpError 404 */
export async function listChanged(
  core: Core,
  actor: PersonActor,
  id: string,
  { page, pageSize }: { page: number; pageSize: number },
) {
  const { rules } = await readBacktest(core, actor.person, id)
  const names = new Map(rules.map(({ rule, name }) => [rule, name]))
  const p = new Parameters()
  const from = `backtest_calls c JOIN recordings r ON r.id = c.recording_id
    WHERE ${p.and([...where(['c.backtest_id = ?::uuid', id]), ...visibleTo(actor)])}`
  const { rows } = await core.pool.query<ChangedRow>({
    text: `SELECT c.recording_id AS "recordingId", r.phone_number AS "phoneNumber", r.manager_name AS "managerName",
                  r.call_at AS "callAt", c.old_score AS "oldScore", c.new_score AS "newScore", c.changes
             FROM ${from} ORDER BY abs(coalesce(c.new_score, 0) - coalesce(c.old_score, 0)) DESC, c.recording_id
            LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
    values: p.values,
  })
  const counts = await core.pool.query<{ total: number }>({
    text: `SELECT count(*)::int AS total FROM ${from}`,
    values: p.values,
  })
  const items = rows.map(({ phoneNumber, managerName, callAt, changes, ...call }) => ({
    ...call,
    recording: { phoneNumber, managerName, callAt: callAt.toISOString() },
    changes: changes.map((change) => ({ ...change, name: names.get(change.rule)! })),
  }))
  return { items, total: counts.rows[0]!.total, page, pageSize }
}
