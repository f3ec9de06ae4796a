import { loadRulesByVersion } from '../../check/checks/published-sets.ts'
import type { FindingRow } from '../../check/checks/entity.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import type { PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { SqlParameters, toConditions } from '../../platform/lib/sql-conditions.ts'
import { CALL_REFERENCE_SQL } from '../schema.ts'
import { calculateKappa, countAgreement, listPairs, type PersonPair, type VerdictsByPerson } from './agreement.ts'
import { calibrationMessages } from './messages.ts'
import type { CalibrationResultsJson } from './schema.ts'
import { CALIBRATION_RULES_FROM_SQL, loadCalibration } from './service.ts'

type Difference = CalibrationResultsJson['items'][number]
type RuleAgreement = CalibrationResultsJson['rules'][number]

interface ResultRow extends Pick<Difference, 'recording' | 'hasAudio' | 'checkVerdict' | 'verdicts'> {
  ruleSet: Difference['rule']['ruleSet']
  versionId: string
  ruleKey: string
  evidence: FindingRow['evidence']
  why: FindingRow['why']
}

/** A rule of a call with the verdicts of those who submitted. */
interface JudgedRule {
  result: Difference
  byPerson: VerdictsByPerson
}

/**
 * Loads the agreement of the participants who submitted, and a page of their differences, in the calls that the actor sees.
 * @throws HttpError 404, 409 if the actor has not submitted their own verdicts
 */
export async function loadCalibrationResults(
  { pool }: Core,
  actor: PersonActor,
  id: string,
  { page, pageSize }: PageRequest,
): Promise<CalibrationResultsJson> {
  const { canSeeResults, participants } = await loadCalibration(pool, actor, id)
  if (!canSeeResults) throw conflictError(calibrationMessages.notSubmitted())
  const judged = await selectJudgedRules(pool, actor, id)
  const people = participants.filter(({ submittedAt }) => submittedAt !== null).map(({ id, name }) => ({ id, name }))
  const pairs = listPairs(people.map((one) => one.id))
  const verdicts = judged.map(({ byPerson }) => byPerson)
  const differences = judged.filter(({ byPerson }) => new Set(byPerson.values()).size > 1)
  return {
    items: differences.slice((page - 1) * pageSize, page * pageSize).map(({ result }) => result),
    total: differences.length,
    page,
    pageSize,
    pairs: pairs.map((pair) => ({
      people: people.filter((one) => pair.includes(one.id)),
      ...countAgreement(verdicts, pair),
      kappa: roundToHundredths(calculateKappa(verdicts, pair)),
    })),
    rules: groupByRule(judged).map((same) => summarizeRule(same, pairs)),
  }
}

const roundToHundredths = (value: number | null): number | null => value && Math.round(value * 100) / 100

async function selectJudgedRules(sql: Sql, actor: PersonActor, id: string): Promise<JudgedRule[]> {
  const p = new SqlParameters()
  const conditions = [...toConditions(['k.calibration_id = ?::uuid', id]), ...visibleRecordingsCondition(actor)]
  const { rows } = await sql.query<ResultRow>({
    text: `SELECT ${CALL_REFERENCE_SQL} AS recording, f.version_id AS "versionId", f.rule_key AS "ruleKey",
                  r.size_bytes > 0 AS "hasAudio", f.machine_verdict AS "checkVerdict", f.evidence, f.why,
                  (SELECT json_build_object('id', s.id, 'key', s.key, 'name', s.name) FROM rule_set_versions w
                     JOIN rule_sets s ON s.id = w.rule_set_id WHERE w.id = f.version_id) AS "ruleSet",
                  coalesce((SELECT json_agg(json_build_object('person', json_build_object('id', p.id, 'name', p.name),
                                                              'verdict', v.verdict, 'comment', v.comment)
                                            ORDER BY lower(p.name), p.id)
                              FROM calibration_verdicts v JOIN people p ON p.id = v.person_id
                              JOIN calibration_people q USING (calibration_id, person_id)
                             WHERE v.calibration_id = k.calibration_id AND v.finding_id = f.id
                               AND q.submitted_at IS NOT NULL), '[]') AS verdicts
             FROM ${CALIBRATION_RULES_FROM_SQL} WHERE ${p.and(conditions)}
            ORDER BY r.call_at, r.id, f.position, f.id`,
    values: p.values,
  })
  const rules = await loadRulesByVersion(sql, [...new Set(rows.map(({ versionId }) => versionId))])
  return rows.map(({ recording, hasAudio, ruleSet, versionId, ruleKey, checkVerdict, verdicts, evidence, why }) => ({
    result: {
      recording,
      rule: { ruleSet, key: ruleKey, name: rules.get(versionId)!.find(({ key }) => key === ruleKey)!.name },
      hasAudio,
      at: evidence[0]?.start ?? ('from' in why ? why.from : 0),
      checkVerdict,
      verdicts,
    },
    byPerson: new Map(verdicts.map(({ person, verdict }) => [person.id, verdict])),
  }))
}

function groupByRule(judged: JudgedRule[]): JudgedRule[][] {
  const groups = new Map<string, JudgedRule[]>()
  for (const one of judged) {
    const { ruleSet, key: ruleKey } = one.result.rule
    const key = `${ruleSet.id}/${ruleKey}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
}

/** Counts the agreement on a rule. @param judged the same rule in all calls, at least one */
function summarizeRule(judged: JudgedRule[], pairs: PersonPair[]): RuleAgreement {
  const verdicts = judged.map(({ byPerson }) => byPerson)
  const counts = pairs.map((pair) => countAgreement(verdicts, pair))
  const sum = (name: 'compared' | 'agreed') => counts.reduce((total, one) => total + one[name], 0)
  return { rule: judged.at(-1)!.result.rule, compared: sum('compared'), agreed: sum('agreed'), pairs: counts }
}
