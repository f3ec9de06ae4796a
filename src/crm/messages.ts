import { defineMessages } from '../lib/messages.ts'

/** What is said of events of the CRM that are faulty, and of changes of its automation that are refused. */
export const crmMessages = defineMessages('crm', {
  callId: 'must be a text of 1 to {limit} characters without control characters',
  checkFirst: 'Check the connection first: the last check did not pass',
  confirmFirst: 'Confirm the connection first',
  blocked: 'The automation is blocked: a check that passes lets it go on',
  otherPortal: 'CRM_WEBHOOK_URL leads to another portal than the data: it is of {host}',
  notOn: 'Only an automation that is on can be paused',
  notPaused: 'Only an automation that is paused can be resumed',
  noStep: 'No such step',
  waitsForStep: 'It waits for the step {step}',
  waitsForAutomation: 'The automation is not on',
  waitsForRoster: 'It waits for the roster: without one no call is loaded',
  waitsForFunnels: 'It waits for the funnels of departments: deals are read from no others',
  readFirst: 'The people of the CRM have not been read yet: the step users must have run to its end',
  twice: 'The CRM user {user} stands in the roster twice',
  noUser: 'The CRM knows no user {user}',
  noDepartment: 'There is no department {department}',
})
