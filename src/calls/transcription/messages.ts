import { defineMessages } from '../../platform/lib/messages.ts'

/** Messages about recognitions that failed or have to wait. */
export const transcriptionMessages = defineMessages('transcription', {
  workerDied: {
    en: 'The worker stopped during the transcription',
    ru: 'Сервис остановился во время распознавания.',
  },
  broken: {
    en: 'The service could not transcribe the call; the log has the reason',
    ru: 'Сервис не распознал звонок: причина в журнале.',
  },
  connectionBroke: {
    en: 'The connection to the recognizer was lost ({code})',
    ru: 'Связь с распознавателем прервалась ({code}).',
  },
  answered: { en: 'The recognizer responded with status {status}', ru: 'Распознаватель вернул код {status}.' },
  recognizerDied: { en: 'The recognizer at {address} stopped', ru: 'Распознаватель {address} остановился.' },
  unreachable: { en: 'The recognizer cannot be reached ({code})', ru: 'Распознавание недоступно ({code}).' },
  notReady: { en: 'The recognizer is not ready', ru: 'Распознаватель ещё не готов.' },
  refusesKey: { en: 'The recognizer rejects ASR_API_KEY', ru: 'Распознаватель не принимает ASR_API_KEY.' },
  unavailable: {
    en: 'The recognizer is not accepting calls: {said}',
    ru: 'Распознаватель сейчас не принимает звонки.',
  },
  noPlace: { en: 'All recognizers are busy', ru: 'Все распознаватели заняты.' },
  at: { en: '{address}: {reason}', ru: '{address}: {reason}' },
  noResult: { en: 'The recognizer returned no result', ru: 'Распознаватель не вернул результат.' },
  recognizerFailed: { en: '{said}', ru: 'Распознаватель не обработал файл.' },
  unsupportedAudio: { en: '{said}', ru: 'Файл повреждён, или в нём нет звука.' },
  audioTooLong: { en: '{said}', ru: 'Запись длиннее допустимого.' },
})
