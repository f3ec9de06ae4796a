import { sha256 } from '../../platform/lib/crypto.ts'
import type { Rule } from '../rules/types.ts'
import type { FindingRow, FindingReview } from './entity.ts'
import type { ReviewReason } from './values.ts'

type MachineFinding = Pick<FindingRow, 'machineVerdict' | 'machineDecidedBy' | 'isLabel'>

/** Returns true if a review takes back the decision before it. Such a review has no verdict. */
export const isReviewUndo = ({ kind, verdict }: Pick<FindingReview, 'kind' | 'verdict'>): boolean =>
  kind === 'verdict' && verdict === null

/**
 * Removes undone decisions and their undo entries.
 * @param reviews of one finding, newest first
 */
export const omitUndoneReviews = (reviews: FindingReview[]): FindingReview[] =>
  reviews.filter((review, n) => !isReviewUndo(review) && !(n > 0 && isReviewUndo(reviews[n - 1]!)))

/**
 * Returns the verdict of a finding after its reviews, and the reason why it still waits for a review.
 * @param reviews of the finding, newest first
 */
export function applyReviewsToFinding(
  recordingId: string,
  rule: Rule,
  finding: MachineFinding,
  reviews: FindingReview[],
): Pick<FindingRow, 'verdict' | 'decidedBy' | 'waits'> {
  const valid = omitUndoneReviews(reviews)
  const verdict = valid.find(({ kind }) => kind === 'verdict')?.verdict
  return {
    verdict: verdict ?? finding.machineVerdict,
    decidedBy: verdict ? 'person' : finding.machineDecidedBy,
    waits: selectReviewReason(recordingId, rule, finding, valid[0]?.kind),
  }
}

/** On average, one of 50 met or missed verdicts of score sets waits for a review without another reason. */
const RANDOM_REVIEW_INTERVAL = 50

/** Returns the most urgent reason, or null. A reviewed finding waits only if its last review is a dispute. */
function selectReviewReason(
  recordingId: string,
  { key, critical }: Rule,
  { machineVerdict, isLabel }: MachineFinding,
  last: FindingReview['kind'] | undefined,
): ReviewReason | null {
  if (last) return last === 'dispute' ? 'disputed' : null
  if (critical && machineVerdict === 'missed') return 'critical'
  if (machineVerdict === 'unknown') return 'unknown'
  if (isLabel || machineVerdict === 'not_applicable') return null
  return sha256(`${recordingId} ${key}`).readUInt32BE() % RANDOM_REVIEW_INTERVAL === 0 ? 'random' : null
}
