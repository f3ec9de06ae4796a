import { defineWordMap, text, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'
import {
  automaticCheckStepWords,
  apiKeyStepWords,
  initialPasswordStepWords,
  peopleStepWords,
  ruleReviewStepWords,
  firstCallStepWords,
} from './words-owner.ts'
import { crmErrorAdviceWords, crmStepNames, crmStepStateWords, crmStepWaitWords } from './words-steps.ts'

const quarantineWords = {
  title: text('Quarantine', 'Карантин'),
  about: text(
    'These rows cannot be stored. Correct them in the CRM, then reset the step.',
    'Эти строки нельзя сохранить. Исправьте их в CRM, затем сбросьте шаг.',
  ),
  row: text('Row', 'Строка'),
  noId: text('no ID', 'без ID'),
  why: text('Reason', 'Причина'),
  value: text('Value', 'Значение'),
  seen: text('Last loaded', 'Последняя загрузка'),
}

export const crmWords = {
  title: text('Automation', 'Автоматизация'),
  about: text(
    'Syncs calls, deals and people from Bitrix24 once you turn it on.',
    'Данные из Битрикс24 загружаются после включения.',
  ),
  states: text<Record<string, string>>(
    { off: 'off', on: 'on', paused: 'paused', blocked: 'blocked' },
    { off: 'выключена', on: 'включена', paused: 'на паузе', blocked: 'заблокирована' },
  ),
  steps: text('Set up in this order', 'Настройка по шагам'),
  done: text('done', 'готово'),
  open: text('to do', 'не сделано'),
  later: text('later', 'позже'),
  look: text('fix', 'исправьте'),
  unknown: text('unknown', 'неизвестно'),
  unread: text('This status did not load. Reload the page.', 'Статус не загрузился. Обновите страницу.'),

  password: initialPasswordStepWords,
  people: peopleStepWords,
  keys: apiKeyStepWords,
  call: firstCallStepWords,
  review: ruleReviewStepWords,
  automatic: automaticCheckStepWords,
  variable: {
    title: text('Connect Bitrix24', 'Подключите Битрикс24'),
    done: textTemplate('Connected to {}.', 'Подключён портал {}.'),
    open: text(
      'If you use Bitrix24, create an incoming webhook in it with the permissions crm, telephony, user_basic, department and disk. Set CRM_WEBHOOK_URL to its address. The webhook’s user must be able to see the statistics of all calls.',
      'Если вы работаете в Битрикс24, создайте в нём входящий вебхук с правами crm, telephony, user_basic, department и disk. Укажите его адрес в CRM_WEBHOOK_URL. Пользователь вебхука должен видеть статистику всех звонков.',
    ),
  },
  check: {
    title: text('Check the connection', 'Проверьте подключение'),
    button: text('Check', 'Проверить'),
    again: text('Check again', 'Проверить снова'),
    passed: textTemplate('The webhook has the permissions of {}.', 'Вебхук работает с правами пользователя {}.'),
    never: text('Webhook owner and permissions', 'Владелец вебхука и его права'),
  },
  confirm: {
    title: text('Confirm the portal', 'Подтвердите портал'),
    button: text('Confirm', 'Подтвердить'),
    question: textTemplate('Load people, deals and calls from {}?', 'Загружать сотрудников, сделки и звонки с {}?'),
    sure: text('Confirm portal', 'Подтвердить портал'),
    text: text('This server stores the data of one portal only.', 'Сервис хранит данные только одного портала.'),
  },
  enable: {
    title: text('Turn on automation', 'Включите автоматизацию'),
    button: text('Turn on', 'Включить'),
    question: text(
      'Turn on automation? Syncing starts at once. Nothing is written to the CRM.',
      'Включить автоматизацию? Синхронизация начнётся сразу. В CRM ничего не записывается.',
    ),
    sure: text('Turn on', 'Включить'),
    text: text(
      'Syncing starts at once and runs day and night.',
      'Синхронизация начнётся сразу и будет идти круглосуточно.',
    ),
  },
  read: {
    title: text('Load the CRM data', 'Загрузите данные CRM'),
    button: text('Sync steps', 'Шаги синхронизации'),
    text: textTemplate('{} of {} steps completed.', 'Выполнено шагов: {} из {}.'),
  },
  funnels: {
    title: text('Choose the funnels of each department', 'Выберите воронки каждого отдела'),
    button: text('Departments', 'Отделы'),
    done: pluralTemplate('Deals are loaded from {} {funnel|funnels}.', 'Сделки загружаются из {} {воронки|воронок}.'),
    open: text('Deals from other funnels are not loaded.', 'Сделки из других воронок не загружаются.'),
  },
  managers: {
    title: text('Choose sales managers', 'Выберите менеджеров по продажам'),
    button: text('Managers', 'Менеджеры'),
    done: pluralTemplate('Calls of {} {manager|managers} are loaded.', 'Загружаются звонки {} {менеджера|менеджеров}.'),
    open: text('Calls are loaded after this step.', 'Звонки загружаются после этого шага.'),
  },

  pause: text('Pause', 'Приостановить'),
  resume: text('Resume', 'Возобновить'),
  disable: text('Turn off', 'Выключить'),
  disableSure: text(
    'Turn off automation? Loaded data stays.',
    'Выключить автоматизацию? Загруженные данные останутся.',
  ),
  disableNow: text('Turn off', 'Выключить'),
  notices: defineWordMap({
    confirm: text('Confirmed.', 'Подтверждено.'),
    enable: text('Automation is on. Syncing has started.', 'Автоматизация включена. Синхронизация началась.'),
    pause: text('Automation paused.', 'Автоматизация на паузе.'),
    resume: text('Automation resumed.', 'Автоматизация возобновлена.'),
    disable: text('Automation is off.', 'Автоматизация выключена.'),
    reset: text(
      'The step loads everything again. Loaded data stays.',
      'Шаг загрузит всё заново. Загруженные данные останутся.',
    ),
    resetAll: text(
      'All steps load everything again. Loaded data stays.',
      'Все шаги загрузят данные заново. Загруженные данные останутся.',
    ),
    run: text('The step starts soon.', 'Шаг скоро начнётся.'),
    roster: text('Roster applied.', 'Список менеджеров применён.'),
  }),

  advanced: {
    title: text('Sync steps', 'Шаги синхронизации'),
    about: text(
      'What is loaded, and what to do if a step fails.',
      'Что загружается и что делать, если шаг остановился.',
    ),
    step: text('Step', 'Шаг'),
    state: text('Status', 'Статус'),
    read: text('Loaded', 'Загружено'),
    news: text('New', 'Новых'),
    changed: text('Changed', 'Изменено'),
    last: text('Last run', 'Последний запуск'),
    next: text('Next run', 'Следующий запуск'),
    never: text('never', 'ни разу'),
    actions: text('Actions', 'Действия'),
    run: text('Run now', 'Запустить'),
    reset: text('Reset', 'Сбросить'),
    resetSure: textTemplate(
      'Reset “{}”? It loads everything again. No data is lost.',
      'Сбросить шаг «{}»? Он загрузит всё заново. Данные не пропадут.',
    ),
    resetNow: text('Reset', 'Сбросить'),
    resetAll: text('Reset all steps', 'Сбросить все шаги'),
    resetAllSure: text(
      'Reset all steps? Loading everything again takes a while. Data, links, comments and the roster stay.',
      'Сбросить все шаги? Загрузка всего заново займёт время. Данные, связи, комментарии и список менеджеров останутся.',
    ),
    resetAllNow: text('Reset all steps', 'Сбросить все шаги'),
    invalid: pluralTemplate(
      '{} invalid {value|values} skipped.',
      '{Пропущено|Пропущены|Пропущено} {} {недопустимое значение|недопустимых значения|недопустимых значений}.',
    ),
    quarantined: pluralTemplate('{} {row|rows} in quarantine.', 'В карантине {} {строка|строки|строк}.'),
  },
  quarantine: quarantineWords,
  names: crmStepNames,
  stepStates: crmStepStateWords,
  waits: crmStepWaitWords,
  advice: crmErrorAdviceWords,

  roster: {
    title: text('Managers', 'Менеджеры'),
    about: text(
      'We load calls of people who have a department here. Keep dismissed people to keep their earlier calls.',
      'Загружаются звонки сотрудников, для которых выбран отдел. Не убирайте уволенных, чтобы сохранить их прежние звонки.',
    ),
    determine: text('Determine managers', 'Определить менеджеров'),
    determined: text(
      'Likely managers are preselected. Nothing changes until you apply the roster.',
      'Вероятные менеджеры уже отмечены. Пока вы не примените список, ничего не изменится.',
    ),
    none: text('No managers yet', 'Менеджеров пока нет'),
    noneText: text(
      'Select “Determine managers” to list people from the CRM with their deals and calls.',
      'Нажмите «Определить менеджеров», чтобы увидеть сотрудников из CRM, их сделки и звонки.',
    ),
    noDepartments: text('Add a department first.', 'Сначала добавьте отдел.'),
    name: text('Name', 'Имя'),
    position: text('Position', 'Должность'),
    deals: text('Deals, 90 days', 'Сделки, 90 дней'),
    calls: text('Answered calls, 30 days', 'Отвеченные звонки, 30 дней'),
    department: text('Department', 'Отдел'),
    departmentOf: textTemplate('Department of {}', 'Отдел: {}'),
    noDepartment: text('do not load', 'не загружать'),
    dismissed: text('dismissed', 'уволен'),
    difference: text('Changes', 'Изменения'),
    noChange: text('No changes.', 'Изменений нет.'),
    comes: textTemplate('{} joins {}', '{}: новый менеджер, отдел «{}»'),
    moves: textTemplate('{} moves from {} to {}', '{}: из отдела «{}» в «{}»'),
    leaves: textTemplate(
      '{} leaves {}: new calls are not loaded',
      '{}: больше не в отделе «{}», новые звонки не загружаются',
    ),
    show: text('Show changes', 'Показать изменения'),
    apply: text('Apply', 'Применить'),
    applied: textTemplate('Applied {}.', 'Список применён {}.'),
  },
}
