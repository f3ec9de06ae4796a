import { defineMessages } from '../../platform/lib/messages.ts'

export const AUTOMATION_STATE_NAMES_RU = {
  off: 'выключена',
  on: 'включена',
  paused: 'на паузе',
  blocked: 'заблокирована',
}

/** Errors of requests to the portal. `words` is one of the other messages, or the text of the portal without secrets. */
export const portalMessages = defineMessages('portal', {
  fault: { en: '{method}: {words}', ru: '{method}: {words}' },
  notOn: { en: 'automation is {state}', ru: 'автоматизация {state}' },
  otherPortal: { en: 'automation is set up for another portal', ru: 'автоматизация настроена на другой портал' },
  mayNotWrite: { en: 'comments are off', ru: 'комментарии выключены' },
  notHttps: { en: '{variable} must be an https address', ru: '{variable}: нужен адрес с https.' },
  noWebhook: {
    en: '{variable} must be the address of an incoming webhook: https://PORTAL/rest/USER/CODE/',
    ru: '{variable}: нужен адрес входящего вебхука, https://ПОРТАЛ/rest/USER/CODE/.',
  },
  unreachable: { en: 'the portal cannot be reached ({code})', ru: 'портал недоступен: {code}' },
  address: { en: 'the portal’s address {rule}', ru: 'неверный адрес портала: {rule}' },
  answerTooLarge: { en: 'the portal’s response is too large', ru: 'ответ портала слишком большой' },
  noAnswer: { en: 'the portal did not respond in time', ru: 'портал не ответил вовремя' },
  notJson: {
    en: 'the portal responded with something other than JSON, such as a login page or a proxy error',
    ru: 'портал ответил не в JSON: возможно, это страница входа или ошибка прокси',
  },
  noResult: { en: 'the portal’s response has no result', ru: 'в ответе портала нет результата' },
  noWords: { en: 'error without a description', ru: 'ошибка без описания' },
  codeAlone: { en: '{code}: error without a description', ru: '{code}: ошибка без описания' },
  notInBatch: { en: 'the portal’s response has nothing for this request', ru: 'в ответе портала нет этих данных' },
  closed: {
    en: 'the portal has paused this method: its time limit was exceeded',
    ru: 'портал временно заблокировал этот метод: превышено время выполнения',
  },
  otherDeals: {
    en: 'the portal returned deals that were not requested: it ignores the filter by funnel, ID or time',
    ru: 'портал вернул сделки, которых не запрашивали: он игнорирует фильтр по воронке, ID или времени',
  },
  otherRows: {
    en: 'the portal returned rows that were not requested: it ignores the filter by ID',
    ru: 'портал вернул строки, которых не запрашивали: он игнорирует фильтр по ID',
  },
  otherCalls: {
    en: 'the portal returned calls that were not requested: it ignores the filter by time',
    ru: 'портал вернул звонки, которых не запрашивали: он игнорирует фильтр по времени',
  },
  moreRows: { en: 'the portal returned more rows than requested', ru: 'портал вернул больше строк, чем запрошено' },
  fileStatus: {
    en: 'the portal returned status {status} instead of the file',
    ru: 'вместо файла портал вернул код {status}',
  },
  fileIsPage: { en: 'the portal returned a page instead of the file', ru: 'вместо файла портал вернул страницу' },
  fileTooLarge: { en: 'the file is too large', ru: 'файл слишком большой' },
  fileAddress: { en: 'the file’s address {rule}', ru: 'неверный адрес файла: {rule}' },
  fileTooSlow: { en: 'the file downloads too slowly', ru: 'файл скачивается слишком медленно' },
  fileBroke: { en: 'the file arrived incomplete', ru: 'файл загружен не полностью' },
})
