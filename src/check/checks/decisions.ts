import { sha256 } from '../../platform/lib/crypto.ts'
import type { Rule } from '../rules/types.ts'
import type { FindingRow, Review } from './entity.ts'
import type { ReviewReason } from './values.ts'

type MachineFinding = Pick<FindingRow, 'machineVerdict' | 'machineDecidedBy' | 'isLabel'>

/** Whether it takes back the decision before it: see Review. */
export const isUndo = ({ kind, verdict }: Pick<Review, 'kind' | 'verdict'>): boolean =>
  kind === 'verdict' && verdict === null

/** The reviews of a finding without undone decisions. Both lists have the newest first. */
export const omitUndone = (reviews: Review[]): Review[] =>
  reviews.filter((review, n) => !isUndo(review) && !(n > 0 && isUndo(reviews[n - 1]!)))

/** The verdict of a finding after its reviews, newest first, and why it still needs a review. */
export function applyReviews(
  recordingId: string,
  rule: Rule,
  finding: MachineFinding,
  reviews: Review[],
): Pick<FindingRow, 'verdict' | 'decidedBy' | 'waits'> {
  const valid = omitUndone(reviews)
  const verdict = valid.find(({ kind }) => kind === 'verdict')?.verdict
  return {
    verdict: verdict ?? finding.machineVerdict,
    decidedBy: verdict ? 'person' : finding.machineDecidedBy,
    waits: selectReviewReason(recordingId, rule, finding, valid[0]?.kind),
  }
}

/** The sampling rate of verdicts that need no review. */
const RANDOM_REVIEW_INTERVAL = 50

/** Why a finding needs a review, the most urgent reason. `last` is its last review. */
function selectReviewReason(
  recordingId: string,
  { key, critical }: Rule,
  { machineVerdict, isLabel }: MachineFinding,
  last: Review['kind'] | undefined,
): ReviewReason | null {
  if (last) return last === 'dispute' ? 'disputed' : null
  if (critical && machineVerdict === 'missed') return 'critical'
  if (machineVerdict === 'unknown') return 'unknown'
  if (isLabel || machineVerdict === 'not_applicable') return null
  return sha256(`${recordingId} ${key}`).readUInt32BE() % RANDOM_REVIEW_INTERVAL === 0 ? 'random' : null
}
