import { text, textTemplate } from '../frame/words/translation.ts'
import { formatTimeEstimateEn, formatRoughTimeRu, pluralTemplate } from '../frame/words/grammar.ts'

export const systemWords = {
  title: text('System', 'Система'),
  states: {
    ready: text('ready', 'готово'),
    up: text('up', 'работает'),
    down: text('down', 'не отвечает'),
    loading: text('loading', 'загружается'),
    failed: text('failed', 'ошибка'),
    draining: text('shutting down', 'завершает работу'),
  },
  overall: text({ ready: 'ready', degraded: 'degraded' }, { ready: 'готова', degraded: 'есть проблемы' }),
  reindexing: textTemplate(
    'Search index: {} of {} calls. Other calls use the previous index.',
    'Индекс поиска: {} из {} звонков. Остальные ищутся по прежнему индексу.',
  ),
  warnings: text('Needs attention', 'Требует внимания'),
  toSystem: text('Go to System', 'К странице «Система»'),
  parts: {
    caption: text('Components', 'Компоненты'),
    part: text('Component', 'Компонент'),
    state: text('Status', 'Статус'),
    version: text('Version', 'Версия'),
    details: text('Details', 'Подробности'),
    service: text('Service', 'Сервис'),
    recognizer: text('Recognizer', 'Распознаватель'),
    database: text('Database', 'База данных'),
    store: text('Redis', 'Redis'),
    storage: text('Audio storage', 'Хранилище записей'),
  },
  timeZone: textTemplate('times are in {}', 'часовой пояс {}'),
  released: textTemplate('released {}', 'версия от {}'),
  commit: textTemplate('commit {}', 'коммит {}'),
  schema: textTemplate('schema {}', 'схема {}'),
  decoder: textTemplate('{} by default', 'по умолчанию {}'),
  persistence: text<Record<string, string>>(
    { aof: 'saved to disk (AOF)', rdb: 'saved to disk (snapshots)', off: 'not saved to disk' },
    { aof: 'сохраняет на диск (AOF)', rdb: 'сохраняет на диск (снимки)', off: 'не сохраняет на диск' },
  ),
  eviction: textTemplate('when full: {}', 'при заполнении: {}'),
  storageKinds: text<Record<string, string>>(
    { local: 'local folder', s3: 'S3' },
    { local: 'папка на сервере', s3: 'S3' },
  ),
  free: textTemplate('{} free', 'свободно {}'),
  recognizerDown: text(
    'Not responding. The first start downloads a model, which takes up to half an hour. Calls stay queued.',
    'Не отвечает. При первом запуске модель скачивается до получаса. Звонки остаются в очереди.',
  ),
  recognizerLoading: text('Loading the model. Calls stay queued.', 'Загружается модель. Звонки остаются в очереди.'),
  recognizerFailed: text('Not working. See its log for the reason.', 'Не работает. Причина в журнале.'),
  recognizerAt: textTemplate('Recognizer {}', 'Распознаватель {}'),
  slots: textTemplate('{} of {} slots in use', 'занято мест: {} из {}'),
  doing: pluralTemplate('transcribing {} {call|calls}', 'распознаёт {} {звонок|звонка|звонков}'),
  waiting: pluralTemplate('{} queued', 'в очереди {}'),
  emptyIn: text(
    (seconds: number) => `done in ${formatTimeEstimateEn(seconds)}`,
    (seconds) => `закончит примерно через ${formatRoughTimeRu(seconds)}`,
  ),
  idle: text('idle', 'простаивает'),
  paused: text('queue paused', 'очередь на паузе'),

  emails: {
    name: text('E-mails', 'Письма'),
    on: text('on', 'включены'),
    lastFailure: textTemplate('last failure at {}: {}', 'последняя ошибка {}: {}'),
  },

  ingestion: {
    name: text('Watched folders', 'Папки загрузки'),
    on: text('on', 'включены'),
    paused: text('paused', 'на паузе'),
    failing: text('errors', 'есть ошибки'),
    from: textTemplate('folder {}', 'папка {}'),
    never: text('not scanned yet', 'ещё не проверена'),
    found: textTemplate('{} found, {} accepted', 'найдено {}, принято {}'),
    failed: pluralTemplate('{} {file|files} rejected', '{} {файл отклонён|файла отклонены|файлов отклонено}'),
    last: textTemplate('last scan at {}', 'последняя проверка: {}'),
    pause: text('Pause watched folders', 'Приостановить загрузку из папок'),
    resume: text('Resume watched folders', 'Возобновить загрузку из папок'),
  },
}
