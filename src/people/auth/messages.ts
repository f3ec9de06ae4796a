import { defineMessages } from '../../platform/lib/messages.ts'

/** What logins, sessions, keys and the view as somebody else are refused with. */
export const authMessages = defineMessages('auth', {
  wrongLogin: 'The e-mail or the password is wrong',
  twoSessions: 'The request has two different session cookies. Delete the cookies of this site, then log in again',
  noSession: 'There is no such session',
  noKey: 'There is no such key in force',
  wrongPassword: 'is wrong',
  seeAsOwners: '{header} is for owners alone',
  seeAsReads: 'With {header} recordings and people can be read, and nothing else',
  seeAsWhom: '{header} must name a head or a manager with access',
})
