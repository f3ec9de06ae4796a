import { defineMessages } from '../../platform/lib/messages.ts'

/** Statuses in Russian. */
export const STATUS_NAMES = {
  QUEUED: 'в очереди',
  PROCESSING: 'идёт',
  DONE: 'готово',
  FAILED: 'не удалось',
  CANCELLED: 'отменено',
}

/** Errors of recordings. */
export const recordingMessages = defineMessages('recordings', {
  noRecording: { en: 'There is no such recording', ru: 'Такой записи нет.' },
  noWaveform: {
    en: 'There is no such recording, or no waveform of it yet',
    ru: 'Такой записи нет, или у неё ещё нет волны.',
  },
  noFile: { en: 'There is no such file in the storage', ru: 'Такого файла в хранилище нет.' },
  registered: {
    en: 'A recording with this call id or storage key is already registered',
    ru: 'Такой звонок уже есть.',
  },
  notRetried: { en: 'A recording that is {status} cannot be retried', ru: 'Повторить нельзя: {status}.' },
  notCancelled: { en: 'A recording that is {status} cannot be cancelled', ru: 'Отменить нельзя: {status}.' },
  emptyFile: { en: 'must not lead to an empty file', ru: 'Там пустой файл.' },
  callerGone: { en: 'The caller went away', ru: 'Тем временем это стало не нужно.' },
  ownManager: { en: 'must be your own name', ru: 'Можно только своё имя.' },
  departmentManager: {
    en: 'must be your own name or a manager’s of your departments',
    ru: 'Можно только своё имя или имя менеджера из своих отделов.',
  },
  uploadLate: {
    en: 'The file was not kept: its upload took too long. Send it again',
    ru: 'Файл не сохранён: он шёл слишком долго. Отправьте его ещё раз.',
  },
  fileGrows: {
    en: 'The file in the storage is being written. Try again',
    ru: 'Файл в хранилище ещё пишется. Повторите позже.',
  },
  oneInFull: {
    en: 'can be requested for one recording only: ids must have one id',
    ru: 'можно запросить только для одной записи: в ids должен быть один id',
  },
  notPlayable: {
    en: 'The file holds no sound that can be played',
    ru: 'В файле нет звука, который можно воспроизвести.',
  },
  playableLater: { en: 'The sound could not be prepared', ru: 'Звук не удалось подготовить.' },
  soundIsPrepared: {
    en: 'The sound is being prepared. Try again in a minute',
    ru: 'Звук готовится. Повторите через минуту.',
  },
  tooManyPrepared: {
    en: 'Too many calls are being prepared. Try again in a minute',
    ru: 'Готовится слишком много звонков. Повторите через минуту.',
  },
  recognizerAway: {
    en: 'The recognizer, which prepares the sound, cannot be reached. Try again in a minute',
    ru: 'Распознаватель, который готовит звук, не отвечает. Повторите через минуту.',
  },
  recognizerFailed: {
    en: 'The recognizer could not prepare the sound. Try again in a minute',
    ru: 'Распознаватель не смог подготовить звук. Повторите через минуту.',
  },
})
