import { defineMessages } from '../../platform/lib/messages.ts'

/** Why a recognition failed, or waits. */
export const transcriptionMessages = defineMessages('transcription', {
  workerDied: {
    en: 'The worker stopped in the middle of the transcription',
    ru: 'Сервис остановился посреди распознавания.',
  },
  broken: {
    en: 'The service could not process the recording',
    ru: 'Сервис не смог обработать запись: причина — в его журнале.',
  },
  connectionBroke: { en: 'The connection to the recognizer broke ({code})', ru: 'Связь с распознавателем прервалась.' },
  answered: { en: 'The recognizer answered {status}', ru: 'Распознаватель не закончил этот файл.' },
  recognizerDied: { en: 'The recognizer at {address} died', ru: 'Связь с распознавателем прервалась.' },
  unreachable: { en: 'The recognizer cannot be reached ({code})', ru: 'До распознавателя не дойти ({code}).' },
  notReady: { en: 'The recognizer is not ready', ru: 'Распознаватель ещё не готов.' },
  refusesKey: { en: 'The recognizer refuses ASR_API_KEY', ru: 'Распознаватель не принимает ASR_API_KEY.' },
  unavailable: { en: 'The recognizer takes nothing now: {said}', ru: 'Распознаватель сейчас ничего не берёт.' },
  noPlace: { en: 'No recognizer has a free place', ru: 'Все распознаватели заняты.' },
  at: { en: '{address}: {reason}', ru: '{address}: {reason}' },
  noResult: { en: 'The recognizer ended without a result', ru: 'Распознаватель не закончил этот файл.' },
  recognizerFailed: { en: '{said}', ru: 'Распознаватель не закончил этот файл.' },
  unsupportedAudio: { en: '{said}', ru: 'В файле нет звука, который можно прочитать.' },
  audioTooLong: { en: '{said}', ru: 'Запись слишком длинная.' },
})
