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

const reasonField = field.textOrNull(
  'The name of its final stage; null (no reason) if the name only says that the deal was lost, or is unknown.',
)

const FlagSchema = field.object(
  'A reason that is more or less frequent for this manager’s lost deals than for those of the others, beyond chance.',
  {
    reason: reasonField,
    share: field.ratio('The share of the deals that this manager lost.'),
    others: field.ratio('The share of the deals that the others lost.'),
  },
)

export const RefusalsReportSchema = defineReportSchema('RefusalsReport', 'Why deals are lost, and in which stages.', {
  lost: field.integer('Deals lost in the period.'),
  reasons: field.list(
    field.object('A reason; the shares add up to the whole.', {
      reason: reasonField,
      share: field.ratio('The share of all lost deals.'),
    }),
    'Most frequent first; always includes no reason.',
  ),
  objections: field.list(
    field.object('An objection.', {
      ...reportRuleFields,
      share: field.ratio('Share of the lost deals that have a call with a score.'),
    }),
    'Most frequent first; a deal can have several.',
  ),
  stages: field.list(
    field.object('A stage.', {
      stage: field.textOrNull('Its name; null if it is not known.'),
      share: field.ratio('The share of all lost deals.'),
    }),
    'The last stage before the deal was lost, most frequent first.',
  ),
  calls: field.list(
    field.object('A number.', {
      calls: field.oneOf(['0', '1', '2+'], 'The number of calls.'),
      share: field.ratio('The share of all lost deals.'),
    }),
    'By the number of calls before the loss.',
  ),
  managers: field.list(
    field.object('A manager.', {
      ...reportManagerFields,
      lost: field.integer('Deals that they lost.'),
      noReason: field.ratio('The share without a reason.'),
      flags: field.list(FlagSchema, 'Differences from the other managers; only for 20 deals or more.'),
    }),
    'Most lost first.',
  ),
})
export type RefusalsReportJson = Static<typeof RefusalsReportSchema>

const shareExample = { value: 0.25, numerator: 10, denominator: 40 }

export const refusalsReportExample: Omit<RefusalsReportJson, keyof ReportFrame> = {
  lost: 40,
  reasons: [{ reason: 'Too expensive', share: shareExample }],
  objections: [{ ...RULE_EXAMPLE, share: shareExample }],
  stages: [{ stage: 'Offer sent', share: shareExample }],
  calls: [{ calls: '1', share: shareExample }],
  managers: [{ ...MANAGER_EXAMPLE, lost: 40, noReason: shareExample, flags: [] }],
}
