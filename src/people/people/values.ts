import { RIGHTS, type Right, type Role } from '../../platform/http/actor.ts'

export { LANGUAGES, RIGHTS, ROLES, type Language, type Right, type Role } from '../../platform/http/actor.ts'

/** The default rights of each role. Owners have all rights. */
export const DEFAULT_RIGHTS: Record<Role, Partial<Record<Right, boolean>>> = {
  owner: {},
  head: { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true },
  manager: { audio: true },
}

const ROLE_RANK: Record<Role, number> = { manager: 0, head: 1, owner: 2 }

/** Whether a role stands above another. */
export const isRoleAbove = (role: Role, other: Role): boolean => ROLE_RANK[role] > ROLE_RANK[other]

/** A role and the effective rights, defaults included. */
export interface Authority {
  role: Role
  rights: Partial<Record<Right, boolean>>
}

/** Whether the actor's role is above a person's and has all of their rights; always true for an owner. */
export const hasAuthorityOver = (mine: Authority, theirs: Authority): boolean =>
  mine.role === 'owner' ||
  (isRoleAbove(mine.role, theirs.role) && RIGHTS.every((right) => mine.rights[right] || !theirs.rights[right]))
