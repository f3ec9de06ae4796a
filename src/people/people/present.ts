import { RIGHTS, type Person, type Right } from './entity.ts'
import type { PersonJson } from './schema.ts'

/** A row of SELECT_PERSON: a person with their departments, by name. */
export type PersonRow = Omit<Person, 'passwordHash'> & { departments: { id: string; name: string }[] }

/** The columns of a person p, without the password's hash. */
export const PERSON_COLUMNS = `
  p.id, p.email, p.name, p.role, p.rights, p.active, p.must_change_password AS "mustChangePassword", p.language, p.created_at AS "createdAt",
  p.last_login_at AS "lastLoginAt",
  (SELECT coalesce(json_agg(json_build_object('id', d.id, 'name', d.name) ORDER BY lower(d.name)), '[]')
     FROM person_departments b JOIN departments d ON d.id = b.department_id WHERE b.person_id = p.id) AS departments`

export const SELECT_PERSON = `SELECT ${PERSON_COLUMNS} FROM people p`

/** The effective rights of a person; an owner has all. */
export function computeEffectiveRights({ role, rights }: Pick<Person, 'role' | 'rights'>): Record<Right, boolean> {
  return Object.fromEntries(RIGHTS.map((right) => [right, role === 'owner' || rights[right] === true])) as Record<
    Right,
    boolean
  >
}

/** A person without secrets. */
export function presentPerson(person: PersonRow): PersonJson {
  const { id, email, name, role, departments, active, mustChangePassword, language, createdAt, lastLoginAt } = person
  return {
    id,
    email,
    name,
    role,
    rights: computeEffectiveRights(person),
    departments,
    active,
    mustChangePassword,
    language,
    createdAt: createdAt.toISOString(),
    lastLoginAt: lastLoginAt && lastLoginAt.toISOString(),
  }
}
