/**
 * The repetitions of a test's failure: a few, or with TEST_THOROUGH=1 enough to meet rare cases (minutes instead of seconds).
 */
export const times = (usual: number, thorough: number): number => (process.env.TEST_THOROUGH === '1' ? thorough : usual)
