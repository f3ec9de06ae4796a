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
  'The name of the final stage of the deals; null for no reason: the name states only that the deal was lost, ' +
    'or is unknown.',
)

const FlagSchema = field.object(
  'A reason that is more or less frequent among the lost deals of this manager than among those of the other ' +
    'managers, beyond chance.',
  {
    reason: reasonField,
    share: field.ratio('The share among the deals that this manager lost.'),
    others: field.ratio('The share among the deals that the other managers lost.'),
  },
)

export const RefusalsReportSchema = defineReportSchema('RefusalsReport', 'Reasons and stages of lost deals.', {
  lost: field.integer('Deals lost in the period.'),
  reasons: field.list(
    field.object('A reason. The shares of all reasons add up to 1.', {
      reason: reasonField,
      share: field.ratio('The share among all lost deals.'),
    }),
    'The reasons, most frequent first; always includes no reason (null).',
  ),
  objections: field.list(
    field.object('An objection.', {
      ...reportRuleFields,
      share: field.ratio('The share among lost deals that have a call with a score.'),
    }),
    'The objections, most frequent first. A deal can have several.',
  ),
  stages: field.list(
    field.object('A stage.', {
      stage: field.textOrNull('The name of the stage; null if unknown.'),
      share: field.ratio('The share among all lost deals.'),
    }),
    'The last stages before deals were lost, most frequent first.',
  ),
  calls: field.list(
    field.object('A number of calls.', {
      calls: field.oneOf(['0', '1', '2+'], 'The number of calls; 2+ means two or more.'),
      share: field.ratio('The share among all lost deals.'),
    }),
    'The numbers of calls before deals were lost.',
  ),
  managers: field.list(
    field.object('A manager.', {
      ...reportManagerFields,
      lost: field.integer('Deals that the manager lost.'),
      noReason: field.ratio('The share of deals without a reason.'),
      flags: field.list(
        FlagSchema,
        'Differences from the other managers. Empty if the manager lost fewer than 20 deals.',
      ),
    }),
    'The managers, most lost deals first.',
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
