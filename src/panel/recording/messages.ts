import { both } from '../frame/words/both.ts'
import { reasons } from '../frame/words/reasons.ts'
import { inRussian, saying, type Sayings } from '../frame/words/sayings.ts'
import { recordings } from '../recordings/words.ts'
import { recording } from './words.ts'

const itself = both(
  (said: string) => said,
  (said) => said,
)

const refused = both(
  (status: string) => recording.events.callbackRefused.en(Number(status)),
  (status) => recording.events.callbackRefused.ru(Number(status)),
)

const audioError = (code: 'UNSUPPORTED_AUDIO' | 'AUDIO_TOO_LONG') =>
  both(recordings.audioErrors.en[code], recordings.audioErrors.ru[code])

/** What the API says of transcriptions and callbacks, of the check of a call, and of what people say of it. */
export const callSayings: Sayings = {
  'callbacks.noDelivery': inRussian('Такого уведомления нет.'),
  'callbacks.movedOn': reasons.movedOn,
  'callbacks.workerDied': inRussian('сервис остановился посреди отправки'),
  'callbacks.broken': inRussian('сервис не смог отправить уведомление: причина — в его журнале'),
  'callbacks.superseded': inRussian('запись с тех пор повторили или отменили'),
  'callbacks.answered': saying(refused, 'status'),
  'callbacks.address': saying(itself, 'rule'),
  'callbacks.network': saying(reasons.networkFailed, 'code'),
  'callbacks.noAnswer': saying(reasons.noAnswer, 'seconds'),
  'transcription.workerDied': reasons.workerStopped,
  'transcription.broken': reasons.ours,
  'transcription.connectionBroke': reasons.recognizerLost,
  'transcription.recognizerDied': reasons.recognizerLost,
  'transcription.answered': reasons.noRecognizer,
  'transcription.noResult': reasons.noRecognizer,
  'transcription.recognizerFailed': reasons.noRecognizer,
  'transcription.unsupportedAudio': audioError('UNSUPPORTED_AUDIO'),
  'transcription.audioTooLong': audioError('AUDIO_TOO_LONG'),
  'callbacks.notSentAgain': inRussian('Это уведомление нельзя отправить ещё раз.'),
  'deals.notStored': inRussian('Сервис не смог сохранить найденные сделки.'),
  'deals.unknown': inRussian(({ deal }) => `Сделки ${deal} нет среди прочитанных из CRM.`),
  'analysis.noVersion': inRussian('Проверки этой версией нет.'),
  'analysis.noText': inRussian('У звонка ещё нет текста.'),
  'analysis.noTranscript': inRussian('У звонка нет текста.'),
  'analysis.noRuleSet': inRussian('Ни один набор правил к звонку не относится.'),
  'analysis.workerDied': inRussian('Сервис остановился посреди проверки.'),
  'analysis.broken': inRussian('Сервис не смог проверить звонок: причина — в его журнале.'),
  'model.address': inRussian('До модели не дойти: её адрес не годится.'),
  'model.noAnswer': inRussian('Модель не ответила.'),
  'model.answered': inRussian(({ status }) => `Модель ответила кодом ${status}.`),
  'model.refused': inRussian(({ status }) => `Модель отказала: код ${status}.`),
  'model.key': inRussian('Модель не принимает ключ: проверьте ANALYSIS_API_KEY.'),
  'model.access': inRussian('Модель не даёт доступа: проверьте ANALYSIS_API_KEY и его права.'),
  'model.notThere': inRussian('Такой модели или адреса нет: проверьте ANALYSIS_BASE_URL и ANALYSIS_MODEL.'),
  'model.unheard': inRussian(
    'Сервер дважды остановился, не дождавшись ответа модели: сам он её больше не спрашивает, потому что каждый ответ может стоить денег.',
  ),
  'model.resting': inRussian(({ seconds }) => `Модель попросила паузу ${seconds} с: попробуйте после неё.`),
  'model.extraRefused': inRussian(({ names }) => `Модель не принимает параметры ${names}: они не передаются.`),
  'ingestion.file': inRussian(({ file, rule }) => `${file}: ${rule}`),
  'ingestion.notJson': inRussian('это не JSON'),
  'ingestion.tooLarge': inRussian('больше 1 МБ'),
  'ingestion.broken': inRussian('сервис не смог принять файл: причина — в его журнале'),
  'analysis.off': inRussian('Проверка звонков выключена: ANALYSIS_PROVIDER — none.'),
  'reviews.noFinding': inRussian('Такой оценки нет.'),
  'reviews.comment': inRussian('Нужно сказать, почему решение другое, чем у машины.'),
  'reviews.newer': inRussian('Звонок тем временем проверен заново.'),
  'reviews.invented': inRussian('Оценки этой проверки выдуманы: судить не о чем.'),
  'backtests.noBacktest': inRussian('Такой пробы нет.'),
  'backtests.noDraft': inRussian('У набора правил нет черновика.'),
  'backtests.noText': inRussian('У звонка нет текста.'),
  'backtests.backwards': inRussian('Конец должен быть позже начала.'),
  'backtests.workerDied': inRussian('Сервис остановился посреди пробы.'),
  'backtests.broken': inRussian('Сервис не смог оценить звонки.'),
  'backtests.ended': inRussian('Проба уже закончилась.'),
  'recalculations.noRun': inRussian('Такого пересчёта нет.'),
  'recalculations.notBegun': inRussian('Этот пересчёт уже не начать.'),
  'recalculations.ended': inRussian('Пересчёт уже закончился.'),
  'ruleSets.noSet': inRussian('Такого набора правил нет.'),
  'ruleSets.noVersion': inRussian('Такой версии нет.'),
  'ruleSets.noDraft': inRussian('Черновика нет.'),
  'ruleSets.archived': inRussian('Набор правил в архиве.'),
  'ruleSets.keyTaken': inRussian('Такой ключ есть у другого набора.'),
  'ruleSets.requiredWithoutCopy': inRussian('Заполните это поле.'),
  'ruleSets.ownDepartments': inRussian('Нужен хотя бы один отдел, и только ваши.'),
  'ruleSets.unknownDepartments': inRussian('Одного из отделов уже нет.'),
  'ruleSets.asSet': inRussian('Должно быть как у набора.'),
  'ruleSets.asSetPatch': inRussian('Должно быть как у набора: меняется у самого набора.'),
  'ruleSets.changedMeanwhile': inRussian('Черновик тем временем изменён, опубликован или удалён.'),
  'ruleSets.newZeros': inRussian(({ rules }) => `Звонки впервые получили бы 0 по правилам: ${rules}.`),
  'ruleSets.draftThere': inRussian('Черновик уже есть: сначала опубликуйте его или удалите.'),
  'ruleSets.violation': inRussian(({ place, inRussian: said }) => `${place}: ${said}`),
}
