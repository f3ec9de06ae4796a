import { defineMessages } from '../../lib/messages.ts'

/** What went wrong with a request to the portal; what the portal itself says of it stands in `words` as it is. */
export const portalMessages = defineMessages('portal', {
  fault: '{method}: {words}',
  notOn: 'the automation is {state}',
  otherPortal: 'the automation is for another portal',
  mayNotWrite: 'the automation is not to write',
  notHttps: '{variable} must be https',
  noWebhook: '{variable} must be the address of an incoming webhook: https://PORTAL/rest/USER/CODE/',
  unreachable: 'the portal cannot be reached ({code})',
  address: 'the portal’s address {rule}',
  answerTooLarge: 'the answer of the portal is too large',
  noAnswer: 'the portal did not answer in time',
  notJson: 'the portal answered with something else than JSON, as its login page or a proxy in between does',
  noResult: 'the answer of the portal has no result',
  noWords: 'an error',
  codeAlone: '{code}: an error',
  notInBatch: 'the batch says nothing of it',
  closed: 'the portal has closed the method for a while, because it has worked on it for too long',
  otherDeals: 'the portal gives deals that were not asked for: it does not take the filter by funnel, id or time',
  otherRows: 'the portal gives rows that were not asked for: it does not take the filter by id',
  moreRows: 'the portal gives more rows than were asked for',
  otherCalls:
    'the portal gives calls that were not asked for: it does not take the filter by user or time, or the webhook’s user may see only their own calls',
  fileStatus: 'the file is answered with status {status}',
  fileIsPage: 'a page came in the place of the file',
  fileTooLarge: 'the file is too large',
  fileAddress: 'the file’s address {rule}',
  fileBroke: 'the file did not arrive whole',
})
