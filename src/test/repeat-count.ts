/**
 * Returns how often a test repeats a fault: `usualCount`, or with TEST_THOROUGH=1 `thoroughCount`, which also finds rare cases
 * but takes minutes.
 */
export const chooseRepeatCount = (usualCount: number, thoroughCount: number): number =>
  process.env.TEST_THOROUGH === '1' ? thoroughCount : usualCount
