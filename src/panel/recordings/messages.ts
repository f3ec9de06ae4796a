import { inRussian, type Sayings } from '../frame/words/sayings.ts'
import { recordings } from './words.ts'

const statusOf = (status = ''): string => (recordings.status.ru as Record<string, string>)[status] ?? status

/** What the API says of recordings and their texts. */
export const recordingSayings: Sayings = {
  'recordings.noRecording': inRussian('Такой записи нет.'),
  'recordings.noWaveform': inRussian('Такой записи нет, или у неё ещё нет волны.'),
  'recordings.noFile': inRussian('Такого файла в хранилище нет.'),
  'recordings.registered': inRussian('Такой звонок уже есть.'),
  'recordings.notRetried': inRussian(({ status }) => `Повторить нельзя: ${statusOf(status)}.`),
  'recordings.notCancelled': inRussian(({ status }) => `Отменить нельзя: ${statusOf(status)}.`),
  'recordings.callerGone': inRussian('Тем временем это стало не нужно.'),
  'recordings.ownManager': inRussian('Можно только своё имя.'),
  'recordings.departmentManager': inRussian('Можно только своё имя или имя менеджера из своих отделов.'),
  'recordings.uploadLate': inRussian('Файл не сохранён: он шёл слишком долго. Отправьте его ещё раз.'),
  'recordings.fileGrows': inRussian('Файл в хранилище ещё пишется. Повторите позже.'),
  'recordings.oneInFull': inRussian('Целиком можно попросить только одну запись.'),
  'recordings.notPlayable': inRussian('В файле нет звука, который можно воспроизвести.'),
  'recordings.playableLater': inRussian('Звук не удалось подготовить.'),
  'recordings.soundIsPrepared': inRussian('Звук готовится. Повторите через минуту.'),
  'recordings.tooManyPrepared': inRussian('Готовится слишком много звонков. Повторите через минуту.'),
  'recordings.recognizerAway': inRussian('Распознаватель, который готовит звук, не отвечает. Повторите через минуту.'),
  'recordings.recognizerFailed': inRussian('Распознаватель не смог подготовить звук. Повторите через минуту.'),
  'transcripts.notReady': inRussian(({ status }) => `Текста ещё нет: ${statusOf(status)}.`),
  'transcripts.busy': inRussian('Сейчас идёт слишком много выгрузок. Повторите позже.'),
}
