/**
 * SQL: counts of calls r, of those with a text (done) and of those with a score (checked). A check without a score, because no
 * rule applied, does not count, as with the filter scoreFrom=0.
 */
export const CALL_COUNTS_SQL = `count(*)::int AS calls, count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
  count(r.score)::int AS checked`
