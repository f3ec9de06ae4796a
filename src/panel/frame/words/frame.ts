import { both } from './translation.ts'

/** What stands around every page. */
export const frame = {
  product: both('Calls', 'Звонки'),
  skip: both('Skip to the content', 'К содержанию'),
  menu: both('Menu', 'Меню'),
  work: both('Work', 'Работа'),
  check: both('Call check', 'Проверка звонков'),
  settings: both('Settings', 'Настройки'),
  /** In the language that it leads to. */
  otherLanguage: both('По-русски', 'In English'),
  logOut: both('Log out', 'Выйти'),
  roles: both<Record<string, string>>(
    { owner: 'owner', head: 'head', manager: 'manager' },
    { owner: 'владелец', head: 'руководитель', manager: 'менеджер' },
  ),
  stale: both(
    'No connection to the service: this page may be out of date. It tries again by itself.',
    'Нет связи с сервисом: страница могла устареть. Попытки продолжаются сами.',
  ),
}
