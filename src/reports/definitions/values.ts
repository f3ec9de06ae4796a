/** A share or mean of fewer values is null, because it is not reliable. */
export const MIN_SAMPLE_SIZE = 10
