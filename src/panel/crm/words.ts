import { both } from '../frame/words/both.ts'
import { formEn, formRu } from '../frame/words/grammar.ts'

/** The pages of the CRM: whether it is read, what is read, and whose calls are loaded. */
export const crm = {
  title: both('Automation', 'Автоматика'),
  about: both(
    'Calls, deals and people are read from Bitrix24 by themselves. Nothing is asked of it before you enable it here.',
    'Звонки, сделки и люди читаются из Битрикс24 сами. Пока автоматика не включена здесь, к нему нет ни одного запроса.',
  ),
  states: both<Record<string, string>>(
    { off: 'off', on: 'on', paused: 'paused', blocked: 'blocked' },
    { off: 'выключена', on: 'включена', paused: 'на паузе', blocked: 'заблокирована' },
  ),
  steps: both('What to do, in this order', 'Что сделать, по порядку'),
  done: both('done', 'готово'),
  open: both('to do', 'сделать'),
  later: both('later', 'позже'),
  look: both('look', 'проверьте'),

  variable: {
    title: both('Give the service the webhook', 'Дайте сервису вебхук'),
    done: both(
      (host: string) => `CRM_WEBHOOK_URL leads to ${host}.`,
      (host) => `CRM_WEBHOOK_URL ведёт на ${host}.`,
    ),
    open: both(
      'In Bitrix24 make an incoming webhook with the rights crm, telephony, user_basic, department and disk, and put its address into CRM_WEBHOOK_URL. Its user must see the statistics of all calls.',
      'Создайте в Битрикс24 входящий вебхук с правами crm, telephony, user_basic, department и disk и поместите его адрес в CRM_WEBHOOK_URL. Его пользователю нужна статистика всех звонков.',
    ),
  },
  check: {
    title: both('Check the connection', 'Проверьте подключение'),
    button: both('Check', 'Проверить'),
    again: both('Check again', 'Проверить снова'),
    passed: both(
      (name: string) => `The webhook reads with the rights of ${name}.`,
      (name) => `Вебхук читает с правами пользователя: ${name}.`,
    ),
    never: both(
      'Who the webhook is and what it may. Only this asks the CRM while the automation is off.',
      'Кто этот вебхук и что ему можно. Пока автоматика выключена, к CRM обращается только эта проверка.',
    ),
  },
  confirm: {
    title: both('Confirm that it is the right CRM', 'Подтвердите, что это нужная CRM'),
    button: both('Confirm', 'Подтвердить'),
    question: both(
      (host: string) => `People, deals and calls of ${host} will be kept here. Is that the right one?`,
      (host) => `Здесь будут храниться люди, сделки и звонки с ${host}. Это нужная CRM?`,
    ),
    sure: both('It is the right one', 'Да, это она'),
    text: both('What is read stays of this one portal.', 'Данные останутся данными этого портала.'),
  },
  enable: {
    title: both('Enable the automation', 'Включите автоматику'),
    button: both('Enable', 'Включить'),
    question: both(
      'Reading starts at once. Nothing is written into the CRM.',
      'Чтение начнётся сразу. В CRM ничего не записывается.',
    ),
    sure: both('Enable it', 'Включить'),
    text: both('Reading starts at once, and goes on day and night.', 'Чтение начнётся сразу и пойдёт круглосуточно.'),
  },
  read: {
    title: both('Read the CRM', 'Прочитайте CRM'),
    button: both('Advanced', 'Подробнее'),
    text: both(
      (done: string, all: string) => `${done} of ${all} steps have run to their end.`,
      (done, all) => `Шагов пройдено до конца: ${done} из ${all}.`,
    ),
  },
  funnels: {
    title: both('Choose the funnels of each department', 'Выберите воронки каждого отдела'),
    button: both('Departments', 'Отделы'),
    done: both(
      (n: number, shown: string) => `Deals are read from ${shown} ${formEn(n, 'funnel', 'funnels')}.`,
      (n, shown) => `Сделки читаются из ${shown} ${formRu(n, 'воронки', 'воронок', 'воронок')}.`,
    ),
    open: both('Deals are read from no other funnels.', 'Из других воронок сделки не читаются.'),
  },
  managers: {
    title: both('Say who the sales managers are', 'Отметьте менеджеров по продажам'),
    button: both('Managers', 'Менеджеры'),
    done: both(
      (n: number, shown: string) => `Calls of ${shown} ${formEn(n, 'manager', 'managers')} are loaded.`,
      (n, shown) => `Загружаются звонки ${shown} ${formRu(n, 'менеджера', 'менеджеров', 'менеджеров')}.`,
    ),
    open: both('Until then no call is loaded.', 'До этого звонки не загружаются.'),
  },

  pause: both('Pause', 'Пауза'),
  resume: both('Go on', 'Продолжить'),
  disable: both('Switch off', 'Выключить'),
  disableSure: both(
    'Nothing more is asked of the CRM. What was read stays.',
    'К CRM больше не будет запросов. Прочитанное останется.',
  ),
  disableNow: both('Switch it off', 'Выключить'),
  notices: both<Record<string, string>>(
    {
      confirm: 'Confirmed.',
      enable: 'The automation is on. Reading has begun.',
      pause: 'Paused. Nothing is asked of the CRM until you go on.',
      resume: 'It goes on.',
      disable: 'The automation is off.',
      reset: 'The step reads everything again. What was read stays.',
      resetAll: 'Everything is read again. What was read stays.',
      run: 'It runs in a moment.',
      roster: 'The roster is applied.',
    },
    {
      confirm: 'Подтверждено.',
      enable: 'Автоматика включена. Чтение началось.',
      pause: 'На паузе. К CRM не будет запросов, пока вы не продолжите.',
      resume: 'Работа продолжается.',
      disable: 'Автоматика выключена.',
      reset: 'Шаг прочитает всё заново. Прочитанное останется.',
      resetAll: 'Всё будет прочитано заново. Прочитанное останется.',
      run: 'Сейчас начнётся.',
      roster: 'Список менеджеров применён.',
    },
  ),

  advanced: {
    title: both('Advanced', 'Подробнее'),
    about: both(
      'What is read, how far it is, and what to do where it stands still.',
      'Что читается, докуда дошло и что делать, если остановилось.',
    ),
    step: both('Step', 'Шаг'),
    state: both('State', 'Состояние'),
    read: both('Read', 'Прочитано'),
    news: both('New', 'Новые'),
    changed: both('Changed', 'Изменены'),
    last: both('Last', 'Последний раз'),
    next: both('Next', 'Следующий'),
    never: both('never', 'ни разу'),
    actions: both('Actions', 'Действия'),
    run: both('Run now', 'Запустить'),
    reset: both('Forget position', 'Забыть место'),
    resetSure: both(
      (name: string) => `${name}: everything is read again. What was read stays, and no call is lost.`,
      (name) => `${name}: всё будет прочитано заново. Прочитанное останется, звонки не пропадут.`,
    ),
    resetNow: both('Read it again', 'Прочитать заново'),
    resetAll: both('Forget all positions', 'Забыть все места'),
    resetAllSure: both(
      'Everything is read again, which takes a while. What was read, links, comments and the roster stay.',
      'Всё будет прочитано заново, на это нужно время. Прочитанное, связи, комментарии и список менеджеров останутся.',
    ),
    resetAllNow: both('Read everything again', 'Прочитать всё заново'),
  },
  names: both<Record<string, string>>(
    {
      users: 'People',
      departments: 'Departments of the CRM',
      funnels: 'Funnels',
      stages: 'Stages',
      deals: 'Deals',
      'stage-history': 'History of stages',
      contacts: 'Phones',
      calls: 'Calls',
      control: 'Nightly control',
    },
    {
      users: 'Люди',
      departments: 'Отделы CRM',
      funnels: 'Воронки',
      stages: 'Стадии',
      deals: 'Сделки',
      'stage-history': 'История стадий',
      contacts: 'Телефоны',
      calls: 'Звонки',
      control: 'Ночная сверка',
    },
  ),
  stepStates: both<Record<string, string>>(
    {
      waiting: 'up to date',
      new: 'not yet read',
      due: 'in a moment',
      running: 'running',
      'backing-off': 'tried again',
      attention: 'look',
      blocked: 'blocked',
    },
    {
      waiting: 'прочитано',
      new: 'ещё не читалось',
      due: 'сейчас начнётся',
      running: 'идёт',
      'backing-off': 'повтор',
      attention: 'проверьте',
      blocked: 'нет права',
    },
  ),
  waits: both<Record<string, string>>(
    {
      automation: 'until the automation is on',
      roster: 'until there is a roster',
      'department-funnels': 'until departments have funnels',
      users: 'until people are read',
      departments: 'until departments are read',
      funnels: 'until funnels are read',
      stages: 'until stages are read',
      deals: 'until deals are read',
      'stage-history': 'until stages are read',
      contacts: 'until phones are read',
      calls: 'until calls are read',
      control: 'until the control has run',
    },
    {
      automation: 'когда включится автоматика',
      roster: 'когда будет список менеджеров',
      'department-funnels': 'когда у отделов будут воронки',
      users: 'после людей',
      departments: 'после отделов',
      funnels: 'после воронок',
      stages: 'после стадий',
      deals: 'после сделок',
      'stage-history': 'после стадий',
      contacts: 'после телефонов',
      calls: 'после звонков',
      control: 'после сверки',
    },
  ),
  /** What to do about a fault, by its code. */
  advice: both<Record<string, string>>(
    {
      NOT_CONFIGURED: 'Set CRM_WEBHOOK_URL to the address of an incoming webhook and deploy again.',
      OTHER_PORTAL: 'The data is of another portal. Set CRM_WEBHOOK_URL back to that one.',
      MISSING_SCOPES: 'Edit the webhook in Bitrix24 and give it these rights:',
      STATISTICS_DENIED:
        'Give the webhook’s user the right to the statistics of all calls in the telephony of Bitrix24.',
      DISK_MISSING: 'Give the webhook the right disk: recordings lie there.',
      INVALID_CREDENTIALS:
        'The webhook was removed or its secret was changed. Put its new address into CRM_WEBHOOK_URL.',
      NO_AUTH_FOUND: 'The webhook was removed or its secret was changed. Put its new address into CRM_WEBHOOK_URL.',
      EXPIRED_TOKEN: 'The webhook has expired. Make another one and put its address into CRM_WEBHOOK_URL.',
      INSUFFICIENT_SCOPE: 'A right was taken from the webhook. Give it back in Bitrix24.',
      ACCESS_DENIED:
        'The webhook’s user lacks a right, or the plan of the portal has no REST. See to both in Bitrix24.',
      OVERLOAD_LIMIT: 'Bitrix24 has closed the portal for requests by hand. Ask its support, then check again.',
      PORTAL_DELETED: 'The portal was deleted. What was read stays here.',
      NO_ANSWER: 'The portal cannot be reached. It is tried again by itself.',
      NO_JSON: 'A page came in the place of an answer. It is tried again by itself.',
      OPERATION_TIME_LIMIT: 'Bitrix24 has closed this for a while. It goes on by itself.',
      INVALID_ARG_VALUE: 'The portal takes this question otherwise. Run it again, and report it if that does not help.',
      ERROR_METHOD_NOT_FOUND: 'The portal does not have this. Its modules may be switched off.',
      NOTICE: 'The webhook’s rights may have shrunk: compare them in Bitrix24, then run it again.',
      other: 'It is tried again by itself.',
    },
    {
      NOT_CONFIGURED: 'Поместите в CRM_WEBHOOK_URL адрес входящего вебхука и перезапустите сервис.',
      OTHER_PORTAL: 'Данные относятся к другому порталу. Верните в CRM_WEBHOOK_URL его адрес.',
      MISSING_SCOPES: 'Измените вебхук в Битрикс24 и дайте ему права:',
      STATISTICS_DENIED: 'Дайте пользователю вебхука в телефонии Битрикс24 право на статистику всех звонков.',
      DISK_MISSING: 'Дайте вебхуку право disk: записи лежат там.',
      INVALID_CREDENTIALS: 'Вебхук удалён, или его секрет изменён. Поместите новый адрес в CRM_WEBHOOK_URL.',
      NO_AUTH_FOUND: 'Вебхук удалён, или его секрет изменён. Поместите новый адрес в CRM_WEBHOOK_URL.',
      EXPIRED_TOKEN: 'Срок вебхука истёк. Создайте новый и поместите его адрес в CRM_WEBHOOK_URL.',
      INSUFFICIENT_SCOPE: 'У вебхука отобрали право. Верните его в Битрикс24.',
      ACCESS_DENIED:
        'У пользователя вебхука нет права, или в тарифе портала нет REST. Проверьте то и другое в Битрикс24.',
      OVERLOAD_LIMIT:
        'Битрикс24 вручную закрыл портал для запросов. Обратитесь в его поддержку, затем проверьте снова.',
      PORTAL_DELETED: 'Портал удалён. Прочитанное останется здесь.',
      NO_ANSWER: 'Портал недоступен. Попытки повторяются сами.',
      NO_JSON: 'Вместо ответа пришла страница. Попытки повторяются сами.',
      OPERATION_TIME_LIMIT: 'Битрикс24 закрыл этот метод на время. Работа продолжится сама.',
      INVALID_ARG_VALUE: 'Портал понимает этот запрос иначе. Запустите шаг ещё раз, а если не поможет — сообщите нам.',
      ERROR_METHOD_NOT_FOUND: 'У портала этого нет. Возможно, выключен его модуль.',
      NOTICE: 'Возможно, у вебхука стало меньше прав: сверьте их в Битрикс24 и запустите шаг ещё раз.',
      other: 'Попытки повторяются сами.',
    },
  ),

  roster: {
    title: both('Managers', 'Менеджеры'),
    about: both(
      'Calls of the people with a department here are loaded from the CRM, and belong to that department. Keep those who were dismissed: earlier calls are theirs.',
      'Из CRM загружаются звонки тех, у кого здесь выбран отдел; они относятся к этому отделу. Уволенных оставьте: прежние звонки — их.',
    ),
    determine: both('Determine managers', 'Определить менеджеров'),
    determined: both(
      'Those who seem to sell are chosen already. Nothing changes before you apply it.',
      'Те, кто похож на продавцов, уже выбраны. Пока вы не примените список, ничего не изменится.',
    ),
    none: both('No managers yet', 'Менеджеров пока нет'),
    noneText: both(
      'Determine managers shows everybody of the CRM, with their deals and calls.',
      'Определение покажет всех людей CRM с их сделками и звонками.',
    ),
    noDepartments: both(
      'Add a department first: managers belong to one.',
      'Сначала добавьте отдел: менеджеры относятся к отделам.',
    ),
    name: both('Name', 'Имя'),
    position: both('Position', 'Должность'),
    deals: both('Deals, 90 days', 'Сделки, 90 дней'),
    calls: both('Answered calls, 30 days', 'Принятые звонки, 30 дней'),
    department: both('Department', 'Отдел'),
    departmentOf: both(
      (name: string) => `Department of ${name}`,
      (name) => `Отдел: ${name}`,
    ),
    noDepartment: both('not loaded', 'не загружать'),
    dismissed: both('dismissed', 'уволен'),
    difference: both('What changes', 'Что изменится'),
    noChange: both('Nothing changes.', 'Ничего не изменится.'),
    comes: both(
      (name: string, to: string) => `${name} comes in, to ${to}`,
      (name, to) => `${name} — новый менеджер, отдел «${to}»`,
    ),
    moves: both(
      (name: string, from: string, to: string) => `${name} moves from ${from} to ${to}`,
      (name, from, to) => `${name} — из отдела «${from}» в «${to}»`,
    ),
    leaves: both(
      (name: string, from: string) => `${name} leaves ${from}: no more calls are loaded`,
      (name, from) => `${name} — больше не в отделе «${from}», новые звонки не загружаются`,
    ),
    show: both('Show what changes', 'Показать изменения'),
    apply: both('Apply', 'Применить'),
    applied: both(
      (time: string) => `Applied ${time}.`,
      (time) => `Применён ${time}.`,
    ),
  },
  faults: {
    otherPortal: both(
      (host: string) => `CRM_WEBHOOK_URL leads to another portal than the data: it is of ${host}.`,
      (host) => `CRM_WEBHOOK_URL ведёт не на тот портал: данные относятся к ${host}.`,
    ),
    waitsForStep: both(
      (step: string) => `It waits for the step ${step}.`,
      (step) => `Сначала должен пройти шаг ${step}.`,
    ),
    twice: both(
      (user: string) => `User ${user} stands in the roster twice.`,
      (user) => `Пользователь ${user} указан дважды.`,
    ),
    noUser: both(
      (user: string) => `The CRM knows no user ${user}.`,
      (user) => `В CRM нет пользователя ${user}.`,
    ),
  },
}
