import { both } from './both.ts'

/** What stands around every page. */
export const frame = {
  product: both('Calls', 'Звонки'),
  skip: both('Skip to the content', 'К содержанию'),
  menu: both('Menu', 'Меню'),
  work: both('Work', 'Работа'),
  settings: both('Settings', 'Настройки'),
  /** In the language that it leads to. */
  otherLanguage: both('По-русски', 'In English'),
  logOut: both('Log out', 'Выйти'),
  roles: both<Record<string, string>>(
    { owner: 'owner', head: 'head', manager: 'manager' },
    { owner: 'владелец', head: 'руководитель', manager: 'менеджер' },
  ),
  toSystem: both('To the page of the system', 'К странице системы'),
  stale: both(
    'No connection to the service: this page may be out of date. It tries again by itself.',
    'Нет связи с сервисом: страница могла устареть. Попытки продолжаются сами.',
  ),
  /** The places of the menu. */
  places: {
    recordings: both('Recordings', 'Записи'),
    upload: both('Upload', 'Загрузка'),
    queues: both('Queues', 'Очереди'),
    statistics: both('Statistics', 'Статистика'),
    people: both('People', 'Люди'),
    departments: both('Departments', 'Отделы'),
    system: both('System', 'Система'),
    audit: both('Audit log', 'Журнал'),
    account: both('My account', 'Мой профиль'),
  },
}
