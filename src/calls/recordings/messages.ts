import { defineMessages } from '../../platform/lib/messages.ts'

/** Russian names of the statuses for error messages. */
export const RECORDING_STATUS_NAMES = {
  QUEUED: 'в очереди',
  PROCESSING: 'распознаётся',
  DONE: 'готов',
  FAILED: 'не распознан',
  CANCELLED: 'отменён',
}

/** Error messages that the API sends about recordings and their audio. */
export const recordingMessages = defineMessages('recordings', {
  noRecording: { en: 'Call not found', ru: 'Звонок не найден.' },
  noWaveform: {
    en: 'Call not found, or its waveform is not ready',
    ru: 'Звонок не найден, или его осциллограмма ещё не готова.',
  },
  noFile: { en: 'The storage has no such file', ru: 'Такого файла в хранилище нет.' },
  registered: {
    // Integrations can compare this text.
    en: 'A recording with this call id or storage key is already registered',
    ru: 'Звонок с таким ID или ключом файла уже есть.',
  },
  notRetried: { en: 'A call that is {status} cannot be retried', ru: 'Звонок {status}: распознать его снова нельзя.' },
  notCancelled: { en: 'A call that is {status} cannot be cancelled', ru: 'Звонок {status}: отменить нельзя.' },
  emptyFile: { en: 'must not point to an empty file', ru: 'Файл по ссылке пуст.' },
  callerGone: { en: 'The client closed the connection', ru: 'Клиент закрыл соединение.' },
  ownManager: { en: 'must be your own name', ru: 'Укажите своё имя.' },
  departmentManager: {
    en: 'must be your own name or the name of a manager of your departments',
    ru: 'Укажите своё имя или менеджера из своих отделов.',
  },
  uploadLate: {
    en: 'The upload took too long, and the file was not stored. Upload it again',
    ru: 'Загрузка шла слишком долго, файл не сохранён. Загрузите его снова.',
  },
  fileGrows: {
    en: 'The file in the storage is still being written. Try again later',
    ru: 'Файл в хранилище ещё записывается. Повторите позже.',
  },
  oneInFull: {
    en: 'can be requested for one call only: ids must contain one ID',
    ru: 'Можно запросить только для одного звонка: в ids должен быть один ID.',
  },
  notPlayable: {
    en: 'The file is damaged or has no audio',
    ru: 'Файл повреждён, или в нём нет звука.',
  },
  playableLater: {
    en: 'The recording could not be prepared for playback. Try again later',
    ru: 'Запись не подготовлена к воспроизведению. Повторите позже.',
  },
  soundIsPrepared: {
    en: 'The recording is being prepared for playback. Try again in a minute',
    ru: 'Запись готовится к воспроизведению. Повторите через минуту.',
  },
  tooManyPrepared: {
    en: 'Too many recordings are being prepared. Try again in a minute',
    ru: 'Готовится слишком много записей. Повторите через минуту.',
  },
  recognizerAway: {
    en: 'Transcription is unavailable, so the recording cannot be prepared. Try again in a minute',
    ru: 'Распознавание недоступно, поэтому запись нельзя подготовить. Повторите через минуту.',
  },
  recognizerFailed: {
    en: 'The recognizer could not prepare the recording. Try again in a minute',
    ru: 'Распознаватель не подготовил запись. Повторите через минуту.',
  },
})
