import { defineWordMap, text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'
import { automaticWords, keyWords, passwordWords, peopleWords, reviewWords, callWords } from './words-owner.ts'
import { adviceWords, stepNames, stepStateWords, waitWords } from './words-steps.ts'

const quarantineWords = {
  title: text('Quarantine', 'Карантин'),
  about: text(
    'These rows cannot be stored. Correct them in the CRM, then choose “Forget position” for the step.',
    'Эти строки нельзя сохранить. Исправьте их в CRM, затем нажмите у шага «Забыть место».',
  ),
  row: text('Row', 'Строка'),
  noId: text('no id', 'без номера'),
  why: text('Reason', 'Причина'),
  value: text('Value', 'Значение'),
  seen: text('Last read', 'Прочитана'),
}

/** The pages of the CRM: its automation, its data, and its managers. */
export const crmWords = {
  title: text('CRM and automation', 'CRM и автоматика'),
  about: text(
    'Calls, deals and people are read from Bitrix24 by themselves. Nothing is asked of it before you enable it here.',
    'Звонки, сделки и люди читаются из Битрикс24 сами. Пока автоматика не включена здесь, к нему нет ни одного запроса.',
  ),
  states: text<Record<string, string>>(
    { off: 'off', on: 'on', paused: 'paused', blocked: 'blocked' },
    { off: 'выключена', on: 'включена', paused: 'на паузе', blocked: 'заблокирована' },
  ),
  steps: text('What to do, in this order', 'Что сделать, по порядку'),
  done: text('done', 'готово'),
  open: text('to do', 'сделать'),
  later: text('later', 'позже'),
  look: text('look', 'проверьте'),
  unknown: text('unknown', 'неизвестно'),
  unread: text('This cannot be read just now.', 'Сейчас это не читается.'),

  password: passwordWords,
  people: peopleWords,
  keys: keyWords,
  call: callWords,
  review: reviewWords,
  automatic: automaticWords,
  variable: {
    title: text('Give the service the webhook', 'Дайте сервису вебхук'),
    done: template('CRM_WEBHOOK_URL leads to {}.', 'CRM_WEBHOOK_URL ведёт на {}.'),
    open: text(
      'In Bitrix24 make an incoming webhook with the rights crm, telephony, user_basic, department and disk, and put its address into CRM_WEBHOOK_URL. Its user must see the statistics of all calls.',
      'Создайте в Битрикс24 входящий вебхук с правами crm, telephony, user_basic, department и disk и поместите его адрес в CRM_WEBHOOK_URL. Его пользователю нужна статистика всех звонков.',
    ),
  },
  check: {
    title: text('Check the connection', 'Проверьте подключение'),
    button: text('Check', 'Проверить'),
    again: text('Check again', 'Проверить снова'),
    passed: template('The webhook reads with the rights of {}.', 'Вебхук читает с правами пользователя: {}.'),
    never: text(
      'Who the webhook is and what it may. Only this asks the CRM while the automation is off.',
      'Кто этот вебхук и что ему можно. Пока автоматика выключена, к CRM обращается только эта проверка.',
    ),
  },
  confirm: {
    title: text('Confirm that it is the right CRM', 'Подтвердите, что это нужная CRM'),
    button: text('Confirm', 'Подтвердить'),
    question: template(
      'People, deals and calls of {} will be kept here. Is that the right one?',
      'Здесь будут храниться люди, сделки и звонки с {}. Это нужная CRM?',
    ),
    sure: text('It is the right one', 'Да, это она'),
    text: text('What is read stays of this one portal.', 'Данные останутся данными этого портала.'),
  },
  enable: {
    title: text('Enable the automation', 'Включите автоматику'),
    button: text('Enable', 'Включить'),
    question: text(
      'Reading starts at once. Nothing is written into the CRM.',
      'Чтение начнётся сразу. В CRM ничего не записывается.',
    ),
    sure: text('Enable it', 'Включить'),
    text: text('Reading starts at once, and goes on day and night.', 'Чтение начнётся сразу и пойдёт круглосуточно.'),
  },
  read: {
    title: text('Read the CRM', 'Прочитайте CRM'),
    button: text('Advanced', 'Подробнее'),
    text: template('{} of {} steps have run to their end.', 'Шагов пройдено до конца: {} из {}.'),
  },
  funnels: {
    title: text('Choose the funnels of each department', 'Выберите воронки каждого отдела'),
    button: text('Departments', 'Отделы'),
    done: pluralTemplate('Deals are read from {} {funnel|funnels}.', 'Сделки читаются из {} {воронки|воронок}.'),
    open: text('Deals are read from no other funnels.', 'Из других воронок сделки не читаются.'),
  },
  managers: {
    title: text('Say who the sales managers are', 'Отметьте менеджеров по продажам'),
    button: text('Managers', 'Менеджеры'),
    done: pluralTemplate('Calls of {} {manager|managers} are loaded.', 'Загружаются звонки {} {менеджера|менеджеров}.'),
    open: text('Until then no call is loaded.', 'До этого звонки не загружаются.'),
  },

  pause: text('Pause', 'Пауза'),
  resume: text('Go on', 'Продолжить'),
  disable: text('Switch off', 'Выключить'),
  disableSure: text(
    'Nothing more is asked of the CRM. What was read stays.',
    'К CRM больше не будет запросов. Прочитанное останется.',
  ),
  disableNow: text('Switch it off', 'Выключить'),
  notices: defineWordMap({
    confirm: text('Confirmed.', 'Подтверждено.'),
    enable: text('The automation is on. Reading has begun.', 'Автоматика включена. Чтение началось.'),
    pause: text(
      'Paused. Nothing is asked of the CRM until you go on.',
      'На паузе. К CRM не будет запросов, пока вы не продолжите.',
    ),
    resume: text('It goes on.', 'Работа продолжается.'),
    disable: text('The automation is off.', 'Автоматика выключена.'),
    reset: text(
      'The step reads everything again. What was read stays.',
      'Шаг прочитает всё заново. Прочитанное останется.',
    ),
    resetAll: text(
      'Everything is read again. What was read stays.',
      'Всё будет прочитано заново. Прочитанное останется.',
    ),
    run: text('It runs in a moment.', 'Сейчас начнётся.'),
    roster: text('The roster is applied.', 'Список менеджеров применён.'),
  }),

  advanced: {
    title: text('Advanced', 'Подробнее'),
    about: text(
      'What is read, how far it is, and what to do where it stands still.',
      'Что читается, докуда дошло и что делать, если остановилось.',
    ),
    step: text('Step', 'Шаг'),
    state: text('State', 'Состояние'),
    read: text('Read', 'Прочитано'),
    news: text('New', 'Новые'),
    changed: text('Changed', 'Изменены'),
    last: text('Last', 'Последний раз'),
    next: text('Next', 'Следующий'),
    never: text('never', 'ни разу'),
    actions: text('Actions', 'Действия'),
    run: text('Run now', 'Запустить'),
    reset: text('Forget position', 'Забыть место'),
    resetSure: template(
      '{}: everything is read again. What was read stays, and no call is lost.',
      '{}: всё будет прочитано заново. Прочитанное останется, звонки не пропадут.',
    ),
    resetNow: text('Read it again', 'Прочитать заново'),
    resetAll: text('Forget all positions', 'Забыть все места'),
    resetAllSure: text(
      'Everything is read again, which takes a while. What was read, links, comments and the roster stay.',
      'Всё будет прочитано заново, на это нужно время. Прочитанное, связи, комментарии и список менеджеров останутся.',
    ),
    resetAllNow: text('Read everything again', 'Прочитать всё заново'),
    invalid: pluralTemplate(
      '{} invalid {value was|values were} left out.',
      '{Пропущено|Пропущены|Пропущено} {} {недопустимое значение|недопустимых значения|недопустимых значений}.',
    ),
    quarantined: pluralTemplate('{} {row|rows} in quarantine.', 'В карантине {} {строка|строки|строк}.'),
  },
  quarantine: quarantineWords,
  names: stepNames,
  stepStates: stepStateWords,
  waits: waitWords,
  advice: adviceWords,

  roster: {
    title: text('Managers', 'Менеджеры'),
    about: text(
      'Calls of the people with a department here are loaded from the CRM, and belong to that department. Keep those who were dismissed: earlier calls are theirs.',
      'Из CRM загружаются звонки тех, у кого здесь выбран отдел; они относятся к этому отделу. Уволенных оставьте: прежние звонки — их.',
    ),
    determine: text('Determine managers', 'Определить менеджеров'),
    determined: text(
      'Those who seem to sell are chosen already. Nothing changes before you apply it.',
      'Те, кто похож на продавцов, уже выбраны. Пока вы не примените список, ничего не изменится.',
    ),
    none: text('No managers yet', 'Менеджеров пока нет'),
    noneText: text(
      'Determine managers shows everybody of the CRM, with their deals and calls.',
      'Определение покажет всех людей CRM с их сделками и звонками.',
    ),
    noDepartments: text(
      'Add a department first: managers belong to one.',
      'Сначала добавьте отдел: менеджеры относятся к отделам.',
    ),
    name: text('Name', 'Имя'),
    position: text('Position', 'Должность'),
    deals: text('Deals, 90 days', 'Сделки, 90 дней'),
    calls: text('Answered calls, 30 days', 'Принятые звонки, 30 дней'),
    department: text('Department', 'Отдел'),
    departmentOf: template('Department of {}', 'Отдел: {}'),
    noDepartment: text('not loaded', 'не загружать'),
    dismissed: text('dismissed', 'уволен'),
    difference: text('What changes', 'Что изменится'),
    noChange: text('Nothing changes.', 'Ничего не изменится.'),
    comes: template('{} comes in, to {}', '{} — новый менеджер, отдел «{}»'),
    moves: template('{} moves from {} to {}', '{} — из отдела «{}» в «{}»'),
    leaves: template(
      '{} leaves {}: no more calls are loaded',
      '{} — больше не в отделе «{}», новые звонки не загружаются',
    ),
    show: text('Show what changes', 'Показать изменения'),
    apply: text('Apply', 'Применить'),
    applied: template('Applied {}.', 'Применён {}.'),
  },
}
