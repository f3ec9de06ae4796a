import { both, template } from '../frame/words/translation.ts'
import { formEn, formRu } from '../frame/words/grammar.ts'

/** What judges calls, on which channel the manager speaks, and what has left the server for it. */
export const analysis = {
  title: both('Provider', 'Кто проверяет'),
  states: both({ on: 'on', off: 'off', paused: 'paused' }, { on: 'работает', off: 'выключено', paused: 'на паузе' }),
  providers: both(
    {
      rules: 'Rules, on this server',
      'llm-compatible': 'Rules and an external model',
      mock: 'Nobody: verdicts are invented for a demonstration',
      none: 'Nobody: calls are not checked',
    },
    {
      rules: 'Правила, на этом сервере',
      'llm-compatible': 'Правила и внешняя модель',
      mock: 'Никто: решения придуманы для показа',
      none: 'Никто: звонки не проверяются',
    },
  ),
  how: both('Set by the configuration:', 'Задаётся в конфигурации:'),
  facts: {
    judges: both('Calls are judged by', 'Звонки проверяют'),
    leaves: both('Texts of calls', 'Тексты звонков'),
    model: both('Model', 'Модель'),
    format: both('It answers as', 'Отвечает в виде'),
    limits: both('Limits', 'Ограничения'),
    prices: both('Prices', 'Цены'),
  },
  stay: both('stay on this server', 'остаются на этом сервере'),
  leave: template(
    'leave for {}; long numbers are hidden, phones, managers and ids are never sent',
    'уходят на {}; длинные числа скрыты, телефоны, менеджеры и номера не отправляются никогда',
  ),
  limits: template(
    '{} at once in each process, {} a minute in all, an answer within {} s',
    '{} сразу в каждом процессе, {} в минуту всего, ответ за {} с',
  ),
  prices: template(
    '{} for a million tokens sent, {} for a million that come back',
    '{} за миллион отправленных токенов, {} за миллион полученных',
  ),
  noPrices: both('not set: tokens are counted, money is not', 'не заданы: считаются токены, но не деньги'),
  pausedBanner: template('Calls are not checked. {}', 'Звонки не проверяются. {}'),
  toProvider: both('To the provider', 'К настройкам проверки'),
  automatic: {
    title: both('Automatic checking', 'Автоматическая проверка'),
    on: both(
      'Each call is checked when its transcript is ready.',
      'Каждый звонок проверяется, как только готов его текст.',
    ),
    off: both('Off. Calls are checked only on request.', 'Выключена. Звонки проверяются только по запросу.'),
    switchOn: both('Switch on', 'Включить'),
    switchOff: both('Switch off', 'Выключить'),
    notices: {
      on: both(
        'Automatic checking is on. It affects calls that finish from now on.',
        'Автоматическая проверка включена для звонков, которые придут с этого момента.',
      ),
      off: both('Automatic checking is off.', 'Автоматическая проверка выключена.'),
    },
  },
  speakers: {
    title: both('Who speaks', 'Кто говорит'),
    about: both(
      'In calls of two channels the manager and the client each have one. Which is the manager’s depends on the telephone exchange.',
      'В звонках с двумя каналами у менеджера и у клиента он свой. Какой из них чей, зависит от АТС.',
    ),
    inGeneral: both('The manager is on', 'Менеджер на'),
    channel: template('channel {}', '{}-м канале'),
    usual: both('as in general', 'как обычно'),
    maskNames: both('Hide names from the external model too', 'Скрывать от внешней модели и имена'),
    saved: both('Saved. It holds for calls that are there too.', 'Сохранено. Это относится и к уже принятым звонкам.'),
  },
  ledger: {
    title: both('What has left this server', 'Что ушло с этого сервера'),
    link: both('All requests to the model', 'Все запросы к модели'),
    about: both(
      'Each request to the external model stands here before its first byte leaves. No text of a call is kept.',
      'Каждый запрос к внешней модели записывается сюда до отправки первого байта. Текст звонка не хранится.',
    ),
    total: both(
      (n: number) => formEn(n, 'request', 'requests'),
      (n) => formRu(n, 'запрос', 'запроса', 'запросов'),
    ),
    none: both('Nothing has left', 'Ничего не уходило'),
    noneText: both(
      'Requests to an external model will stand here. With rules alone there are none.',
      'Здесь появятся запросы к внешней модели. Если проверяют только правила, их не бывает.',
    ),
    from: both('From', 'С'),
    to: both('To', 'По'),
    ofCall: both('of one call', 'одного звонка'),
    all: both('show all', 'показать все'),
    backwards: both('It lies before the beginning.', 'Это раньше начала.'),
    columns: {
      at: both('Sent', 'Отправлено'),
      call: both('Call', 'Звонок'),
      where: both('Where', 'Куда'),
      what: both('For', 'Для чего'),
      sent: both('Size', 'Размер'),
      masked: both('Hidden', 'Скрыто'),
      tokens: both('Tokens', 'Токены'),
      cost: both('Cost', 'Стоимость'),
      took: both('Took', 'Заняло'),
      status: both('Status', 'Состояние'),
    },
    open: both('open', 'открыть'),
    only: both('only this call', 'только этот звонок'),
    purposes: both(
      { check: 'check', repair: 'repair', try: 'try', backtest: 'backtest' },
      { check: 'проверка', repair: 'уточнение', try: 'проба', backtest: 'проба на звонках' },
    ),
    attempt: template('attempt {}', 'попытка {}'),
    states: both(
      { sent: 'no answer yet', answered: 'answered', failed: 'failed' },
      { sent: 'ответа нет', answered: 'ответ есть', failed: 'не удалось' },
    ),
    seconds: template('{} s', '{} с'),
    thought: template('{} of them to think', 'из них {} на размышление'),
  },
}
