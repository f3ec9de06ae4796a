import { both } from '../frame/words/translation.ts'
import { formEn, formRu } from '../frame/words/grammar.ts'
import { actions } from './words-actions.ts'
import { fields } from './words-fields.ts'

/** The audit log: what was done, and how an entry tells of it. */
export const audit = {
  title: both('Audit log', 'Журнал'),
  total: both(
    (n: number) => formEn(n, 'entry', 'entries'),
    (n) => formRu(n, 'событие', 'события', 'событий'),
  ),
  csv: both('Export CSV', 'Выгрузить CSV'),
  filters: {
    person: both('Person', 'Кто'),
    anyPerson: both('anybody', 'кто угодно'),
    action: both('Action', 'Действие'),
    anyAction: both('anything', 'что угодно'),
    from: both('From', 'С'),
    to: both('To', 'По'),
    object: both(
      (what: string) => `about: ${what}`,
      (what) => `о чём: ${what}`,
    ),
    allObjects: both('about everything', 'обо всём'),
    backwards: both('This day is before the first one.', 'Этот день раньше первого.'),
  },
  /** Whether something was only read. */
  kinds: both<Record<string, string>>(
    { '': 'All', reads: 'Reads', changes: 'Changes' },
    { '': 'Все', reads: 'Просмотры', changes: 'Изменения' },
  ),
  columns: {
    at: both('When', 'Когда'),
    who: both('Who', 'Кто'),
    action: both('Did', 'Что сделано'),
    object: both('What', 'Объект'),
    details: both('Details', 'Подробности'),
    address: both('From', 'Откуда'),
  },
  week: both(
    (number: number, year: number) => `week ${number} of ${year}`,
    (number, year) => `${number}-я неделя ${year} года`,
  ),
  nobody: both('not logged in', 'без входа'),
  key: both('key', 'ключ'),
  none: both(
    'Nothing in the log matches. Take a filter away to see more.',
    'Ничего не найдено. Уберите часть фильтров.',
  ),
  noneTitle: both('No such entries', 'Таких событий нет'),
  actions,
  /** The groups of the actions, by the word before the full stop. */
  groups: both<Record<string, string>>(
    {
      login: 'Access',
      recording: 'Calls',
      analytics: 'Reports',
      crm: 'CRM',
      queue: 'Queues',
      person: 'People and departments',
      key: 'API keys',
      settings: 'Settings',
      rules: 'Call check',
    },
    {
      login: 'Доступ',
      recording: 'Звонки',
      analytics: 'Отчёты',
      crm: 'CRM',
      queue: 'Очереди',
      person: 'Люди и отделы',
      key: 'Ключи API',
      settings: 'Настройки',
      rules: 'Проверка звонков',
    },
  ),
  objects: both<Record<string, string>>(
    {
      recording: 'recording',
      person: 'person',
      department: 'department',
      key: 'key',
      queue: 'queue',
      session: 'session',
      settings: 'settings',
      ruleSet: 'rule set',
      backtest: 'backtest',
    },
    {
      recording: 'запись',
      person: 'человек',
      department: 'отдел',
      key: 'ключ',
      queue: 'очередь',
      session: 'сеанс',
      settings: 'настройки',
      ruleSet: 'набор правил',
      backtest: 'прогон',
    },
  ),
  fields,
  /** For what the channels of a call are set. */
  modes: both<Record<string, string>>({ score: 'score', label: 'labels' }, { score: 'оценка', label: 'метки' }),
  setFor: both<Record<string, string>>(
    { call: 'this call', source: 'its source' },
    { call: 'этого звонка', source: 'его источника' },
  ),
  changed: both('changed', 'изменён'),
}
