import type { NewPerson, PersonChanges, PersonJson } from '../../people/people/schema.ts'
import { DEFAULT_RIGHTS, isRoleAbove, RIGHTS, ROLES, hasAuthorityOver, type Role } from '../../people/people/values.ts'
import { Fields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import type { Person } from '../frame/context.ts'

/** The roles that the actor can assign: none above their own. */
export const filterAssignableRoles = (me: Person): Role[] => ROLES.filter((role) => !isRoleAbove(role, me.role))

/** The default rights of a role, limited to those that the actor can assign. */
export function computeDefaultRights(me: Person, role: Role): string[] {
  return RIGHTS.filter((right) => me.rights[right] && (role === 'owner' || DEFAULT_RIGHTS[role][right]))
}

/** The values of a person's form. */
export function createPersonFields({ name, email, role, departments, rights, language, ...more }: PersonJson): Fields {
  return Fields.of({
    mustChange: more.mustChangePassword ? 'true' : '',
    name,
    email,
    role,
    departments: departments.map(({ id }) => id),
    rights: RIGHTS.filter((right) => rights[right]),
    language,
  })
}

/** The choices of the form; fewer if somebody cannot change all of a person. */
export function buildPersonChoices(
  { words }: Language,
  me: Person,
  departments: { id: string; name: string }[],
  person: PersonJson | undefined,
) {
  const t = words.people
  const own = person?.id === me.id
  // Rights that the actor lacks are shown unchanged: only people who have them can change them.
  const rights = RIGHTS.map((value) => ({ value, text: t.rightNames[value], disabled: !me.rights[value] }))
  return {
    own,
    mayChange: !person || filterAssignableRoles(me).includes(person.role),
    // Names decide whose calls somebody sees.
    mayRename: !person || (own ? me.role === 'owner' : hasAuthorityOver(me, person)),
    mayAssign: !own || me.role === 'owner',
    mayManage: !person || hasAuthorityOver(me, person),
    mayEndAccess: person !== undefined && hasAuthorityOver(me, person),
    roles: filterAssignableRoles(me).map((value) => ({
      value,
      text: t.roles[value],
      defaults: computeDefaultRights(me, value).join(' '),
    })),
    departments: departments.map(({ id, name }) => ({ value: id, text: name })),
    rights,
    languages: ['', 'en', 'ru'].map((value) => ({ value, text: t.languages[value] })),
  }
}

/** The body for a new person. Omits empty fields, so that the API reports them as required. */
export function parseNewPerson(fields: Fields, me: Person): NewPerson {
  const role = fields.text('role')
  return {
    ...fields.collectFilled('name', 'email', 'role'),
    password: fields.raw('password'),
    mustChangePassword: fields.checked('mustChange'),
    departments: fields.allValues('departments'),
    ...(role !== 'owner' && { rights: parseRights(fields, me) }),
    language: fields.text('language') || null,
  } as NewPerson
}

/** The body for a changed person: the fields that this form can change. */
export function parsePersonChanges(fields: Fields, me: Person, person: PersonJson): PersonChanges {
  const own = person.id === me.id
  const role = fields.text('role')
  const mine = own && me.role !== 'owner'
  const mayManage = hasAuthorityOver(me, person)
  return {
    ...(!mine && mayManage && { name: fields.text('name') }),
    ...(!mine && { departments: fields.allValues('departments') }),
    ...((own || mayManage) && { email: fields.text('email') }),
    ...(!own && mayManage && fields.raw('password') && { password: fields.raw('password') }),
    ...(!own && mayManage && { mustChangePassword: fields.checked('mustChange') }),
    ...(mayManage && { role }),
    ...(mayManage && role !== 'owner' && { rights: parseRights(fields, me) }),
    language: fields.text('language') || null,
  } as PersonChanges
}

/** The form contains only rights that the actor has. */
function parseRights(fields: Fields, me: Person) {
  const mine = RIGHTS.filter((right) => me.rights[right])
  return Object.fromEntries(mine.map((right) => [right, fields.checked('rights', right)]))
}
