import { text, type Translation, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'
import { actionWords } from './words-actions.ts'
import { fieldWords } from './words-fields.ts'

/** Words by names of the API. */
type WordsByName = Record<string, Translation<string>>

/** The audit log: its actions and entries. */
export const auditWords = {
  title: text('Audit log', 'Журнал'),
  total: pluralTemplate('{entry|entries}', '{событие|события|событий}'),
  csv: text('Export CSV', 'Выгрузить CSV'),
  filters: {
    person: text('Person', 'Кто'),
    anyPerson: text('anybody', 'кто угодно'),
    action: text('Action', 'Действие'),
    anyAction: text('anything', 'что угодно'),
    from: text('From', 'С'),
    to: text('To', 'По'),
    object: template('about: {}', 'о чём: {}'),
    allObjects: text('about everything', 'обо всём'),
    backwards: text('This day is before the first one.', 'Этот день раньше первого.'),
  },
  /** Whether it was only a read. */
  kinds: {
    '': text('All', 'Все'),
    reads: text('Reads', 'Просмотры'),
    changes: text('Changes', 'Изменения'),
  } as WordsByName,
  columns: {
    at: text('When', 'Когда'),
    who: text('Who', 'Кто'),
    action: text('Did', 'Что сделано'),
    object: text('What', 'Объект'),
    details: text('Details', 'Подробности'),
    address: text('From', 'Откуда'),
  },
  more: template('and {} more', 'и ещё {}'),
  week: template('week {} of {}', '{}-я неделя {} года'),
  nobody: text('not logged in', 'без входа'),
  key: text('key', 'ключ'),
  none: text(
    'Nothing in the log matches. Take a filter away to see more.',
    'Ничего не найдено. Уберите часть фильтров.',
  ),
  noneTitle: text('No such entries', 'Таких событий нет'),
  actions: actionWords,
  /** The groups of actions, by the word before the full stop. */
  groups: {
    login: text('Access', 'Доступ'),
    recording: text('Calls', 'Звонки'),
    analytics: text('Reports', 'Отчёты'),
    crm: text('CRM', 'CRM'),
    queue: text('Queues', 'Очереди'),
    person: text('People and departments', 'Люди и отделы'),
    key: text('API keys', 'Ключи API'),
    settings: text('Settings', 'Настройки'),
    rules: text('Call check', 'Проверка звонков'),
  } as WordsByName,
  objects: {
    recording: text('recording', 'запись'),
    person: text('person', 'человек'),
    department: text('department', 'отдел'),
    key: text('key', 'ключ'),
    queue: text('queue', 'очередь'),
    session: text('session', 'сеанс'),
    settings: text('settings', 'настройки'),
    ruleSet: text('rule set', 'набор правил'),
    backtest: text('backtest', 'прогон'),
  } as WordsByName,
  fields: fieldWords,
  /** The scopes of the agent's channel. */
  modes: {
    score: text('score', 'оценка'),
    label: text('labels', 'метки'),
  } as WordsByName,
  setFor: {
    call: text('this call', 'этого звонка'),
    source: text('its source', 'его источника'),
  } as WordsByName,
  changed: text('changed', 'изменён'),
}
