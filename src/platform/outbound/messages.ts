import { defineMessages } from '../lib/messages.ts'

/** What is wrong with a link that somebody gave, and why nothing came from it; each goes on where the link was named. */
export const linkMessages = defineMessages('link', {
  tooLong: 'must have at most {limit} characters',
  notHttp: 'must be an http or https URL',
  space: 'must not contain spaces or line breaks; write a space as %20',
  character: 'must not contain backslashes or control characters',
  password: 'must not carry a user name or password',
  port: 'must not use port {port}',
  privateAddress: 'must not lead to a private, local or reserved address',
  localName: 'must not lead to a local name',
  nameLeadsInside: 'the name leads to a private, local or reserved address',
  inTheClear: 'must be https, unless it leads to a private address',
  forbidden: 'must not be used: {rule}',
  redirects: 'redirects more than {limit} times',
  leadsNowhere: 'redirects without saying where to',
  downgrade: 'redirects from https to http',
  redirectedTo: 'redirects to a link that {rule}',
  status: 'answers with status {status} instead of a file',
  compressed: 'answers with a compressed body, which was not asked for',
  network: 'cannot be reached or broke off ({code})',
  notWanted: 'is not wanted any more: the caller went away',
  late: 'did not arrive whole within {minutes} minutes',
  noAnswer: 'did not answer within {seconds} seconds',
  silent: 'sent nothing for {seconds} seconds',
  tooLarge: 'is too large',
})
