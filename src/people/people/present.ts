import { RIGHTS, type Person, type Right } from './entity.ts'
import type { PersonJson } from './schema.ts'

/** Represents a row of SELECT_PERSON_SQL: a person without the password hash, with departments sorted by name. */
export type PersonRow = Omit<Person, 'passwordHash'> & { departments: { id: string; name: string }[] }

/** Lists the columns of people p for a PersonRow, without the password hash. */
export const PERSON_COLUMNS_SQL = `
  p.id, p.email, p.name, p.role, p.rights, p.active, p.must_change_password AS "mustChangePassword", p.language, p.created_at AS "createdAt",
  p.last_login_at AS "lastLoginAt",
  (SELECT coalesce(json_agg(json_build_object('id', d.id, 'name', d.name) ORDER BY lower(d.name)), '[]')
     FROM person_departments b JOIN departments d ON d.id = b.department_id WHERE b.person_id = p.id) AS departments`

export const SELECT_PERSON_SQL = `SELECT ${PERSON_COLUMNS_SQL} FROM people p`

/** Returns each right with true or false. Owners have all rights; others have those of their `rights` column. */
export function computeEffectiveRights({ role, rights }: Pick<Person, 'role' | 'rights'>): Record<Right, boolean> {
  return Object.fromEntries(RIGHTS.map((right) => [right, role === 'owner' || rights[right] === true])) as Record<
    Right,
    boolean
  >
}

/** Converts a row to the JSON of the API, with effective rights and ISO times. */
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
