/**
 * Calls r, those of them that are done because they have a text, and those that are checked because they have a score: a
 * check that came to none (nothing in its rules applied) adds to no figure. It is what the filter scoreFrom=0 finds.
 */
export const COUNTED = `count(*)::int AS calls, count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
  count(r.score)::int AS checked`

/** A call r is linked where one deal is meant beyond doubt. */
export const IS_LINKED = `EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = r.id AND NOT l.ambiguous)`
