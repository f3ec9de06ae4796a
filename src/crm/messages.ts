import { defineMessages } from '../platform/lib/messages.ts'

export const crmMessages = defineMessages('crm', {
  callId: {
    en: 'must be a text of 1 to {limit} characters without control characters',
    ru: 'Текст от 1 до {limit} символов без управляющих.',
  },
  checkFirst: {
    en: 'Check the connection first: the last check did not pass',
    ru: 'Сначала проверьте подключение: последняя проверка не прошла.',
  },
  confirmFirst: { en: 'Confirm the connection first', ru: 'Сначала подтвердите подключение.' },
  blocked: {
    en: 'The automation is blocked: a check that passes lets it go on',
    ru: 'Автоматика заблокирована: она продолжит работу после успешной проверки.',
  },
  otherPortal: {
    en: 'CRM_WEBHOOK_URL leads to another portal than the data: it is of {host}',
    ru: 'CRM_WEBHOOK_URL ведёт не на тот портал: данные относятся к {host}.',
  },
  notOn: {
    en: 'Only an automation that is on can be paused',
    ru: 'На паузу можно поставить только включённую автоматику.',
  },
  notPaused: {
    en: 'Only an automation that is paused can be resumed',
    ru: 'Продолжить можно только автоматику на паузе.',
  },
  noStep: { en: 'No such step', ru: 'Такого шага нет.' },
  waitsForStep: { en: 'It waits for the step {step}', ru: 'Сначала должен пройти шаг {step}.' },
  waitsForAutomation: { en: 'The automation is not on', ru: 'Автоматика не включена.' },
  waitsForRoster: {
    en: 'It waits for the roster: without one no call is loaded',
    ru: 'Нужен список менеджеров: без него звонки не загружаются.',
  },
  waitsForFunnels: {
    en: 'It waits for the funnels of departments: deals are read from no others',
    ru: 'Нужны воронки отделов: сделки читаются только из них.',
  },
  readFirst: {
    en: 'The people of the CRM have not been read yet: the step users must have run to its end',
    ru: 'Люди CRM ещё не прочитаны.',
  },
  twice: { en: 'The CRM user {user} stands in the roster twice', ru: 'Пользователь {user} указан дважды.' },
  noUser: { en: 'The CRM knows no user {user}', ru: 'В CRM нет пользователя {user}.' },
  noDepartment: { en: 'There is no department {department}', ru: 'Отдела {department} нет.' },
  notSet: { en: 'CRM_WEBHOOK_URL is not set', ru: 'CRM_WEBHOOK_URL не задан.' },
  notSetAnyMore: { en: 'CRM_WEBHOOK_URL is not set any more', ru: 'CRM_WEBHOOK_URL больше не задан.' },
  leadsElsewhere: {
    en: 'CRM_WEBHOOK_URL leads to {configured}, but the data is of {host}',
    ru: 'CRM_WEBHOOK_URL ведёт на {configured}, а данные здесь с {host}.',
  },
  lacksRights: { en: 'the webhook lacks rights: {scopes}', ru: 'У вебхука нет прав: {scopes}.' },
  statisticsDenied: {
    en: 'the webhook’s user may not see the statistics of calls',
    ru: 'Пользователю вебхука не видна статистика звонков.',
  },
  noDisk: {
    en: 'the portal gives no recordings: disk.file.get is not available',
    ru: 'Портал не отдаёт записи: метода disk.file.get нет.',
  },
  rowField: { en: '{field} is missing or invalid', ru: '{field}: значения нет или оно недопустимо' },
  rowRefused: { en: 'the database refuses it (code {code})', ru: 'база данных её не принимает (код {code})' },
  rowNotAsked: { en: 'the portal returned it without a request', ru: 'портал прислал её без запроса' },
  notStored: { en: 'the service could not store what was read', ru: 'Сервис не смог сохранить прочитанное.' },
  rowsMissing: {
    en: '{missing} of {known} are not given any more: the webhook’s rights may have shrunk',
    ru: 'Портал больше не отдаёт {missing} из {known}: возможно, у вебхука стало меньше прав.',
  },
  dealsMissing: {
    en: '{missing} of {looked} deals are not given any more: rights may have shrunk',
    ru: 'Портал больше не отдаёт сделок: {missing} из {looked}. Возможно, прав стало меньше.',
  },
  moreCalls: {
    en: 'the portal has {calls} calls of {day} that are not known here',
    ru: 'в портале звонков за {day} на {calls} больше, чем известно здесь',
  },
  fewerCalls: {
    en: 'the portal tells of fewer calls of {day} than before: rights may have shrunk',
    ru: 'Звонков за {day} на портале меньше, чем было: возможно, прав стало меньше.',
  },
})
