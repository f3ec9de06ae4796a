import { defineMessages } from '../../platform/lib/messages.ts'

/** What is said of changes of people that are refused. */
export const peopleMessages = defineMessages('people', {
  noPerson: 'There is no such person',
  emailTaken: 'A person with this e-mail is already there',
  lastOwner: 'At least one active owner must remain: make somebody else an owner first',
  foreignName: 'The name belongs to somebody else, or to calls outside your departments: only an owner can give it',
  namesake: 'A manager of this name is already in the department',
  roleAbove: 'must not be above your own',
  rightLacked: 'is a right that you lack yourself',
  ownName: 'is not yours to change: it tells whose calls you see',
  ownRole: 'is not yours to change: it is your own',
  ownAccess: 'is not yours to change: it is your own access',
  forOwner: 'is for an owner to change: they have your role, or a right that you lack',
  ownPassword: 'is your own: change it at /v1/auth/password',
  ownersRight: 'cannot be taken from an owner',
  oneDepartment: 'must be one at most for a manager',
  noDepartment: 'must name at least one of yours',
  otherDepartment: 'must be among yours',
  goneDepartment: 'names one that is not there',
})
