import { defineMessages } from '../lib/messages.ts'

/** Why a recognition failed. */
export const transcriptionMessages = defineMessages('transcription', {
  workerDied: 'The worker stopped in the middle of the transcription',
  broken: 'The service could not process the recording',
  connectionBroke: 'The connection to the recognizer broke ({code})',
  answered: 'The recognizer answered {status}',
  recognizerDied: 'The recognizer at {address} died',
  noResult: 'The recognizer ended without a result',
  recognizerFailed: '{said}',
  unsupportedAudio: '{said}',
  audioTooLong: '{said}',
})
