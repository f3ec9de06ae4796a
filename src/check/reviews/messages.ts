import { defineMessages } from '../../platform/lib/messages.ts'

export const reviewMessages = defineMessages('reviews', {
  noFinding: 'There is no such finding',
  comment: 'must say why the verdict is another than the machine’s',
  newer: 'A newer check has taken the place of this one',
  invented: 'The verdicts of this check are invented: there is nothing to judge',
})
