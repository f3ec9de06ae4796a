import { inRussian, saying, type Sayings } from '../frame/words/sayings.ts'
import { crm } from './words.ts'

const stateOf = (state = ''): string => crm.states.ru[state] ?? state

/** What the API says of the automation, and of requests to the portal. */
export const crmSayings: Sayings = {
  'crm.checkFirst': inRussian('Сначала проверьте подключение: последняя проверка не прошла.'),
  'crm.confirmFirst': inRussian('Сначала подтвердите подключение.'),
  'crm.blocked': inRussian('Автоматика заблокирована: она продолжит работу после успешной проверки.'),
  'crm.otherPortal': saying(crm.errors.otherPortal, 'host'),
  'crm.notOn': inRussian('На паузу можно поставить только включённую автоматику.'),
  'crm.notPaused': inRussian('Продолжить можно только автоматику на паузе.'),
  'crm.noStep': inRussian('Такого шага нет.'),
  'crm.waitsForStep': saying(crm.errors.waitsForStep, 'step'),
  'crm.waitsForAutomation': inRussian('Автоматика не включена.'),
  'crm.waitsForRoster': inRussian('Нужен список менеджеров: без него звонки не загружаются.'),
  'crm.waitsForFunnels': inRussian('Нужны воронки отделов: сделки читаются только из них.'),
  'crm.readFirst': inRussian('Люди CRM ещё не прочитаны.'),
  'crm.twice': saying(crm.errors.twice, 'user'),
  'crm.noUser': saying(crm.errors.noUser, 'user'),
  'crm.noDepartment': inRussian('Такого отдела нет.'),
  'crm.notSet': inRussian('CRM_WEBHOOK_URL не задан.'),
  'crm.notSetAnyMore': inRussian('CRM_WEBHOOK_URL больше не задан.'),
  'crm.leadsElsewhere': inRussian(
    ({ configured, host }) => `CRM_WEBHOOK_URL ведёт на ${configured}, а данные здесь с ${host}.`,
  ),
  'crm.lacksRights': inRussian(({ scopes }) => `У вебхука нет прав: ${scopes}.`),
  'crm.statisticsDenied': inRussian('Пользователю вебхука не видна статистика звонков.'),
  'crm.noDisk': inRussian('Портал не отдаёт записи: метода disk.file.get нет.'),
  'crm.notStored': inRussian('Сервис не смог сохранить прочитанное.'),
  'crm.rowsMissing': inRussian(
    ({ missing, known }) => `Портал больше не отдаёт ${missing} из ${known}: возможно, у вебхука стало меньше прав.`,
  ),
  'crm.dealsMissing': inRussian(
    ({ missing, looked }) => `Портал больше не отдаёт сделок: ${missing} из ${looked}. Возможно, прав стало меньше.`,
  ),
  'crm.moreCalls': inRussian(({ day, calls }) => `в портале звонков за ${day} на ${calls} больше, чем известно здесь`),
  'crm.fewerCalls': inRussian(
    ({ day }) => `Звонков за ${day} на портале меньше, чем было: возможно, прав стало меньше.`,
  ),
  'portal.fault': inRussian(({ method, words }) => `${method}: ${words}`),
  'portal.notOn': inRussian(({ state }) => `автоматика ${stateOf(state)}`),
  'portal.otherPortal': inRussian('автоматика настроена на другой портал'),
  'portal.mayNotWrite': inRussian('комментарии не пишутся'),
  'portal.notHttps': inRussian(({ variable }) => `${variable}: нужен адрес с https.`),
  'portal.noWebhook': inRussian(
    ({ variable }) => `${variable}: нужен адрес входящего вебхука, https://PORTAL/rest/USER/CODE/.`,
  ),
  'portal.unreachable': inRussian(({ code }) => `до портала не достучаться (${code})`),
  'portal.address': inRussian(({ rule }) => `адрес портала не годится: ${rule}`),
  'portal.answerTooLarge': inRussian('ответ портала слишком велик'),
  'portal.noAnswer': inRussian('портал не ответил вовремя'),
  'portal.notJson': inRussian('ответ портала — не JSON: так отвечает его страница входа или прокси по пути'),
  'portal.noResult': inRussian('в ответе портала нет результата'),
  'portal.noWords': inRussian('ошибка без описания'),
  'portal.codeAlone': inRussian(({ code }) => `${code}: ошибка без описания`),
  'portal.notInBatch': inRussian('в ответе портала об этом ничего нет'),
  'portal.closed': inRussian('портал на время закрыл этот метод, потому что работал над ним слишком долго'),
  'portal.otherDeals': inRussian('портал отдаёт сделки, о которых не спрашивали: он не понимает отбор'),
  'portal.moreRows': inRussian('портал отдаёт больше строк, чем просили'),
  'portal.otherRows': inRussian('портал отдаёт строки, о которых не спрашивали: он не понимает отбор по номеру'),
  'portal.otherCalls': inRussian(
    'портал отдаёт звонки, о которых не спрашивали: он не понимает отбор или показывает пользователю вебхука только его звонки',
  ),
  'portal.fileStatus': inRussian(({ status }) => `вместо файла портал отвечает кодом ${status}`),
  'portal.fileIsPage': inRussian('вместо файла пришла страница'),
  'portal.fileTooLarge': inRussian('файл слишком велик'),
  'portal.fileAddress': inRussian(({ rule }) => `адрес файла не годится: ${rule}`),
  'portal.fileBroke': inRussian('файл не пришёл целиком'),
}
