import type { Static } from 'typebox'
import * as field from '../field.ts'
import {
  MANAGER_EXAMPLE,
  RULE_EXAMPLE,
  reportManagerFields,
  defineReportSchema,
  reportRuleFields,
  type ReportFrame,
} from '../schema.ts'

const pairsFields = {
  value: field.numberOrNull(
    'The share of the pairs in which the won deal has the higher score. null without pairs and with too few ' +
      'deals: fewer than 100, 20 won or 20 lost. For one manager: fewer than ten won or lost.',
  ),
  pairs: field.integer('Pairs of a won and a lost deal.'),
}
const pairsField = (description: string) => field.object(description, pairsFields)

export const CorrelationReportSchema = defineReportSchema(
  'CorrelationReport',
  'Whether won deals had higher-scored calls.',
  {
    verdict: field.oneOf(
      ['too-few', 'no-interval', 'higher', 'none', 'lower'],
      'too-few: not 100 deals with 20 won and 20 lost, so the pairs are counted and all shares of them null; no-interval: too many resamples had no pair; higher, lower: won ' +
        'deals have higher, or lower, scored calls, beyond chance; none: chance would do. It never says why.',
    ),
    a: field.object('Pairs of deals of one manager and funnel.', {
      ...pairsFields,
      low: field.numberOrNull('The lower end of its interval.'),
      high: field.numberOrNull('The upper end.'),
      level: field.numberOrNull('The confidence level of the interval.'),
    }),
    pooled: field.object('Pairs of all deals, of any managers.', {
      ...pairsFields,
      differs: field.boolean('The difference exceeds 0.1: the choice of the manager explains a part.'),
    }),
    deals: field.object('The data behind it.', {
      used: field.integer('Compared deals.'),
      won: field.integer('Of these, won ones.'),
      lost: field.integer('Of these, lost ones.'),
      excluded: field.object('Closed deals that cannot be compared.', {
        noScore: field.integer('No call with a score began before they were closed.'),
        otherSet: field.integer('Only other rule sets scored their calls.'),
        otherVersion: field.integer('Other versions of this rule set scored their calls.'),
        oneSided: field.integer('Their manager has only won, or only lost, deals in the funnel.'),
      }),
    }),
    managers: field.list(
      field.object('A manager.', {
        ...reportManagerFields,
        ...pairsFields,
        won: field.integer('Won deals.'),
        lost: field.integer('Lost deals.'),
      }),
      'Each manager separately, those with most pairs first.',
    ),
    bands: field.list(
      field.object('Deals by the mean score of their calls.', {
        from: field.integer('The lowest mean score.'),
        to: field.integer('The limit of the mean score, exclusive; or 100.'),
        winRate: field.ratio('The share of won deals in this band.'),
        low: field.numberOrNull('Wilson’s interval, its lower end.'),
        high: field.numberOrNull('Its upper end.'),
      }),
      'The lowest band first.',
    ),
    rules: field.list(
      field.object('A rule.', {
        ...reportRuleFields,
        met: field.integer('Deals that met the rule in at least half of the calls with a verdict.'),
        unmet: field.integer('Deals that did not.'),
        difference: field.numberOrNull(
          'How much more often deals were won if it was met, within managers and funnels. null if a side has fewer ' +
            'than 20 deals, or if the verdict is too-few.',
        ),
        p: field.numberOrNull('The probability that chance alone shows as much.'),
        q: field.numberOrNull('The share of chance finds among rules at least as good.'),
        notable: field.boolean('Whether q is at most 0.1.'),
      }),
      'The most certain first.',
    ),
    sensitivity: field.object('Other possible explanations.', {
      withoutLastCall: pairsField('Without the last call of each deal, which can reveal the outcome.'),
      sameTalkTime: pairsField('Only compares deals with about the same total talk time.'),
    }),
    ruleVersion: field.nullable(
      field.object('The version of the rules behind the scores.', {
        set: field.text('The key of the rule set.'),
        version: field.integer('Its version.'),
      }),
      'The version of rules whose scores are compared: the requested one, else the one with most calls; null without scores.',
    ),
    versions: field.list(
      field.object('A version of rules.', {
        set: reportRuleFields.set,
        version: field.integer('Its version.'),
        calls: field.integer('Calls of these deals that it scored.'),
        deals: field.integer('Deals with such a call.'),
        used: field.boolean('Whether its scores are compared.'),
      }),
      'The versions that scored the calls of these deals, most calls first. The compared version is always included.',
    ),
    bootstrap: field.object('The parameters of the interval.', {
      requested: field.integer('Requested resamples (CORRELATION_BOOTSTRAP_REPLICATES).'),
      valid: field.integer('Resamples with a pair.'),
      void: field.integer('Resamples without a pair.'),
    }),
  },
)
export type CorrelationReportJson = Static<typeof CorrelationReportSchema>

export const correlationReportExample: Omit<CorrelationReportJson, keyof ReportFrame> = {
  verdict: 'higher',
  a: { value: 0.61, pairs: 5200, low: 0.55, high: 0.67, level: 0.95 },
  pooled: { value: 0.63, pairs: 30_400, differs: false },
  deals: { used: 400, won: 150, lost: 250, excluded: { noScore: 20, otherSet: 3, otherVersion: 5, oneSided: 8 } },
  managers: [{ ...MANAGER_EXAMPLE, value: 0.6, pairs: 900, won: 30, lost: 30 }],
  bands: [{ from: 80, to: 100, winRate: { value: 0.3, numerator: 12, denominator: 40 }, low: 0.1807, high: 0.4543 }],
  rules: [{ ...RULE_EXAMPLE, met: 200, unmet: 180, difference: 0.225, p: 0.0325, q: 0.04, notable: true }],
  sensitivity: { withoutLastCall: { value: 0.6, pairs: 4000 }, sameTalkTime: { value: 0.59, pairs: 1700 } },
  ruleVersion: { set: 'incoming-sales', version: 1 },
  versions: [{ set: RULE_EXAMPLE.set, version: 1, calls: 900, deals: 408, used: true }],
  bootstrap: { requested: 1000, valid: 1000, void: 0 },
}
