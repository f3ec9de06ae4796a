import Type, { type Static } from 'typebox'
import * as field from '../field.ts'
import { ANNA, NEXT_STEP, managerFields, reportSchema, ruleFields, type Frame } from '../schema.ts'

const pairsFields = {
  value: field.maybeNumber(
    'The share of the pairs in which the won deal has the higher score; null without pairs, and where the deals are too few ' +
      'to say anything: fewer than 100, 20 won or 20 lost, of one manager fewer than ten won or lost.',
  ),
  pairs: field.count('Pairs of a won and a lost deal.'),
}
const pairs = (description: string) => field.object(pairsFields, description)
const bound = (description: string) => field.maybeNumber(description)

export const CorrelationSchema = reportSchema('CorrelationReport', 'Whether won deals had higher-scored calls.', {
  verdict: Type.Enum(['too-few', 'no-interval', 'higher', 'none', 'lower'], {
    description:
      'too-few: not 100 deals with 20 won and 20 lost, so the pairs are counted and all shares of them null; no-interval: too many resamples had no pair; higher, lower: won ' +
      'deals have higher, or lower, scored calls, beyond chance; none: chance would do. It never says why.',
  }),
  a: field.object(
    {
      ...pairsFields,
      low: bound('The lower end of its interval.'),
      high: bound('The upper end.'),
      level: bound('Which share of such intervals holds the truth.'),
    },
    'Pairs of deals of one manager and funnel.',
  ),
  pooled: field.object(
    { ...pairsFields, differs: field.boolean('By more than 0.1: who calls explains a part.') },
    'Pairs of all deals, whoever called.',
  ),
  deals: field.object(
    {
      used: field.count('Deals that were compared.'),
      won: field.count('Won ones of them.'),
      lost: field.count('Lost ones.'),
      excluded: field.object(
        {
          noScore: field.count('No call with a score began before they were closed.'),
          otherSet: field.count('Only other rule sets scored their calls.'),
          otherVersion: field.count('Other versions of this rule set scored their calls.'),
          oneSided: field.count('Their manager has only won, or only lost, deals in the funnel.'),
        },
        'Closed deals that say nothing here.',
      ),
    },
    'What it rests on.',
  ),
  managers: field.list(
    field.object(
      { ...managerFields, ...pairsFields, won: field.count('Won deals.'), lost: field.count('Lost deals.') },
      'A manager.',
    ),
    'Each by themselves, those with most pairs first.',
  ),
  bands: field.list(
    field.object(
      {
        from: field.count('Mean score from.'),
        to: field.count('Below, or 100.'),
        winRate: field.ratio('Won, of the deals of this band.'),
        low: bound('Wilson’s interval, its lower end.'),
        high: bound('Its upper end.'),
      },
      'Deals by the mean score of their calls.',
    ),
    'From the lowest.',
  ),
  rules: field.list(
    field.object(
      {
        ...ruleFields,
        met: field.count('Deals in which it was met in at least half of the calls in which it was judged.'),
        unmet: field.count('Deals in which it was not.'),
        difference: field.maybeNumber(
          'How much more often deals were won where it was met, within managers and funnels; null where a side has fewer than 20 deals, and where the verdict is too-few.',
        ),
        p: field.maybeNumber('How often chance alone shows as much.'),
        q: field.maybeNumber('The share of chance finds among rules at least as good.'),
        notable: field.boolean('Whether q is at most 0.1.'),
      },
      'A rule.',
    ),
    'The surest first.',
  ),
  sensitivity: field.object(
    {
      withoutLastCall: pairs('The last call of each deal left out: it may know how the deal ends.'),
      sameTalkTime: pairs('Only deals compared that were talked about for about as long.'),
    },
    'What else might explain it.',
  ),
  ruleVersion: field.maybe(
    field.object(
      { set: field.text('The key of the rule set.'), version: field.count('Its version.') },
      'By which the scores were given.',
    ),
    'The version of rules whose scores are compared: the requested one, else the one with most calls; null without scores.',
  ),
  versions: field.list(
    field.object(
      {
        set: ruleFields.set,
        version: field.count('Its version.'),
        calls: field.count('Calls of these deals that it scored.'),
        deals: field.count('Deals with such a call.'),
        used: field.boolean('Whether its scores are compared.'),
      },
      'A version of rules.',
    ),
    'The versions that scored the calls of these deals, most calls first. The compared version is always included.',
  ),
  bootstrap: field.object(
    {
      requested: field.count('Resamples asked for (CORRELATION_BOOTSTRAP_REPLICATES).'),
      valid: field.count('Those with a pair.'),
      void: field.count('Those without.'),
    },
    'How the interval was made.',
  ),
})
export type CorrelationJson = Static<typeof CorrelationSchema>

export const correlationExample: Omit<CorrelationJson, keyof Frame> = {
  verdict: 'higher',
  a: { value: 0.61, pairs: 5200, low: 0.55, high: 0.67, level: 0.95 },
  pooled: { value: 0.63, pairs: 30_400, differs: false },
  deals: { used: 400, won: 150, lost: 250, excluded: { noScore: 20, otherSet: 3, otherVersion: 5, oneSided: 8 } },
  managers: [{ ...ANNA, value: 0.6, pairs: 900, won: 30, lost: 30 }],
  bands: [{ from: 80, to: 100, winRate: { value: 0.3, numerator: 12, denominator: 40 }, low: 0.1807, high: 0.4543 }],
  rules: [{ ...NEXT_STEP, met: 200, unmet: 180, difference: 0.225, p: 0.0325, q: 0.04, notable: true }],
  sensitivity: { withoutLastCall: { value: 0.6, pairs: 4000 }, sameTalkTime: { value: 0.59, pairs: 1700 } },
  ruleVersion: { set: 'incoming-sales', version: 1 },
  versions: [{ set: NEXT_STEP.set, version: 1, calls: 900, deals: 408, used: true }],
  bootstrap: { requested: 1000, valid: 1000, void: 0 },
}
