import type { Temporal } from 'temporal-polyfill'
import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { createPeriod, type Period } from '../../platform/lib/period.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import type { TranscriptSegment } from '../../calls/transcripts/entity.ts'
import { loadRulesByVersion } from '../../check/checks/published-sets.ts'
import type { Evidence, VerdictReason } from '../../check/rules/types.ts'
import { roundToDigits, sumField } from '../definitions/figures.ts'
import { countRuleVerdicts, type RuleVerdictCounts } from '../definitions/rule-verdicts.ts'
import { loadRuleFinder, type RuleFinder, type RuleNames } from '../definitions/rules.ts'
import { isoTimeSql, queryRows } from '../query-rows.ts'
import { listManagerIds, periodCondition } from '../scope.ts'
import { createWeekPeriod } from '../weekly/score-cause.ts'
import { chooseCoachingRule, COACHING_WEEKS, sumWeekFigures, type WeeklyManagerRow } from '../weekly/week-figures.ts'
import { chooseFindingPlaybackStart } from '../playback-start.ts'
import { computeLastWeekMonday } from './my-week.ts'
import { findOwnReport } from './own-report.ts'
import type { HomeSectionJson } from './schema.ts'

const MISSED_CALLS = 2

type Coaching = HomeSectionJson<'coaching'>
type CoachingCall = Coaching['calls'][number]

/**
 * Loads the rule to work on by the last four complete weeks, with two calls that missed it and one that met it. The rule and its
 * counts are those of the stored weekly report, if there is one. If no rule needs coaching, it returns the call with the best score.
 */
export async function loadCoachingSection(core: Core, actor: Actor): Promise<Coaching> {
  const { pool, config } = core
  const monday = computeLastWeekMonday(config.APP_TIMEZONE)
  const first = monday.subtract({ weeks: COACHING_WEEKS - 1 })
  const period = createPeriod(first, monday.add({ days: 6 }), config.APP_TIMEZONE)
  const managers = await listManagerIds(core, actor, {})
  const counts = await countRuleVerdicts(pool, { period, managers })
  const find = await loadRuleFinder(pool, counts)
  const report = await findOwnReport(pool, managers, monday)
  const coach = report?.rows.length === 1 ? report.rows[0]!.coach : chooseCoachingRule(counts, find)
  const found = coach && (await findNewestRule(pool, coach, counts, find))
  if (!found) return { point: null, calls: await listBestCall(core, actor, period) }
  const { weight = 0, critical = false, hint } = found
  const { met, missed, set, rule } = coach
  const { scored, total } = report ? sumReportScores(report.rows) : await sumScores(core, actor, period)
  return {
    point: {
      set,
      rule,
      points: weight,
      met,
      judged: met + missed,
      hint: hint ? { en: hint.en ?? null, ru: hint.ru ?? null } : null,
      score: scored === 0 ? null : roundToDigits(total / scored, 1),
      reachable: critical || scored === 0 ? null : Math.min(100, roundToDigits((total + missed * weight) / scored, 1)),
      weeks: await listWeeklyShares(core, actor, first, { set, rule }),
    },
    calls: await listExamples(core, actor, period, { set, rule }),
  }
}

/** Finds the rule in the newest version that judged a call; undefined if no verdict on the rule is left. */
async function findNewestRule(sql: Sql, { set, rule }: RuleNames, counts: RuleVerdictCounts[], find: RuleFinder) {
  const own = counts.filter((row) => find(row).id === `${set.key}/${rule.key}`)
  const versionId = own
    .map((row) => row.versionId)
    .toSorted()
    .at(-1)
  if (versionId === undefined) return undefined
  const versions = await loadRulesByVersion(sql, [versionId])
  return versions.get(versionId)!.find(({ key }) => key === rule.key)
}

function sumReportScores(rows: WeeklyManagerRow[]): { scored: number; total: number } {
  const { checked, score } = sumWeekFigures(rows.flatMap(({ weeks }) => weeks.slice(-COACHING_WEEKS)))
  return { scored: checked, total: score }
}

async function sumScores({ pool }: Core, actor: Actor, period: Period): Promise<{ scored: number; total: number }> {
  const [row] = await queryRows<{ scored: number; total: number }>(
    pool,
    (p) => `SELECT count(r.score)::int AS scored, coalesce(sum(r.score), 0)::float8 AS total FROM recordings r
             WHERE ${periodCondition(p, period, 'r.call_at')} AND ${p.and(visibleRecordingsCondition(actor))}`,
  )
  return row!
}

/** Lists the share of calls that met the rule, week by week; null for a week in which no call was judged. */
async function listWeeklyShares(
  core: Core,
  actor: Actor,
  first: Temporal.PlainDate,
  { set, rule }: RuleNames,
): Promise<(number | null)[]> {
  const managers = await listManagerIds(core, actor, {})
  const mondays = Array.from({ length: COACHING_WEEKS }, (_, n) => first.add({ weeks: n }))
  return Promise.all(
    mondays.map(async (monday) => {
      const period = createWeekPeriod(monday, core.config.APP_TIMEZONE)
      const counts = await countRuleVerdicts(core.pool, { period, managers })
      const find = await loadRuleFinder(core.pool, counts)
      const own = counts.filter((row) => find(row).id === `${set.key}/${rule.key}`)
      const [met, missed] = [sumField(own, 'met'), sumField(own, 'missed')]
      return met + missed === 0 ? null : roundToDigits(met / (met + missed), 4)
    }),
  )
}

interface ExampleRow extends Pick<CoachingCall, 'recordingId' | 'at' | 'score' | 'verdict' | 'hasAudio'> {
  evidence: Evidence[]
  why: VerdictReason
}

/** Lists the last two calls that missed the rule and the call with the best score that met it. */
async function listExamples(
  core: Core,
  actor: Actor,
  period: Period,
  { set, rule }: RuleNames,
): Promise<CoachingCall[]> {
  const rows = await queryRows<ExampleRow>(
    core.pool,
    (p) => `
      WITH judged AS MATERIALIZED (
        SELECT r.id AS "recordingId", r.call_at, r.score::float8 AS score, r.size_bytes > 0 AS "hasAudio", f.verdict, f.evidence, f.why
          FROM recordings r JOIN analyses a ON a.recording_id = r.id AND a.is_current AND a.provider IS DISTINCT FROM 'mock'
          JOIN findings f ON f.analysis_id = a.id AND f.rule_key = ${p.add(rule.key)} AND f.verdict IN ('met', 'missed')
          JOIN rule_set_versions v ON v.id = f.version_id JOIN rule_sets s ON s.id = v.rule_set_id AND s.key = ${p.add(set.key)}
         WHERE ${periodCondition(p, period, 'r.call_at')} AND ${p.and(visibleRecordingsCondition(actor))})
      SELECT j."recordingId", ${isoTimeSql('j.call_at')} AS at, j.score, j."hasAudio", j.verdict, j.evidence, j.why FROM (
        (SELECT * FROM judged WHERE verdict = 'missed' ORDER BY call_at DESC LIMIT ${MISSED_CALLS}) UNION ALL
        (SELECT * FROM judged WHERE verdict = 'met' ORDER BY score DESC NULLS LAST, call_at DESC LIMIT 1)) j
       ORDER BY j.verdict = 'met', j.call_at`,
  )
  const texts = await loadSegments(
    core,
    rows.map(({ recordingId }) => recordingId),
  )
  return rows.map(({ evidence, why, ...call }) => {
    const hearFrom = chooseFindingPlaybackStart(evidence, why)
    const segments = texts.get(call.recordingId)
    const quote = evidence[0] ? quoteSentence(segments, evidence[0]) : findSentence(segments, hearFrom)
    return { ...call, quote, hearFrom }
  })
}

async function loadSegments({ pool }: Core, recordingIds: string[]): Promise<Map<string, TranscriptSegment[]>> {
  const { rows } = await pool.query<{ id: string; segments: TranscriptSegment[] }>({
    text: 'SELECT recording_id AS id, segments FROM transcripts WHERE recording_id = ANY($1::uuid[])',
    values: [recordingIds],
  })
  return new Map(rows.map(({ id, segments }) => [id, segments]))
}

/**
 * Finds the first segment that begins at or after a time, for a finding without a quote.
 * @param from seconds
 */
const findSentence = (segments: TranscriptSegment[] | undefined, from: number | null): string | null =>
  (from !== null && segments?.find(({ start }) => start >= from)?.text) || null

/** Quotes the whole sentence around the matched words. */
function quoteSentence(segments: TranscriptSegment[] | undefined, { segment, from, to, quote }: Evidence): string {
  const text = segments?.[segment]?.text
  // A corrected text can have other places for the words.
  if (text === undefined || text.slice(from, to) !== quote) return quote
  const end = /[.!?…]/.exec(text.slice(to))
  const start = Math.max(...['.', '!', '?', '…'].map((mark) => text.slice(0, from).lastIndexOf(mark))) + 1
  return text.slice(start, end ? to + end.index + 1 : undefined).trim()
}

const listBestCall = ({ pool }: Core, actor: Actor, period: Period): Promise<CoachingCall[]> =>
  queryRows<CoachingCall>(
    pool,
    (p) => `SELECT r.id AS "recordingId", ${isoTimeSql('r.call_at')} AS at, r.score::float8 AS score, 'met' AS verdict,
                   NULL AS quote, NULL::float8 AS "hearFrom", r.size_bytes > 0 AS "hasAudio"
              FROM recordings r
             WHERE ${periodCondition(p, period, 'r.call_at')} AND r.score IS NOT NULL AND ${p.and(visibleRecordingsCondition(actor))}
             ORDER BY r.score DESC, r.call_at DESC LIMIT 1`,
  )
