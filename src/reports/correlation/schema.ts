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
    'The share of the pairs in which the won deal has the higher score, 0 to 1. Null without pairs and with too ' +
      'few deals: fewer than 100, 20 won or 20 lost. For one manager: fewer than ten won or lost.',
  ),
  pairs: field.integer('The number of pairs of a won and a lost deal.'),
}
const pairsField = (description: string) => field.object(description, pairsFields)

export const CorrelationReportSchema = defineReportSchema(
  'CorrelationReport',
  'Whether won deals had calls with higher scores.',
  {
    verdict: field.oneOf(
      ['too-few', 'no-interval', 'higher', 'none', 'lower'],
      'too-few: fewer than 100 deals, 20 won or 20 lost; pairs are counted, but all shares are null. no-interval: ' +
        'too many resamples had no pair. higher or lower: won deals have calls with higher or lower scores, beyond ' +
        'chance. none: the difference can be chance. The verdict never states a cause.',
    ),
    a: field.object('Pairs of deals of one manager and funnel.', {
      ...pairsFields,
      low: field.numberOrNull('The lower end of the interval of `value`; null without an interval.'),
      high: field.numberOrNull('The upper end of the interval; null without an interval.'),
      level: field.numberOrNull('The confidence level of the interval, such as 0.95; null without an interval.'),
    }),
    pooled: field.object('Pairs of all deals, across managers and funnels.', {
      ...pairsFields,
      differs: field.boolean(
        'Whether the value differs by more than 0.1 from that of `a`. The mix of managers and funnels then explains a ' +
          'part of the correlation.',
      ),
    }),
    deals: field.object('The deals behind the figures.', {
      used: field.integer('The number of compared deals.'),
      won: field.integer('Of these, won deals.'),
      lost: field.integer('Of these, lost deals.'),
      excluded: field.object('Closed deals that cannot be compared.', {
        noScore: field.integer('Deals without a call with a score before they were closed.'),
        otherSet: field.integer('Deals whose calls only other rule sets scored.'),
        otherVersion: field.integer('Deals whose calls only other versions of this rule set scored.'),
        oneSided: field.integer('Deals whose manager has only won, or only lost, deals in the funnel.'),
      }),
    }),
    managers: field.list(
      field.object('A manager.', {
        ...reportManagerFields,
        ...pairsFields,
        won: field.integer('Won deals of the manager.'),
        lost: field.integer('Lost deals of the manager.'),
      }),
      'Each manager separately; managers with most pairs first.',
    ),
    bands: field.list(
      field.object('Deals by the mean score of their calls.', {
        from: field.integer('The lower limit of the mean score, inclusive.'),
        to: field.integer('The upper limit of the mean score, exclusive; 100 is inclusive.'),
        winRate: field.ratio('The share of won deals in this band.'),
        low: field.numberOrNull('The lower end of Wilson’s interval, 0 to 1; null without deals.'),
        high: field.numberOrNull('The upper end of the interval; null without deals.'),
      }),
      'The bands, lowest first.',
    ),
    rules: field.list(
      field.object('A rule.', {
        ...reportRuleFields,
        met: field.integer('Deals that met the rule in at least half of the calls with a verdict.'),
        unmet: field.integer('Deals that did not meet the rule.'),
        difference: field.numberOrNull(
          'The share of won deals if the rule was met, minus the share if it was not, within managers and funnels. Null ' +
            'if a side has fewer than 20 deals, if nothing can be compared, or if the verdict is too-few.',
        ),
        p: field.numberOrNull(
          'The probability that chance alone shows such a difference, 0 to 1; null without a difference.',
        ),
        q: field.numberOrNull(
          'The expected share of chance findings among rules with at most this p, 0 to 1; null without a difference.',
        ),
        notable: field.boolean('Whether q is at most 0.1.'),
      }),
      'The rules with the lowest q first.',
    ),
    sensitivity: field.object('The comparison under other possible explanations.', {
      withoutLastCall: pairsField(
        'The comparison without the last call of each deal, because that call can reveal the outcome.',
      ),
      sameTalkTime: pairsField('The comparison among deals with about the same total talk time.'),
    }),
    ruleVersion: field.nullable(
      field.object('The version of the rules behind the scores.', {
        set: field.text('The key of the rule set.'),
        version: field.integer('The number of the version.'),
      }),
      'The version of rules whose scores are compared: the requested one, else the one with most calls. Null ' +
        'without scores.',
    ),
    versions: field.list(
      field.object('A version of rules.', {
        set: reportRuleFields.set,
        version: field.integer('The number of the version.'),
        calls: field.integer('Calls of these deals that this version scored.'),
        deals: field.integer('Deals with such a call.'),
        used: field.boolean('Whether the report compares the scores of this version.'),
      }),
      'The versions that scored the calls of these deals, most calls first. The compared version is always included.',
    ),
    bootstrap: field.object('The resamples behind the interval.', {
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
