import { defineWordMap, text, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

export const reconciliationWords = {
  title: text('Reconciliation', 'Сверка с CRM'),
  lead: {
    complete: textTemplate(
      'No CRM call is missing: {} received, {} skipped.',
      'Все звонки из CRM на месте: получено {}, исключено {}.',
    ),
    missing: pluralTemplate(
      '{} CRM {call is|calls are} missing: {} not loaded, {} still to load or without a recording.',
      'Не хватает {} {звонка|звонков} из CRM: не загружено {}, в очереди или без записи {}.',
    ),
    unread: pluralTemplate(
      'Not all calls of {} {day|days} were loaded.',
      'За {} {день|дня|дней} загружены не все звонки.',
    ),
    fewerHere: pluralTemplate(
      'On {} {day|days}, the CRM counts more calls.',
      'За {} {день|дня|дней} в CRM больше звонков, чем здесь.',
    ),
  },
  about: text(
    'Each CRM call is counted once, by day and manager.',
    'Каждый звонок из CRM учтён один раз: по своему дню и менеджеру.',
  ),
  from: text('From', 'С'),
  to: text('To', 'По'),
  department: text('Department', 'Отдел'),
  everybody: text('All departments', 'Все отделы'),
  show: text('Show', 'Показать'),
  none: text('No CRM calls on these days.', 'За эти дни звонков из CRM нет.'),
  nobody: text('no manager', 'без менеджера'),
  table: text('Calls by day and manager', 'Звонки по дням и менеджерам'),
  sum: text('Total', 'Итого'),
  columns: {
    day: text('Day', 'День'),
    manager: text('Manager', 'Менеджер'),
    inCrm: text('In the CRM', 'В CRM'),
    received: text('Received', 'Получено'),
    done: text('Transcribed', 'Распознано'),
    inWork: text('In progress', 'В работе'),
    failed: text('Failed', 'Не распознано'),
    cancelled: text('Cancelled', 'Отменено'),
    deleted: text('Deleted', 'Удалено'),
    loading: text('To load', 'К загрузке'),
    awaitingFile: text('No recording yet', 'Записи ещё нет'),
    loadFailed: text('Not loaded', 'Не загружено'),
    skipped: text('Skipped', 'Исключено'),
  },
  calls: {
    title: text('CRM calls', 'Звонки из CRM'),
    back: text('Back to reconciliation', 'К сверке с CRM'),
    state: text('Result', 'Результат'),
    any: text('All', 'Все'),
    because: textTemplate('Skipped: {}', 'Исключены: {}'),
    total: pluralTemplate('{} {call|calls}', '{} {звонок|звонка|звонков}'),
    none: text('No calls found.', 'Звонки не найдены.'),
    columns: text(
      { time: 'Call time', manager: 'Manager', phone: 'Phone', length: 'Duration', state: 'Result' },
      { time: 'Время', manager: 'Менеджер', phone: 'Телефон', length: 'Длительность', state: 'Результат' },
    ),
    states: {
      done: text('transcribed', 'распознан'),
      inWork: text('in progress', 'в работе'),
      failed: text('failed', 'не распознан'),
      cancelled: text('cancelled', 'отменён'),
      deleted: text('deleted', 'удалён'),
      loading: text('to load', 'к загрузке'),
      awaitingFile: text('no recording yet', 'записи ещё нет'),
      loadFailed: text('not loaded', 'не загружен'),
      skipped: text('skipped', 'исключён'),
    },
  },
  control: {
    title: text('Comparison with the CRM’s count', 'Сравнение с подсчётом CRM'),
    about: text(
      'Every night we compare the number of calls in the last three days with the CRM.',
      'Каждую ночь число звонков за последние три дня сверяется с CRM.',
    ),
    columns: text(
      { portal: 'In the CRM', own: 'Here', checked: 'Compared at' },
      { portal: 'В CRM', own: 'Здесь', checked: 'Сверено' },
    ),
    alarms: text(
      { fewer: 'fewer than before', more: 'more than here' },
      { fewer: 'меньше, чем раньше', more: 'больше, чем здесь' },
    ),
    advice: text(
      {
        fewer:
          'The CRM shows fewer calls than before. The webhook’s user may have lost permissions: check the connection.',
        more: 'Calls are missing here. Reset the step “Calls” to load them again.',
      },
      {
        fewer:
          'В CRM меньше звонков, чем раньше. Возможно, у пользователя вебхука стало меньше прав: проверьте подключение.',
        more: 'Здесь не хватает звонков. Сбросьте шаг «Звонки», чтобы загрузить их заново.',
      },
    ),
  },
  unread: {
    title: text('Incomplete days', 'Неполные дни'),
    about: text(
      'Not all calls of these days were loaded. The table counts only loaded calls.',
      'За эти дни загружены не все звонки. В таблице учтены только загруженные.',
    ),
    load: text('Load calls', 'Загрузить звонки'),
  },
  why: text('Why calls were skipped', 'Почему звонки исключены'),
  reasons: defineWordMap({
    informational: text('informational call', 'информационный звонок'),
    unanswered: text('not answered', 'без ответа'),
    short: text('shorter than 15 seconds', 'короче 15 секунд'),
    'not-in-roster': text('manager not in the roster', 'менеджер не из списка'),
    'before-automation': text('before automation was turned on', 'до включения автоматизации'),
    'no-recording': text('no recording in the CRM', 'в CRM нет записи звонка'),
    'too-large': text('the file is too large', 'файл слишком большой'),
    doubled: text('duplicate of another call', 'дубль другого звонка'),
  }),
}
