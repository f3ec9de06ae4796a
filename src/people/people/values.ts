import { RIGHTS, type Right, type Role } from '../../platform/http/actor.ts'

export { LANGUAGES, RIGHTS, ROLES, type Language, type Right, type Role } from '../../platform/http/actor.ts'

/** Lists the rights that a new person of each role gets. The list for owners is empty, because they have all rights implicitly. */
export const DEFAULT_RIGHTS_BY_ROLE: Record<Role, Partial<Record<Right, boolean>>> = {
  owner: {},
  head: { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true },
  manager: { audio: true },
}

const ROLE_RANK: Record<Role, number> = { manager: 0, head: 1, owner: 2 }

/** Compares roles in the order manager, head, owner. Returns true if the first is higher. */
export const isRoleAbove = (role: Role, other: Role): boolean => ROLE_RANK[role] > ROLE_RANK[other]

/** Combines the role of a person with their effective rights. Both decide who can manage whom. */
export interface PersonAuthority {
  role: Role
  rights: Partial<Record<Right, boolean>>
}

/** Returns true if the actor's role is higher and the actor has all rights of the other; always true for an owner. */
export const hasAuthorityOver = (mine: PersonAuthority, theirs: PersonAuthority): boolean =>
  mine.role === 'owner' ||
  (isRoleAbove(mine.role, theirs.role) && RIGHTS.every((right) => mine.rights[right] || !theirs.rights[right]))
