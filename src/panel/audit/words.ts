import { both, type Translation, template } from '../frame/words/translation.ts'
import { formEn, formRu } from '../frame/words/grammar.ts'
import { actions } from './words-actions.ts'
import { fields } from './words-fields.ts'

/** Words by names that the API gives. */
type Names = Record<string, Translation<string>>

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
    object: template('about: {}', 'о чём: {}'),
    allObjects: both('about everything', 'обо всём'),
    backwards: both('This day is before the first one.', 'Этот день раньше первого.'),
  },
  /** Whether something was only read. */
  kinds: {
    '': both('All', 'Все'),
    reads: both('Reads', 'Просмотры'),
    changes: both('Changes', 'Изменения'),
  } as Names,
  columns: {
    at: both('When', 'Когда'),
    who: both('Who', 'Кто'),
    action: both('Did', 'Что сделано'),
    object: both('What', 'Объект'),
    details: both('Details', 'Подробности'),
    address: both('From', 'Откуда'),
  },
  week: template('week {} of {}', '{}-я неделя {} года'),
  nobody: both('not logged in', 'без входа'),
  key: both('key', 'ключ'),
  none: both(
    'Nothing in the log matches. Take a filter away to see more.',
    'Ничего не найдено. Уберите часть фильтров.',
  ),
  noneTitle: both('No such entries', 'Таких событий нет'),
  actions,
  /** The groups of the actions, by the word before the full stop. */
  groups: {
    login: both('Access', 'Доступ'),
    recording: both('Calls', 'Звонки'),
    analytics: both('Reports', 'Отчёты'),
    crm: both('CRM', 'CRM'),
    queue: both('Queues', 'Очереди'),
    person: both('People and departments', 'Люди и отделы'),
    key: both('API keys', 'Ключи API'),
    settings: both('Settings', 'Настройки'),
    rules: both('Call check', 'Проверка звонков'),
  } as Names,
  objects: {
    recording: both('recording', 'запись'),
    person: both('person', 'человек'),
    department: both('department', 'отдел'),
    key: both('key', 'ключ'),
    queue: both('queue', 'очередь'),
    session: both('session', 'сеанс'),
    settings: both('settings', 'настройки'),
    ruleSet: both('rule set', 'набор правил'),
    backtest: both('backtest', 'прогон'),
  } as Names,
  fields,
  /** For what the channels of a call are set. */
  modes: {
    score: both('score', 'оценка'),
    label: both('labels', 'метки'),
  } as Names,
  setFor: {
    call: both('this call', 'этого звонка'),
    source: both('its source', 'его источника'),
  } as Names,
  changed: both('changed', 'изменён'),
}
