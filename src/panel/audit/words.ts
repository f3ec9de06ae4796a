import type { NotificationKind } from '../../work/notifications/values.ts'
import { text, type Translation, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'
import { auditActionWords } from './words-actions.ts'
import { auditFieldWords } from './words-fields.ts'

type WordsByName = Record<string, Translation<string>>

export const auditWords = {
  title: text('Audit log', 'Журнал действий'),
  total: pluralTemplate('{entry|entries}', '{событие|события|событий}'),
  csv: text('Download as CSV', 'Скачать CSV'),
  filters: {
    person: text('Person', 'Сотрудник'),
    anyPerson: text('All people', 'Все сотрудники'),
    action: text('Action', 'Действие'),
    anyAction: text('All actions', 'Все действия'),
    from: text('From', 'С'),
    to: text('To', 'По'),
    object: textTemplate('object: {}', 'объект: {}'),
    allObjects: text('All objects', 'Все объекты'),
    backwards: text('The end date is before the start date.', 'Конец раньше начала.'),
  },
  kinds: {
    '': text('All', 'Все'),
    reads: text('Reads', 'Просмотры'),
    changes: text('Changes', 'Изменения'),
  } as WordsByName,
  columns: {
    at: text('Time', 'Время'),
    who: text('Person', 'Сотрудник'),
    action: text('Action', 'Действие'),
    object: text('Object', 'Объект'),
    details: text('Details', 'Подробности'),
    address: text('Address', 'IP-адрес'),
  },
  more: textTemplate('and {} more', 'и ещё {}'),
  week: textTemplate('week {} of {}', '{}-я неделя {} года'),
  nobody: text('not logged in', 'без входа'),
  key: text('key', 'ключ'),
  none: text('Remove a filter to see more.', 'Уберите фильтр, чтобы увидеть больше.'),
  noneTitle: text('No entries found', 'События не найдены'),
  actions: auditActionWords,
  /** Groups of actions in the filter. Keys are usually the part of the action name before the dot. */
  groups: {
    login: text('Access', 'Доступ'),
    recording: text('Calls', 'Звонки'),
    analytics: text('Reports', 'Отчёты'),
    crm: text('CRM', 'CRM'),
    queue: text('Queues', 'Очереди'),
    person: text('People and departments', 'Сотрудники и отделы'),
    key: text('API keys', 'Ключи API'),
    settings: text('Settings', 'Настройки'),
    rules: text('Call check', 'Проверка звонков'),
    work: text('Working together', 'Совместная работа'),
  } as WordsByName,
  objects: {
    recording: text('call', 'звонок'),
    person: text('person', 'сотрудник'),
    department: text('department', 'отдел'),
    key: text('key', 'ключ'),
    queue: text('queue', 'очередь'),
    session: text('session', 'сеанс'),
    settings: text('settings', 'настройки'),
    ruleSet: text('rule set', 'набор правил'),
    backtest: text('test run', 'прогон'),
    view: text('saved view', 'сохранённый вид'),
    playlist: text('playlist', 'подборка'),
    calibration: text('calibration', 'калибровка'),
  } as WordsByName,
  fields: auditFieldWords,
  modes: {
    score: text('score', 'оценка'),
    label: text('labels', 'метки'),
  } as WordsByName,
  setFor: {
    call: text('this call', 'этого звонка'),
    source: text('the call’s source', 'его источника'),
  } as WordsByName,
  changed: text('changed', 'изменён'),
  notificationKinds: text<Record<NotificationKind, string>>(
    {
      dispute: 'disputes',
      decision: 'decisions about disputes',
      comment: 'comments',
      mention: 'mentions',
      assignment: 'assigned calls',
      criticalMiss: 'missed critical rules',
      weeklyReport: 'weekly reports',
      view: 'calls in views',
    },
    {
      dispute: 'возражения',
      decision: 'ответы на возражения',
      comment: 'комментарии',
      mention: 'упоминания',
      assignment: 'назначенные звонки',
      criticalMiss: 'невыполненные критичные правила',
      weeklyReport: 'отчёты за неделю',
      view: 'звонки в видах',
    },
  ),
}
