/** A requested version of a rule set. With `set` null, the number can belong to any rule set. */
export interface RequestedRuleSetVersion {
  number: number
  set: string | null
}

/** Builds query parameters that select a version; none for the current one. */
export const buildRuleSetVersionQuery = (version: RequestedRuleSetVersion | null): Record<string, string | null> =>
  version === null ? {} : { version: String(version.number), set: version.set }
