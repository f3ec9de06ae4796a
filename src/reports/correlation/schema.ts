import Type, { type Static } from 'typebox'
import {
  ANNA,
  NEXT_STEP,
  count,
  list,
  managerFields,
  maybe,
  object,
  ratioOf,
  reportSchema,
  ruleFields,
  text,
  type Frame,
} from '../schema.ts'

const pairsFields = {
  value: maybe(
    Type.Number(),
    'The share of the pairs in which the won deal has the higher score; null without pairs, and where the deals are too few ' +
      'to say anything: fewer than 100, 20 won or 20 lost, of one manager fewer than ten won or lost.',
  ),
  pairs: count('Pairs of a won and a lost deal.'),
}
const pairs = (description: string) => object(pairsFields, description)
const bound = (description: string) => maybe(Type.Number(), description)

export const CorrelationSchema = reportSchema('CorrelationReport', 'Whether won deals had higher-scored calls.', {
  verdict: Type.Enum(['too-few', 'no-interval', 'higher', 'none', 'lower'], {
    description:
      'too-few: not 100 deals with 20 won and 20 lost, so the pairs are counted and all shares of them null; no-interval: too many resamples had no pair; higher, lower: won ' +
      'deals have higher, or lower, scored calls, beyond chance; none: chance would do. It never says why.',
  }),
  a: object(
    {
      ...pairsFields,
      low: bound('The lower end of its interval.'),
      high: bound('The upper end.'),
      level: bound('Which share of such intervals holds the truth.'),
    },
    'Pairs of deals of one manager and funnel.',
  ),
  pooled: object(
    { ...pairsFields, differs: Type.Boolean({ description: 'By more than 0.1: who calls explains a part.' }) },
    'Pairs of all deals, whoever called.',
  ),
  deals: object(
    {
      used: count('Deals that were compared.'),
      won: count('Won ones of them.'),
      lost: count('Lost ones.'),
      excluded: object(
        {
          noScore: count('No call with a score began before they were closed.'),
          otherSet: count('Only other rule sets scored their calls.'),
          otherVersion: count('Other versions of this rule set scored their calls.'),
          oneSided: count('Their manager has only won, or only lost, deals in the funnel.'),
        },
        'Closed deals that say nothing here.',
      ),
    },
    'What it rests on.',
  ),
  managers: list(
    object({ ...managerFields, ...pairsFields, won: count('Won deals.'), lost: count('Lost deals.') }, 'A manager.'),
    'Each by themselves, those with most pairs first.',
  ),
  bands: list(
    object(
      {
        from: count('Mean score from.'),
        to: count('Below, or 100.'),
        winRate: ratioOf('Won, of the deals of this band.'),
        low: bound('Wilson’s interval, its lower end.'),
        high: bound('Its upper end.'),
      },
      'Deals by the mean score of their calls.',
    ),
    'From the lowest.',
  ),
  rules: list(
    object(
      {
        ...ruleFields,
        met: count('Deals in which it was met in at least half of the calls in which it was judged.'),
        unmet: count('Deals in which it was not.'),
        difference: maybe(
          Type.Number(),
          'How much more often deals were won where it was met, within managers and funnels; null where a side has fewer than 20 deals, and where the verdict is too-few.',
        ),
        p: maybe(Type.Number(), 'How often chance alone shows as much.'),
        q: maybe(Type.Number(), 'The share of chance finds among rules at least as good.'),
        notable: Type.Boolean({ description: 'Whether q is at most 0.1.' }),
      },
      'A rule.',
    ),
    'The surest first.',
  ),
  sensitivity: object(
    {
      withoutLastCall: pairs('The last call of each deal left out: it may know how the deal ends.'),
      sameTalkTime: pairs('Only deals compared that were talked about for about as long.'),
    },
    'What else might explain it.',
  ),
  ruleVersion: maybe(
    object(
      { set: text('The key of the rule set.'), version: count('Its version.') },
      'By which the scores were given.',
    ),
    'The version of rules whose scores are compared: the requested one, else the one with most calls; null without scores.',
  ),
  versions: list(
    object(
      {
        set: ruleFields.set,
        version: count('Its version.'),
        calls: count('Calls of these deals that it scored.'),
        deals: count('Deals with such a call.'),
        used: Type.Boolean({ description: 'Whether its scores are compared.' }),
      },
      'A version of rules.',
    ),
    'The versions that scored the calls of these deals, most calls first. The compared version is always included.',
  ),
  bootstrap: object(
    {
      requested: count('Resamples asked for (CORRELATION_BOOTSTRAP_REPLICATES).'),
      valid: count('Those with a pair.'),
      void: count('Those without.'),
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
