import { defineWordMap, text } from '../frame/words/translation.ts'

/** The names of the steps' data, by the name of the step. */
export const stepNames = defineWordMap({
  users: text('People', 'Люди'),
  departments: text('Departments of the CRM', 'Отделы CRM'),
  funnels: text('Funnels', 'Воронки'),
  stages: text('Stages', 'Стадии'),
  deals: text('Deals', 'Сделки'),
  'stage-history': text('History of stages', 'История стадий'),
  contacts: text('Phones', 'Телефоны'),
  calls: text('Calls', 'Звонки'),
  control: text('Nightly control', 'Ночная сверка'),
})

export const stepStateWords = defineWordMap({
  waiting: text('up to date', 'прочитано'),
  new: text('not yet read', 'ещё не читалось'),
  due: text('in a moment', 'сейчас начнётся'),
  running: text('running', 'идёт'),
  'backing-off': text('tried again', 'повтор'),
  attention: text('look', 'проверьте'),
  blocked: text('blocked', 'нет права'),
})

/** The conditions that a step waits for. */
export const waitWords = defineWordMap({
  automation: text('until the automation is on', 'когда включится автоматика'),
  roster: text('until there is a roster', 'когда будет список менеджеров'),
  'department-funnels': text('until departments have funnels', 'когда у отделов будут воронки'),
  funnels: text('until funnels are read', 'после воронок'),
  stages: text('until stages are read', 'после стадий'),
  deals: text('until deals are read', 'после сделок'),
})

/** Advice by the code of an error. */
export const adviceWords = text<Record<string, string>>(
  {
    NOT_CONFIGURED: 'Set CRM_WEBHOOK_URL to the address of an incoming webhook and deploy again.',
    OTHER_PORTAL: 'The data is of another portal. Set CRM_WEBHOOK_URL back to that one.',
    MISSING_SCOPES: 'Edit the webhook in Bitrix24 and give it these rights:',
    STATISTICS_DENIED: 'Give the webhook’s user the right to the statistics of all calls in the telephony of Bitrix24.',
    DISK_MISSING: 'Give the webhook the right disk: recordings lie there.',
    INVALID_CREDENTIALS: 'The webhook was removed or its secret was changed. Put its new address into CRM_WEBHOOK_URL.',
    NO_AUTH_FOUND: 'The webhook was removed or its secret was changed. Put its new address into CRM_WEBHOOK_URL.',
    EXPIRED_TOKEN: 'The webhook has expired. Make another one and put its address into CRM_WEBHOOK_URL.',
    INSUFFICIENT_SCOPE: 'A right was taken from the webhook. Give it back in Bitrix24.',
    ACCESS_DENIED: 'The webhook’s user lacks a right, or the plan of the portal has no REST. See to both in Bitrix24.',
    OVERLOAD_LIMIT: 'Bitrix24 has closed the portal for requests by hand. Ask its support, then check again.',
    PORTAL_DELETED: 'The portal was deleted. What was read stays here.',
    NO_ANSWER: 'The portal cannot be reached. It is tried again by itself.',
    NO_JSON: 'A page came in the place of an answer. It is tried again by itself.',
    ANSWER_TOO_LARGE:
      'The portal has rows with very long values. Shorten or delete them in Bitrix24. It is tried again by itself.',
    OPERATION_TIME_LIMIT: 'Bitrix24 has closed this for a while. It goes on by itself.',
    INVALID_ARG_VALUE: 'The portal takes this question otherwise. Run it again, and report it if that does not help.',
    ERROR_METHOD_NOT_FOUND: 'The portal does not have this. Its modules may be switched off.',
    NOTICE: 'The webhook’s rights may have shrunk: compare them in Bitrix24, then run it again.',
    MORE_CALLS: 'Calls are missing here: have the step Calls forget its position, then it reads all of them again.',
    other: 'It is tried again by itself.',
  },
  {
    NOT_CONFIGURED: 'Поместите в CRM_WEBHOOK_URL адрес входящего вебхука и перезапустите сервис.',
    OTHER_PORTAL: 'Данные относятся к другому порталу. Верните в CRM_WEBHOOK_URL его адрес.',
    MISSING_SCOPES: 'Измените вебхук в Битрикс24 и дайте ему права:',
    STATISTICS_DENIED: 'Дайте пользователю вебхука в телефонии Битрикс24 право на статистику всех звонков.',
    DISK_MISSING: 'Дайте вебхуку право disk: записи лежат там.',
    INVALID_CREDENTIALS: 'Вебхук удалён, или его секрет изменён. Поместите новый адрес в CRM_WEBHOOK_URL.',
    NO_AUTH_FOUND: 'Вебхук удалён, или его секрет изменён. Поместите новый адрес в CRM_WEBHOOK_URL.',
    EXPIRED_TOKEN: 'Срок вебхука истёк. Создайте новый и поместите его адрес в CRM_WEBHOOK_URL.',
    INSUFFICIENT_SCOPE: 'У вебхука отобрали право. Верните его в Битрикс24.',
    ACCESS_DENIED:
      'У пользователя вебхука нет права, или в тарифе портала нет REST. Проверьте то и другое в Битрикс24.',
    OVERLOAD_LIMIT: 'Битрикс24 вручную закрыл портал для запросов. Обратитесь в его поддержку, затем проверьте снова.',
    PORTAL_DELETED: 'Портал удалён. Прочитанное останется здесь.',
    NO_ANSWER: 'Портал недоступен. Попытки повторяются сами.',
    NO_JSON: 'Вместо ответа пришла страница. Попытки повторяются сами.',
    ANSWER_TOO_LARGE:
      'На портале есть строки с очень длинными значениями. Сократите или удалите их в Битрикс24. Попытки повторяются сами.',
    OPERATION_TIME_LIMIT: 'Битрикс24 закрыл этот метод на время. Работа продолжится сама.',
    INVALID_ARG_VALUE: 'Портал понимает этот запрос иначе. Запустите шаг ещё раз, а если не поможет — сообщите нам.',
    ERROR_METHOD_NOT_FOUND: 'У портала этого нет. Возможно, выключен его модуль.',
    NOTICE: 'Возможно, у вебхука стало меньше прав: сверьте их в Битрикс24 и запустите шаг ещё раз.',
    MORE_CALLS: 'Здесь не хватает звонков: пусть шаг «Звонки» забудет позицию, тогда он прочитает их все заново.',
    other: 'Попытки повторяются сами.',
  },
)
