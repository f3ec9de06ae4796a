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
  type Frame,
} from '../schema.ts'

const reason = maybe(
  Type.String(),
  'The name of its final stage; null (no reason) if the name only says that the deal was lost, or is unknown.',
)

const FlagSchema = object(
  {
    reason,
    share: ratioOf('Of the deals that this manager lost.'),
    others: ratioOf('Of those that the others lost.'),
  },
  'A reason that a manager’s deals are lost for more often, or less, than those of the others, beyond chance.',
)

export const RefusalsSchema = reportSchema('RefusalsReport', 'Why deals are lost, and where.', {
  lost: count('Deals lost in the period.'),
  reasons: list(
    object({ reason, share: ratioOf('Of all lost deals.') }, 'A reason; the shares are the whole together.'),
    'Most frequent first; no reason is always there.',
  ),
  objections: list(
    object(
      { ...ruleFields, share: ratioOf('Share of the lost deals that have a call with a score.') },
      'What was said in such a call.',
    ),
    'Most frequent first; a deal may have several.',
  ),
  stages: list(
    object(
      { stage: maybe(Type.String(), 'Its name; null where it is not known.'), share: ratioOf('Of all lost deals.') },
      'A stage.',
    ),
    'The last stage before the deal was lost, most frequent first.',
  ),
  calls: list(
    object(
      { calls: Type.Enum(['0', '1', '2+'], { description: 'So many.' }), share: ratioOf('Of all lost deals.') },
      'A number.',
    ),
    'How many calls there were before.',
  ),
  managers: list(
    object(
      {
        ...managerFields,
        lost: count('Deals that they lost.'),
        noReason: ratioOf('Of these the ones without a reason.'),
        flags: list(FlagSchema, 'What is unlike the others; only of 20 deals or more.'),
      },
      'A manager.',
    ),
    'Most lost first.',
  ),
})
export type RefusalsJson = Static<typeof RefusalsSchema>

const example = { value: 0.25, numerator: 10, denominator: 40 }

export const refusalsExample: Omit<RefusalsJson, keyof Frame> = {
  lost: 40,
  reasons: [{ reason: 'Too expensive', share: example }],
  objections: [{ ...NEXT_STEP, share: example }],
  stages: [{ stage: 'Offer sent', share: example }],
  calls: [{ calls: '1', share: example }],
  managers: [{ ...ANNA, lost: 40, noReason: example, flags: [] }],
}
