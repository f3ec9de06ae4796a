import { commonWords } from './common.ts'
import { errorWords } from './errors.ts'
import { fieldRuleWords } from './rules.ts'
import { pluralTemplate } from './grammar.ts'
import { text, textTemplate } from './translation.ts'

/** Texts around every page: the menu, the login state and the roles. */
const frame = {
  product: text('Call transcription', 'Анализ звонков'),
  skip: text('Skip to content', 'К содержанию'),
  menu: text('Menu', 'Меню'),
  work: text('Work', 'Работа'),
  check: text('Call check', 'Проверка звонков'),
  settings: text('Settings', 'Настройки'),
  /** Each is written in the language that it switches to. */
  otherLanguage: text('По-русски', 'In English'),
  logOut: text('Log out', 'Выйти'),
  roles: text<Record<string, string>>(
    { owner: 'owner', head: 'department head', manager: 'manager' },
    { owner: 'владелец', head: 'руководитель', manager: 'менеджер' },
  ),
  stale: text('Connection lost. Reconnecting…', 'Нет связи. Подключаемся…'),
}

/** Text alternatives of charts for screen readers. */
const charts = {
  summary: textTemplate(
    '{}, {} to {}, maximum {}. The table shows the numbers.',
    '{}, с {} по {}, максимум {}. Числа в таблице.',
  ),
  between: textTemplate('between {} and {}', 'от {} до {}'),
  isOpen: text('striped: incomplete period', 'штриховка: неполный период'),
  /** Name, number of weeks, lowest and highest value. */
  trend: pluralTemplate('{}, {} {week|weeks}: {}–{}', '{}, {} {неделя|недели|недель}: {}–{}'),
  lastValue: textTemplate('now {}', 'сейчас {}'),
  noLastValue: text('no value in the last week', 'за последнюю неделю значения нет'),
  usualRange: textTemplate('usually {}–{}', 'обычно {}–{}'),
}

export const frameWords = { frame, common: commonWords, charts, errors: errorWords, rules: fieldRuleWords }
