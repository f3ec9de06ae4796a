import { text } from './translation.ts'

/** What stands around every page. */
export const frame = {
  product: text('Calls', 'Звонки'),
  skip: text('Skip to the content', 'К содержанию'),
  menu: text('Menu', 'Меню'),
  work: text('Work', 'Работа'),
  check: text('Call check', 'Проверка звонков'),
  settings: text('Settings', 'Настройки'),
  /** In the language that it leads to. */
  otherLanguage: text('По-русски', 'In English'),
  logOut: text('Log out', 'Выйти'),
  roles: text<Record<string, string>>(
    { owner: 'owner', head: 'head', manager: 'manager' },
    { owner: 'владелец', head: 'руководитель', manager: 'менеджер' },
  ),
  stale: text(
    'No connection to the service: this page may be out of date. It tries again by itself.',
    'Нет связи с сервисом: страница могла устареть. Попытки продолжаются сами.',
  ),
}
