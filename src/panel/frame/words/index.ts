import { commonWords } from './common.ts'
import { errorWords } from './errors.ts'
import { fieldRuleWords } from './rules.ts'
import { pluralTemplate } from './grammar.ts'
import { text, template } from './translation.ts'

/** The frame around every page. */
const frame = {
  product: text('Calls', 'Звонки'),
  skip: text('Skip to the content', 'К содержанию'),
  menu: text('Menu', 'Меню'),
  work: text('Work', 'Работа'),
  check: text('Call check', 'Проверка звонков'),
  settings: text('Settings', 'Настройки'),
  /** In the language of the target. */
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

/** The texts of charts for screen readers. */
const charts = {
  summary: template(
    '{}, {} to {}, at most {}. The numbers stand in the table.',
    '{}, с {} по {}, самое большее {}. Числа стоят в таблице.',
  ),
  between: template('between {} and {}', 'от {} до {}'),
  isOpen: text('striped: not over or not whole', 'в полоску: неполный период'),
  /** A sparkline: the name, the number of weeks, the lowest and the highest value. */
  trend: pluralTemplate('{}, {} {week|weeks}: {}–{}', '{}, {} {неделя|недели|недель}: {}–{}'),
  lastValue: template('now {}', 'сейчас {}'),
  noLastValue: text('no value in the last week', 'за последнюю неделю значения нет'),
  usualRange: template('usually {}–{}', 'обычно {}–{}'),
}

export const frameWords = { frame, common: commonWords, charts, errors: errorWords, rules: fieldRuleWords }
