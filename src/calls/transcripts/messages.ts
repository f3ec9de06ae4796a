import { defineMessages } from '../../platform/lib/messages.ts'

/** Why a transcript, or an export of many, is not to be had now. */
export const transcriptMessages = defineMessages('transcripts', {
  notReady: 'The transcript is not ready: the recording is {status}',
  busy: 'Too many exports run at once. Try again',
})
