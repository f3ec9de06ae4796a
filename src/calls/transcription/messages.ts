import { defineMessages } from '../../platform/lib/messages.ts'

/** Why a recognition failed, or waits. */
export const transcriptionMessages = defineMessages('transcription', {
  workerDied: 'The worker stopped in the middle of the transcription',
  broken: 'The service could not process the recording',
  connectionBroke: 'The connection to the recognizer broke ({code})',
  answered: 'The recognizer answered {status}',
  recognizerDied: 'The recognizer at {address} died',
  unreachable: 'The recognizer cannot be reached ({code})',
  notReady: 'The recognizer is not ready',
  refusesKey: 'The recognizer refuses ASR_API_KEY',
  unavailable: 'The recognizer takes nothing now: {said}',
  noPlace: 'No recognizer has a free place',
  at: '{address}: {reason}',
  noResult: 'The recognizer ended without a result',
  recognizerFailed: '{said}',
  unsupportedAudio: '{said}',
  audioTooLong: '{said}',
})
