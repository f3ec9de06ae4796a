export const ROLES = ['owner', 'head', 'manager'] as const
export type Role = (typeof ROLES)[number]

/** What a person may do beyond reading; an owner has all of them. */
export const RIGHTS = ['audio', 'export', 'manageRecordings', 'analytics', 'editRules'] as const
export type Right = (typeof RIGHTS)[number]

/** What people of a role may do where nobody has decided otherwise. An owner may do everything. */
export const DEFAULT_RIGHTS: Record<Role, Partial<Record<Right, boolean>>> = {
  owner: {},
  head: { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true },
  manager: { audio: true },
}

const RANK: Record<Role, number> = { manager: 0, head: 1, owner: 2 }

/** Whether a role stands above another. */
export const isAbove = (role: Role, other: Role): boolean => RANK[role] > RANK[other]

/** A role and the rights that somebody really has, defaults included. */
export interface Standing {
  role: Role
  rights: Partial<Record<Right, boolean>>
}

/** Whether somebody stands above a person and may do all that they may; an owner always does. */
export const standsAbove = (mine: Standing, theirs: Standing): boolean =>
  mine.role === 'owner' ||
  (isAbove(mine.role, theirs.role) && RIGHTS.every((right) => mine.rights[right] || !theirs.rights[right]))

/** The languages of the panel. */
export const LANGUAGES = ['en', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]
