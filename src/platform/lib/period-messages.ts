import { defineMessages } from './messages.ts'

/** What is wrong with a span of days. */
export const periodMessages = defineMessages('stats', {
  backwards: 'must not be after to',
  tooLong: 'must be at most {days} days before to',
  week: 'must be a week such as 2026-W12 that is over',
  notCompared: 'must not be given where compared is false',
  scoredBy: 'must be the key of a rule set and the number of one of its versions, such as incoming-sales/2',
  noReport: 'There is no report yet',
  day: 'must be a day such as 2026-03-01, or an ISO 8601 time',
})
