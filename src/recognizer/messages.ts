import { defineMessages } from '../platform/lib/messages.ts'

/** Errors of the recognizer's HTTP layer, which only services read. */
export const recognizerMessages = defineMessages('recognizer', {
  noAddress: 'There is nothing at this address',
  wrongMethod: 'Use {methods} here',
  unauthorized: 'Missing or invalid credentials',
  tooLarge: 'The file is larger than {limit} MB',
  busy: 'The recognizer makes other copies now. Try again in a minute.',
  notPlayable: '{said}',
  unknownParameter: '{name}: is not known',
  decoder: 'decoder: must be one of {values}',
  broken: 'The recognizer failed. Try again.',
  diskFull: 'The disk of the recognizer is full. Free some space.',
})
