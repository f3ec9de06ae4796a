/**
 * The repetitions of a test's failure: a few, or with TEST_THOROUGH=1 enough to meet rare cases (minutes instead of seconds).
 */
export const chooseRepeatCount = (usualCount: number, thoroughCount: number): number =>
  process.env.TEST_THOROUGH === '1' ? thoroughCount : usualCount
