/**
 * How often a test causes its failure: a few times, or with TEST_THOROUGH=1 as often as it takes to meet what happens
 * rarely (minutes instead of seconds).
 */
export const times = (usual: number, thorough: number): number => (process.env.TEST_THOROUGH === '1' ? thorough : usual)
