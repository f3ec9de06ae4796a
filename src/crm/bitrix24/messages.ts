import { defineMessages } from '../../platform/lib/messages.ts'

export const STATE_NAMES_RU = { off: 'выключена', on: 'включена', paused: 'на паузе', blocked: 'заблокирована' }

/** Errors of requests to the portal; `words` contains the portal's own message unchanged. */
export const portalMessages = defineMessages('portal', {
  fault: { en: '{method}: {words}', ru: '{method}: {words}' },
  notOn: { en: 'the automation is {state}', ru: 'автоматика {state}' },
  otherPortal: { en: 'the automation is for another portal', ru: 'автоматика настроена на другой портал' },
  mayNotWrite: { en: 'the automation is not to write', ru: 'комментарии не пишутся' },
  notHttps: { en: '{variable} must be https', ru: '{variable}: нужен адрес с https.' },
  noWebhook: {
    en: '{variable} must be the address of an incoming webhook: https://PORTAL/rest/USER/CODE/',
    ru: '{variable}: нужен адрес входящего вебхука, https://PORTAL/rest/USER/CODE/.',
  },
  unreachable: { en: 'the portal cannot be reached ({code})', ru: 'до портала не достучаться ({code})' },
  address: { en: 'the portal’s address {rule}', ru: 'адрес портала не годится: {rule}' },
  answerTooLarge: { en: 'the answer of the portal is too large', ru: 'ответ портала слишком велик' },
  noAnswer: { en: 'the portal did not answer in time', ru: 'портал не ответил вовремя' },
  notJson: {
    en: 'the portal answered with something else than JSON, as its login page or a proxy in between does',
    ru: 'ответ портала — не JSON: так отвечает его страница входа или прокси по пути',
  },
  noResult: { en: 'the answer of the portal has no result', ru: 'в ответе портала нет результата' },
  noWords: { en: 'an error', ru: 'ошибка без описания' },
  codeAlone: { en: '{code}: an error', ru: '{code}: ошибка без описания' },
  notInBatch: { en: 'the batch says nothing of it', ru: 'в ответе портала об этом ничего нет' },
  closed: {
    en: 'the portal has closed the method for a while, because it has worked on it for too long',
    ru: 'портал на время закрыл этот метод, потому что работал над ним слишком долго',
  },
  otherDeals: {
    en: 'the portal gives deals that were not asked for: it does not take the filter by funnel, id or time',
    ru: 'портал отдаёт сделки, о которых не спрашивали: он не понимает отбор',
  },
  otherRows: {
    en: 'the portal gives rows that were not asked for: it does not take the filter by id',
    ru: 'портал отдаёт строки, о которых не спрашивали: он не понимает отбор по номеру',
  },
  otherCalls: {
    en: 'the portal returned calls that were not requested: it ignores the filter by time',
    ru: 'портал вернул звонки, которых не запрашивали: он игнорирует отбор по времени',
  },
  moreRows: { en: 'the portal returned more rows than requested', ru: 'портал вернул больше строк, чем запрошено' },
  fileStatus: { en: 'the file is answered with status {status}', ru: 'вместо файла портал отвечает кодом {status}' },
  fileIsPage: { en: 'a page came in the place of the file', ru: 'вместо файла пришла страница' },
  fileTooLarge: { en: 'the file is too large', ru: 'файл слишком велик' },
  fileAddress: { en: 'the file’s address {rule}', ru: 'адрес файла не годится: {rule}' },
  fileTooSlow: { en: 'the file downloads too slowly', ru: 'файл скачивается слишком медленно' },
  fileBroke: { en: 'the file did not arrive whole', ru: 'файл не пришёл целиком' },
})
