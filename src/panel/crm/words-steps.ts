import { defineWordMap, text } from '../frame/words/translation.ts'

/** Titles of the sync steps, by step name. */
export const crmStepNames = defineWordMap({
  users: text('People', 'Сотрудники'),
  departments: text('CRM departments', 'Отделы CRM'),
  funnels: text('Funnels', 'Воронки'),
  stages: text('Stages', 'Стадии'),
  deals: text('Deals', 'Сделки'),
  'stage-history': text('Stage history', 'История стадий'),
  contacts: text('Phone numbers', 'Телефоны'),
  calls: text('Calls', 'Звонки'),
  control: text('Nightly reconciliation', 'Ночная сверка'),
})

export const crmStepStateWords = defineWordMap({
  waiting: text('up to date', 'актуально'),
  new: text('not started', 'ещё не запускалось'),
  due: text('starting soon', 'скоро начнётся'),
  running: text('running', 'выполняется'),
  'backing-off': text('retrying', 'повтор'),
  attention: text('fix', 'исправьте'),
  blocked: text('blocked', 'нет прав'),
})

/** Explains what a step waits for, by the `waitsFor` value of the API. */
export const crmStepWaitWords = defineWordMap({
  automation: text('after automation is turned on', 'после включения автоматизации'),
  roster: text('after the roster is applied', 'после применения списка менеджеров'),
  'department-funnels': text('after departments have funnels', 'после выбора воронок отделов'),
  funnels: text('after “Funnels”', 'после шага «Воронки»'),
  stages: text('after “Stages”', 'после шага «Стадии»'),
  deals: text('after “Deals”', 'после шага «Сделки»'),
})

/** Advice by uppercase error code; `other` is the fallback. */
export const crmErrorAdviceWords = text<Record<string, string>>(
  {
    NOT_CONFIGURED: 'Set CRM_WEBHOOK_URL to the address of an incoming webhook and restart the service.',
    OTHER_PORTAL: 'The data here comes from another portal. Set CRM_WEBHOOK_URL back to its address.',
    MISSING_SCOPES: 'Give the webhook these permissions in Bitrix24:',
    STATISTICS_DENIED: 'In Bitrix24 telephony, let the webhook’s user see the statistics of all calls.',
    DISK_MISSING: 'Give the webhook the disk permission, which it needs to load recordings.',
    INVALID_CREDENTIALS: 'The webhook was removed or changed. Update CRM_WEBHOOK_URL.',
    NO_AUTH_FOUND: 'The webhook was removed or changed. Update CRM_WEBHOOK_URL.',
    EXPIRED_TOKEN: 'The webhook has expired. Create another and update CRM_WEBHOOK_URL.',
    INSUFFICIENT_SCOPE: 'The webhook lost a permission. Restore it in Bitrix24.',
    ACCESS_DENIED: 'The webhook’s user lacks a permission, or the portal’s plan has no REST. Check both in Bitrix24.',
    OVERLOAD_LIMIT: 'Bitrix24 has blocked requests to the portal. Contact its support, then check again.',
    PORTAL_DELETED: 'The portal was deleted. Loaded data stays here.',
    NO_ANSWER: 'The portal is not responding. We retry automatically.',
    NO_JSON: 'The portal returned a page instead of data. We retry automatically.',
    ANSWER_TOO_LARGE:
      'Some rows in the portal are too long. Shorten or delete them in Bitrix24. We retry automatically.',
    OPERATION_TIME_LIMIT: 'Bitrix24 has paused this method for a while. We retry automatically.',
    INVALID_ARG_VALUE: 'The portal rejected the request. Run the step again. If that does not help, contact us.',
    ERROR_METHOD_NOT_FOUND: 'The portal does not support this. Check that the module is turned on.',
    NOTICE: 'The webhook may have lost permissions. Check them in Bitrix24, then run the step again.',
    MORE_CALLS: 'Calls are missing here. Reset the step “Calls” to load them again.',
    other: 'We retry automatically.',
  },
  {
    NOT_CONFIGURED: 'Укажите в CRM_WEBHOOK_URL адрес входящего вебхука и перезапустите сервис.',
    OTHER_PORTAL: 'Загруженные данные относятся к другому порталу. Верните в CRM_WEBHOOK_URL его адрес.',
    MISSING_SCOPES: 'Дайте вебхуку в Битрикс24 эти права:',
    STATISTICS_DENIED: 'В телефонии Битрикс24 разрешите пользователю вебхука видеть статистику всех звонков.',
    DISK_MISSING: 'Дайте вебхуку право disk: записи хранятся на Диске Битрикс24.',
    INVALID_CREDENTIALS: 'Вебхук удалён или изменён. Обновите CRM_WEBHOOK_URL.',
    NO_AUTH_FOUND: 'Вебхук удалён или изменён. Обновите CRM_WEBHOOK_URL.',
    EXPIRED_TOKEN: 'Срок вебхука истёк. Создайте новый и обновите CRM_WEBHOOK_URL.',
    INSUFFICIENT_SCOPE: 'Вебхук лишился права. Верните его в Битрикс24.',
    ACCESS_DENIED:
      'У пользователя вебхука не хватает прав, или тариф портала не включает REST. Проверьте и то и другое в Битрикс24.',
    OVERLOAD_LIMIT:
      'Битрикс24 заблокировал запросы к порталу. Обратитесь в поддержку Битрикс24, затем проверьте снова.',
    PORTAL_DELETED: 'Портал удалён. Загруженные данные останутся.',
    NO_ANSWER: 'Портал не отвечает. Повторяем автоматически.',
    NO_JSON: 'Портал вернул страницу вместо данных. Повторяем автоматически.',
    ANSWER_TOO_LARGE:
      'Некоторые строки портала слишком длинные. Сократите или удалите их в Битрикс24. Повторяем автоматически.',
    OPERATION_TIME_LIMIT: 'Битрикс24 временно заблокировал этот метод. Повторяем автоматически.',
    INVALID_ARG_VALUE: 'Портал отклонил запрос. Запустите шаг снова. Если это не поможет, сообщите нам.',
    ERROR_METHOD_NOT_FOUND: 'Портал это не поддерживает. Проверьте, включён ли нужный модуль.',
    NOTICE: 'Возможно, у вебхука стало меньше прав. Проверьте их в Битрикс24 и запустите шаг снова.',
    MORE_CALLS: 'Здесь не хватает звонков. Сбросьте шаг «Звонки», чтобы загрузить их заново.',
    other: 'Повторяем автоматически.',
  },
)
