import { text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

/** The provider of verdicts, the speakers, and the requests sent to the model. */
export const analysisWords = {
  title: text('Provider', 'Кто проверяет'),
  states: text({ on: 'on', off: 'off', paused: 'paused' }, { on: 'работает', off: 'выключено', paused: 'на паузе' }),
  providers: {
    rules: text('Rules, on this server', 'Правила, на этом сервере'),
    'llm-compatible': text('Rules and an external model', 'Правила и внешняя модель'),
    mock: text('Nobody: verdicts are invented for a demonstration', 'Никто: решения придуманы для показа'),
    none: text('Nobody: calls are not checked', 'Никто: звонки не проверяются'),
  },
  how: text('Set by the configuration:', 'Задаётся в конфигурации:'),
  facts: {
    judges: text('Calls are judged by', 'Звонки проверяют'),
    leaves: text('Texts of calls', 'Тексты звонков'),
    model: text('Model', 'Модель'),
    format: text('It answers as', 'Отвечает в виде'),
    limits: text('Limits', 'Ограничения'),
    prices: text('Prices', 'Цены'),
  },
  stay: text('stay on this server', 'остаются на этом сервере'),
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
  noPrices: text('not set: tokens are counted, money is not', 'не заданы: считаются токены, но не деньги'),
  pausedBanner: template('Calls are not checked. {}', 'Звонки не проверяются. {}'),
  toProvider: text('To the provider', 'К настройкам проверки'),
  automatic: {
    title: text('Automatic checking', 'Автоматическая проверка'),
    on: text(
      'Each call is checked when its transcript is ready.',
      'Каждый звонок проверяется, как только готов его текст.',
    ),
    off: text('Off. Calls are checked only on request.', 'Выключена. Звонки проверяются только по запросу.'),
    switchOn: text('Switch on', 'Включить'),
    switchOff: text('Switch off', 'Выключить'),
    notices: {
      on: text(
        'Automatic checking is on. It affects calls that finish from now on.',
        'Автоматическая проверка включена для звонков, которые придут с этого момента.',
      ),
      off: text('Automatic checking is off.', 'Автоматическая проверка выключена.'),
    },
  },
  speakers: {
    title: text('Who speaks', 'Кто говорит'),
    about: text(
      'In calls of two channels the manager and the client each have one. Which is the manager’s depends on the telephone exchange.',
      'В звонках с двумя каналами у менеджера и у клиента он свой. Какой из них чей, зависит от АТС.',
    ),
    inGeneral: text('The manager is on', 'Менеджер на'),
    channel: template('channel {}', '{}-м канале'),
    usual: text('as in general', 'как обычно'),
    maskNames: text('Hide names from the external model too', 'Скрывать от внешней модели и имена'),
    saved: text('Saved. It holds for calls that are there too.', 'Сохранено. Это относится и к уже принятым звонкам.'),
  },
  ledger: {
    title: text('What has left this server', 'Что ушло с этого сервера'),
    link: text('All requests to the model', 'Все запросы к модели'),
    about: text(
      'Each request to the external model stands here before its first byte leaves. No text of a call is kept.',
      'Каждый запрос к внешней модели записывается сюда до отправки первого байта. Текст звонка не хранится.',
    ),
    total: pluralTemplate('{request|requests}', '{запрос|запроса|запросов}'),
    none: text('Nothing has left', 'Ничего не уходило'),
    noneText: text(
      'Requests to an external model will stand here. With rules alone there are none.',
      'Здесь появятся запросы к внешней модели. Если проверяют только правила, их не бывает.',
    ),
    from: text('From', 'С'),
    to: text('To', 'По'),
    ofCall: text('of one call', 'одного звонка'),
    all: text('show all', 'показать все'),
    backwards: text('It lies before the beginning.', 'Это раньше начала.'),
    columns: {
      at: text('Sent', 'Отправлено'),
      call: text('Call', 'Звонок'),
      where: text('Where', 'Куда'),
      what: text('For', 'Для чего'),
      sent: text('Size', 'Размер'),
      masked: text('Hidden', 'Скрыто'),
      tokens: text('Tokens', 'Токены'),
      cost: text('Cost', 'Стоимость'),
      took: text('Took', 'Заняло'),
      status: text('Status', 'Состояние'),
    },
    open: text('open', 'открыть'),
    only: text('only this call', 'только этот звонок'),
    purposes: text(
      { check: 'check', repair: 'repair', try: 'try', backtest: 'backtest' },
      { check: 'проверка', repair: 'уточнение', try: 'проба', backtest: 'проба на звонках' },
    ),
    attempt: template('attempt {}', 'попытка {}'),
    states: text(
      { sent: 'no answer yet', answered: 'answered', failed: 'failed' },
      { sent: 'ответа нет', answered: 'ответ есть', failed: 'не удалось' },
    ),
    seconds: template('{} s', '{} с'),
    thought: template('{} of them to think', 'из них {} на размышление'),
  },
}
