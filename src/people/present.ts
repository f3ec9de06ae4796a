import { RIGHTS, type Person, type Right } from './entity.ts'

/** What a person may do in effect: an owner everything. */
export function effectiveRights({ role, rights }: Pick<Person, 'role' | 'rights'>): Record<Right, boolean> {
  return Object.fromEntries(RIGHTS.map((right) => [right, role === 'owner' || rights[right] === true])) as Record<
    Right,
    boolean
  >
}

/** A person as the API shows them. */
export function presentPerson(person: Pick<Person, 'id' | 'email' | 'name' | 'role' | 'rights'>) {
  const { id, email, name, role } = person
  return { id, email, name, role, rights: effectiveRights(person) }
}
