import { defineWordMap, text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

/** The outcome of every call of the CRM. */
export const reconciliationWords = {
  title: text('Reconciliation', 'Сверка с CRM'),
  about: text(
    'Every call that the CRM knows stands in exactly one place, by day and manager.',
    'Каждый звонок из CRM учтён ровно в одном месте, по дням и менеджерам.',
  ),
  from: text('From', 'С'),
  to: text('To', 'По'),
  department: text('Department', 'Отдел'),
  everybody: text('everybody', 'все'),
  show: text('Show', 'Показать'),
  none: text('No calls of these days were read from the CRM.', 'За эти дни звонков из CRM не прочитано.'),
  nobody: text('nobody', 'никто'),
  table: text('Calls by day and manager', 'Звонки по дням и менеджерам'),
  sum: text('All', 'Всего'),
  columns: {
    day: text('Day', 'День'),
    manager: text('Manager', 'Менеджер'),
    inCrm: text('In the CRM', 'В CRM'),
    received: text('Received', 'Получено'),
    done: text('Done', 'Готово'),
    inWork: text('In work', 'В работе'),
    failed: text('Failed', 'Не удались'),
    cancelled: text('Cancelled', 'Отменено'),
    deleted: text('Deleted', 'Удалено'),
    loading: text('To load', 'К загрузке'),
    awaitingFile: text('No sound yet', 'Звука ещё нет'),
    loadFailed: text('Not loaded', 'Не загружены'),
    skipped: text('Left out', 'Пропущено'),
  },
  calls: {
    title: text('Calls of the CRM', 'Звонки из CRM'),
    back: text('Back to the reconciliation', 'Назад к сверке'),
    state: text('What became of them', 'Что с ними стало'),
    any: text('anything', 'любое'),
    because: template('Left out: {}', 'Пропущено: {}'),
    total: pluralTemplate('{} {call|calls}', '{} {звонок|звонка|звонков}'),
    none: text('There are no such calls.', 'Таких звонков нет.'),
    columns: text(
      { time: 'Call', manager: 'Manager', phone: 'Phone', length: 'Length', state: 'What became of it' },
      { time: 'Звонок', manager: 'Менеджер', phone: 'Телефон', length: 'Длина', state: 'Что с ним стало' },
    ),
    states: {
      done: text('done', 'готово'),
      inWork: text('in work', 'в работе'),
      failed: text('failed', 'не удалось'),
      cancelled: text('cancelled', 'отменено'),
      deleted: text('deleted', 'удалено'),
      loading: text('to load', 'к загрузке'),
      awaitingFile: text('no sound yet', 'звука ещё нет'),
      loadFailed: text('not loaded', 'не загружен'),
      skipped: text('left out', 'пропущен'),
    },
  },
  control: {
    title: text('Beside the CRM’s own count', 'Сравнение с подсчётом самой CRM'),
    about: text(
      'Every night the CRM is asked how many calls it has of the last three days.',
      'Каждую ночь CRM спрашивают, сколько в ней звонков за последние три дня.',
    ),
    columns: text(
      { portal: 'The CRM counts', own: 'Known here', checked: 'Asked' },
      { portal: 'По счёту CRM', own: 'Известно здесь', checked: 'Когда спросили' },
    ),
    alarms: text(
      { fewer: 'fewer than before', more: 'more than here' },
      { fewer: 'меньше, чем раньше', more: 'больше, чем здесь' },
    ),
    advice: text(
      {
        fewer: 'Fewer than before: the rights of the webhook’s user may have shrunk. Check the connection.',
        more: 'More than here: have the step “Calls” forget its position, then it reads all of them again.',
      },
      {
        fewer: 'Меньше, чем раньше: возможно, у пользователя вебхука стало меньше прав. Проверьте подключение.',
        more: 'Больше, чем здесь: пусть шаг «Звонки» забудет позицию, тогда он прочитает их все заново.',
      },
    ),
  },
  unread: {
    title: text('Days not fully read', 'Дни, прочитанные не полностью'),
    about: text(
      'Not all calls of these days were read from the CRM. The table counts only the calls that were read.',
      'Из CRM прочитаны не все звонки за эти дни. В таблице учтены только прочитанные.',
    ),
    load: text('Load them', 'Загрузить'),
  },
  why: text('Why calls were left out', 'Почему звонки пропущены'),
  reasons: defineWordMap({
    informational: text('informational call', 'информационный звонок'),
    unanswered: text('not answered', 'без ответа'),
    short: text('shorter than 15 seconds', 'короче 15 секунд'),
    'not-in-roster': text('of nobody in the roster', 'не из списка менеджеров'),
    'before-automation': text('before the automation', 'до включения автоматики'),
    'no-recording': text('no recording in the CRM', 'в CRM нет записи'),
    'too-large': text('the file is too large', 'файл слишком большой'),
    doubled: text('another row of the same call', 'вторая строка того же звонка'),
  }),
}
