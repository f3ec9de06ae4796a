import { inRussian, type Sayings } from '../frame/words/sayings.ts'

/** What the API says of loads, of calls and of comments. */
export const crmCallsSayings: Sayings = {
  'history.order': inRussian('Должно быть позже начала.'),
  'history.notOn': inRussian('Сначала включите автоматику.'),
  'history.noRoster': inRussian('Сначала отметьте менеджеров.'),
  'history.noEstimate': inRussian('Такой оценки нет.'),
  'history.stale': inRussian('Оценка старше суток. Сделайте новую.'),
  'history.refused': inRussian('По этой оценке загружать нельзя.'),
  'history.used': inRussian('По этой оценке уже загружают.'),
  'history.another': inRussian('Другая загрузка ещё не закончилась.'),
  'history.noLoad': inRussian('Такой загрузки нет.'),
  'history.state': inRussian('Загрузка тем временем изменилась.'),
  'calls.unknown': inRussian('Портал ничего не говорит об этом звонке.'),
  'calls.rejected': inRussian(({ reason }) => `Строку портала об этом звонке нельзя сохранить: ${reason}`),
  'calls.notStored': inRussian('Сервис не смог сохранить прочитанное о файлах звонков.'),
  'calls.workerDied': inRussian('Сервис остановился посреди загрузки звонка.'),
  'calls.broken': inRussian('Сервис не смог загрузить звонок: причина — в его журнале.'),
  'writing.notConfigured': inRussian('CRM_WRITE_WEBHOOK_URL не задан.'),
  'writing.notOn': inRussian('Сначала включите автоматику.'),
  'writing.noNumber': inRussian('Портал не назвал номер комментария.'),
  'writing.workerDied': inRussian('Сервис остановился посреди записи комментария.'),
  'writing.broken': inRussian('Сервис не смог записать комментарий: причина — в его журнале.'),
  'writing.otherPortal': inRussian(
    ({ host }) => `CRM_WRITE_WEBHOOK_URL ведёт на другой портал; данные здесь с ${host}.`,
  ),
}
