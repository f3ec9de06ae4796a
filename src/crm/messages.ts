import { defineMessages } from '../platform/lib/messages.ts'

export const crmMessages = defineMessages('crm', {
  callId: {
    en: 'must have 1 to {limit} characters, without control characters',
    ru: 'От 1 до {limit} символов, без управляющих.',
  },
  checkFirst: {
    en: 'The last check of the connection failed. Check it again first',
    ru: 'Последняя проверка подключения не прошла. Сначала проверьте его.',
  },
  confirmFirst: { en: 'Confirm the portal first', ru: 'Сначала подтвердите портал.' },
  blocked: {
    en: 'Automation is blocked. It resumes after a successful check',
    ru: 'Автоматизация заблокирована. Она возобновится после успешной проверки.',
  },
  otherPortal: {
    en: 'CRM_WEBHOOK_URL belongs to another portal; the data here comes from {host}',
    ru: 'CRM_WEBHOOK_URL указывает на другой портал, а данные загружены с {host}.',
  },
  notOn: {
    en: 'Automation can be paused only while it is on',
    ru: 'Приостановить можно только включённую автоматизацию.',
  },
  notPaused: {
    en: 'Automation can be resumed only while it is paused',
    ru: 'Возобновить можно только автоматизацию на паузе.',
  },
  noStep: { en: 'Step not found', ru: 'Шаг не найден.' },
  waitsForStep: { en: 'The step “{step}” must finish first', ru: 'Сначала должен завершиться шаг {step}.' },
  waitsForAutomation: { en: 'Automation is off', ru: 'Автоматизация выключена.' },
  waitsForRoster: {
    en: 'Apply the roster first: calls are loaded only for its managers',
    ru: 'Сначала примените список менеджеров: загружаются звонки только этих менеджеров.',
  },
  waitsForFunnels: {
    en: 'Choose the departments’ funnels first: deals are loaded only from these funnels',
    ru: 'Сначала выберите воронки отделов: сделки загружаются только из них.',
  },
  readFirst: {
    en: 'The CRM’s people are not loaded yet: the step “users” must finish first',
    ru: 'Сотрудники CRM ещё не загружены: сначала должен завершиться шаг users.',
  },
  twice: { en: 'The CRM user {user} is in the roster twice', ru: 'Пользователь CRM {user} указан в списке дважды.' },
  noUser: { en: 'The CRM has no user {user}', ru: 'В CRM нет пользователя {user}.' },
  noDepartment: { en: 'Department {department} not found', ru: 'Отдел {department} не найден.' },
  notSet: { en: 'CRM_WEBHOOK_URL is not set', ru: 'CRM_WEBHOOK_URL не задан.' },
  notSetAnyMore: { en: 'CRM_WEBHOOK_URL is no longer set', ru: 'CRM_WEBHOOK_URL больше не задан.' },
  leadsElsewhere: {
    en: 'CRM_WEBHOOK_URL belongs to {configured}, but the data here comes from {host}',
    ru: 'CRM_WEBHOOK_URL указывает на {configured}, а данные загружены с {host}.',
  },
  lacksRights: { en: 'the webhook lacks permissions: {scopes}', ru: 'Вебхуку не хватает прав: {scopes}.' },
  statisticsDenied: {
    en: 'the webhook’s user cannot see the statistics of calls',
    ru: 'Пользователю вебхука не видна статистика звонков.',
  },
  noDisk: {
    en: 'the portal does not provide recordings: disk.file.get is not available',
    ru: 'Портал не отдаёт записи: нет метода disk.file.get.',
  },
  rowField: { en: '{field} is missing or invalid', ru: '{field}: значение отсутствует или недопустимо' },
  rowRefused: { en: 'the database rejected this row (code {code})', ru: 'база данных отклонила строку (код {code})' },
  rowNotAsked: { en: 'the portal returned this row unrequested', ru: 'портал прислал строку без запроса' },
  notStored: { en: 'the service could not store the loaded data', ru: 'Сервис не сохранил загруженные данные.' },
  rowsMissing: {
    en: '{missing} of {known} are missing from the portal: the webhook may have lost permissions',
    ru: 'На портале не хватает строк: {missing} из {known}. Возможно, у вебхука стало меньше прав.',
  },
  dealsMissing: {
    en: '{missing} of {looked} deals are missing from the portal: the webhook may have lost permissions',
    ru: 'На портале не хватает сделок: {missing} из {looked}. Возможно, у вебхука стало меньше прав.',
  },
  moreCalls: {
    en: 'calls on {day} that are in the portal but missing here: {calls}',
    ru: 'за {day} здесь не хватает звонков: {calls}',
  },
  fewerCalls: {
    en: 'the portal has fewer calls on {day} than before: the webhook may have lost permissions',
    ru: 'На портале меньше звонков за {day}, чем раньше: возможно, у вебхука стало меньше прав.',
  },
})
