import type { NewPerson, PersonChanges, PersonJson } from '../../people/people/schema.ts'
import {
  DEFAULT_RIGHTS_BY_ROLE,
  isRoleAbove,
  RIGHTS,
  ROLES,
  hasAuthorityOver,
  type Role,
} from '../../people/people/values.ts'
import { FormValues } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import type { LoggedInPerson } from '../frame/context.ts'

/** Returns the roles that the person can assign to others: none above their own. */
export const filterAssignableRoles = (me: LoggedInPerson): Role[] => ROLES.filter((role) => !isRoleAbove(role, me.role))

/** Returns the default permissions of a role, limited to those that the assigning person has. */
export function computeDefaultRights(me: LoggedInPerson, role: Role): string[] {
  return RIGHTS.filter((right) => me.rights[right] && (role === 'owner' || DEFAULT_RIGHTS_BY_ROLE[role][right]))
}

/** Fills the form with the values of an existing person. */
export function createPersonFormFields({
  name,
  email,
  role,
  departments,
  rights,
  language,
  ...more
}: PersonJson): FormValues {
  return FormValues.of({
    mustChange: more.mustChangePassword ? 'true' : '',
    name,
    email,
    role,
    departments: departments.map(({ id }) => id),
    rights: RIGHTS.filter((right) => rights[right]),
    language,
  })
}

/**
 * Builds the options of the form, and what the editing person can change. @param person the edited person; undefined for a new
 * one
 */
export function buildPersonFormChoices(
  { words }: Language,
  me: LoggedInPerson,
  departments: { id: string; name: string }[],
  person: PersonJson | undefined,
) {
  const t = words.people
  const own = person?.id === me.id
  // Permissions that the editing person lacks are disabled, because only people who have them can change them.
  const rights = RIGHTS.map((value) => ({ value, text: t.rightNames[value], disabled: !me.rights[value] }))
  return {
    own,
    mayChange: !person || filterAssignableRoles(me).includes(person.role),
    // The name of a manager decides which calls the manager sees.
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

/** Parses the body for a new person. Omits empty fields, so that the API reports them as required. */
export function parseNewPerson(fields: FormValues, me: LoggedInPerson): NewPerson {
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

/** Parses the body for a changed person. Includes only fields that the editing person can change. */
export function parsePersonChanges(fields: FormValues, me: LoggedInPerson, person: PersonJson): PersonChanges {
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

/** Parses only the permissions that the editing person has. The form disables the others, so browsers do not send them. */
function parseRights(fields: FormValues, me: LoggedInPerson) {
  const mine = RIGHTS.filter((right) => me.rights[right])
  return Object.fromEntries(mine.map((right) => [right, fields.checked('rights', right)]))
}
