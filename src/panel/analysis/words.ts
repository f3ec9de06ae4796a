import { text, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

/** Texts of the check settings: provider of verdicts, agent's channel, and requests sent to the model. */
export const analysisWords = {
  title: text('Check settings', 'Настройки проверки'),
  states: text({ on: 'on', off: 'off', paused: 'paused' }, { on: 'включена', off: 'выключена', paused: 'на паузе' }),
  providers: {
    rules: text('Rules, on this server', 'Только правила, на этом сервере'),
    'llm-compatible': text('Rules and an external model', 'Правила и внешняя модель'),
    mock: text('Demo: invented verdicts', 'Демо: выдуманные вердикты'),
    none: text('Off: calls are not checked', 'Выключена: звонки не проверяются'),
  },
  how: text('Configured with environment variables:', 'Задаётся переменными окружения:'),
  facts: {
    judges: text('Checked by', 'Способ проверки'),
    leaves: text('Transcripts', 'Расшифровки'),
    model: text('Model', 'Модель'),
    format: text('Response format', 'Формат ответа'),
    limits: text('Limits', 'Ограничения'),
    prices: text('Prices', 'Цены'),
  },
  stay: text('stay on this server', 'остаются на этом сервере'),
  leave: textTemplate(
    'are sent to {}. Long numbers are hidden; phones, managers and IDs are never sent',
    'отправляются на {}. Длинные числа скрыты; телефоны, имена менеджеров и ID звонков не отправляются',
  ),
  limits: textTemplate(
    'up to {} at once per process, {} per minute in total, {} s per response',
    'до {} одновременно на процесс, до {} в минуту всего, до {}\u00a0с на ответ',
  ),
  prices: textTemplate(
    '{} per million tokens sent, {} per million received',
    '{} за миллион отправленных токенов, {} за миллион полученных',
  ),
  noPrices: text('not set: only tokens are counted', 'не заданы: считаются только токены'),
  pausedBanner: textTemplate('Calls are not checked. {}', 'Звонки не проверяются. {}'),
  toProvider: text('Check settings', 'Настройки проверки'),
  automatic: {
    title: text('Automatic checks', 'Автоматическая проверка'),
    on: text(
      'Calls are checked as soon as their transcripts are ready.',
      'Звонки проверяются сразу после распознавания.',
    ),
    off: text('Off. Calls are checked only on request.', 'Выключена. Звонки проверяются только по запросу.'),
    switchOn: text('Turn on', 'Включить'),
    switchOff: text('Turn off', 'Выключить'),
    notices: {
      on: text('Automatic checks are on for new calls.', 'Автоматическая проверка включена для новых звонков.'),
      off: text('Automatic checks are off.', 'Автоматическая проверка выключена.'),
    },
  },
  speakers: {
    title: text('Speakers', 'Собеседники'),
    about: text(
      'In a stereo recording, the manager and the client each have a channel. Your phone system determines which channel is the manager’s.',
      'В стереозаписи у менеджера и клиента разные каналы. Кто на каком канале, зависит от АТС.',
    ),
    inGeneral: text('The manager is on', 'Менеджер на'),
    channel: textTemplate('channel {}', '{}-м канале'),
    usual: text('default', 'по умолчанию'),
    maskNames: text('Also hide names from the external model', 'Скрывать от внешней модели и имена'),
    saved: text('Saved. Applies to existing calls too.', 'Сохранено. Действует и для прежних звонков.'),
  },
  voices: {
    title: text('Speakers of mono recordings', 'Разделение собеседников в записях с одним каналом'),
    states: text({ on: 'on', off: 'off' }, { on: 'включено', off: 'выключено' }),
    about: text(
      'In new mono recordings, the speakers are told apart by their voices.',
      'В новых записях с одним каналом сервис различает собеседников по голосам.',
    ),
    notices: {
      on: text('Speakers of new calls are separated.', 'Разделение собеседников включено для новых звонков.'),
      off: text('Speakers of new calls are not separated.', 'Разделение собеседников выключено для новых звонков.'),
    },
  },
  ledger: {
    title: text('Model requests', 'Запросы к модели'),
    link: text('All model requests', 'Все запросы к модели'),
    about: text(
      'Each request to the external model is recorded before it is sent. Transcripts are not recorded.',
      'Каждый запрос к внешней модели записывается до отправки. Расшифровки не записываются.',
    ),
    total: pluralTemplate('{request|requests}', '{запрос|запроса|запросов}'),
    none: text('No requests yet', 'Запросов пока нет'),
    noneText: text(
      'Requests to an external model appear here. Checks by rules alone send no requests.',
      'Здесь появятся запросы к внешней модели. Проверка только по правилам запросов не отправляет.',
    ),
    from: text('From', 'С'),
    to: text('To', 'По'),
    ofCall: text('one call', 'одного звонка'),
    all: text('show all', 'показать все'),
    backwards: text('The end date is before the start date.', 'Конец раньше начала.'),
    columns: {
      at: text('Sent at', 'Отправлено'),
      call: text('Call', 'Звонок'),
      where: text('Sent to', 'Куда'),
      what: text('Purpose', 'Назначение'),
      sent: text('Size', 'Размер'),
      masked: text('Hidden items', 'Скрыто'),
      tokens: text('Tokens', 'Токены'),
      cost: text('Cost', 'Стоимость'),
      took: text('Duration', 'Длительность'),
      status: text('Status', 'Статус'),
    },
    open: text('open', 'открыть'),
    only: text('only this call', 'только этот звонок'),
    purposes: text(
      { check: 'check', repair: 'correction', try: 'test', backtest: 'test run' },
      { check: 'проверка', repair: 'исправление ответа', try: 'проверка правил', backtest: 'прогон' },
    ),
    attempt: textTemplate('attempt {}', 'попытка {}'),
    states: text(
      { sent: 'no response yet', answered: 'answered', failed: 'failed' },
      { sent: 'ответа пока нет', answered: 'есть ответ', failed: 'ошибка' },
    ),
    seconds: textTemplate('{} s', '{} с'),
    thought: textTemplate('{} of them for reasoning', 'из них {} на рассуждения'),
  },
}
