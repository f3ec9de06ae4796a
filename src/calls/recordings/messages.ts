import { defineMessages } from '../../platform/lib/messages.ts'

/** What is said of recordings that cannot be made, found, changed or heard. */
export const recordingMessages = defineMessages('recordings', {
  noRecording: 'There is no such recording',
  noWaveform: 'There is no such recording, or no waveform of it yet',
  noFile: 'There is no such file in the storage',
  registered: 'A recording with this call id or storage key is already registered',
  notRetried: 'A recording that is {status} cannot be retried',
  notCancelled: 'A recording that is {status} cannot be cancelled',
  emptyFile: 'must not lead to an empty file',
  callerGone: 'The caller went away',
  ownManager: 'must be your own name',
  departmentManager: 'must be your own name or a manager’s of your departments',
  uploadLate: 'The file was not kept: its upload took too long. Send it again',
  fileGrows: 'The file in the storage is being written. Try again',
  oneInFull: 'full can be asked of one recording only: ids must hold one id',
  notPlayable: 'The file holds no sound that can be played',
  playableLater: 'The sound could not be prepared',
  soundIsPrepared: 'The sound is being prepared. Try again in a minute',
  tooManyPrepared: 'Too many calls are being prepared. Try again in a minute',
  recognizerAway: 'The recognizer, which prepares the sound, cannot be reached. Try again in a minute',
  recognizerFailed: 'The recognizer could not prepare the sound. Try again in a minute',
})
