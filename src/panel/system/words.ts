import { text, template } from '../frame/words/translation.ts'
import { formatEstimateEn, formatRoughTimeRu, pluralTemplate } from '../frame/words/grammar.ts'

/** The page of the system: its parts, and the keys of integrations. */
export const systemWords = {
  title: text('System', 'Система'),
  states: {
    ready: text('ready', 'готово'),
    up: text('up', 'работает'),
    down: text('down', 'не отвечает'),
    loading: text('loading', 'загружается'),
    failed: text('failed', 'ошибка'),
    draining: text('draining', 'завершает работу'),
  },
  overall: text({ ready: 'ready', degraded: 'degraded' }, { ready: 'готова', degraded: 'есть проблемы' }),
  reindexing: template(
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
    recognizer: text('Recognizer', 'Распознавание'),
    database: text('Database', 'База данных'),
    store: text('Redis', 'Redis'),
    storage: text('Audio storage', 'Хранилище записей'),
  },
  commit: template('commit {}', 'коммит {}'),
  schema: template('schema {}', 'схема {}'),
  decoder: template('{} by default', 'по умолчанию {}'),
  persistence: text<Record<string, string>>(
    { aof: 'saved to disk (AOF)', rdb: 'saved to disk (snapshots)', off: 'not saved to disk' },
    { aof: 'сохраняет на диск (AOF)', rdb: 'сохраняет на диск (снимки)', off: 'не сохраняет на диск' },
  ),
  eviction: template('when full: {}', 'при заполнении: {}'),
  storageKinds: text<Record<string, string>>(
    { local: 'local folder', s3: 'S3' },
    { local: 'папка на сервере', s3: 'S3' },
  ),
  free: template('{} free', 'свободно {}'),
  recognizerDown: text(
    'Not responding. The first start downloads a model, which takes up to half an hour. Calls stay queued.',
    'Не отвечает. При первом запуске до получаса скачивается модель. Звонки остаются в очереди.',
  ),
  recognizerLoading: text('Loading the model. Calls stay queued.', 'Загружается модель. Звонки остаются в очереди.'),
  recognizerFailed: text('Not working. See its log for the reason.', 'Не работает. Причина в журнале.'),
  recognizerAt: template('Recognizer {}', 'Распознавание {}'),
  slots: template('{} of {} slots in use', 'занято мест: {} из {}'),
  doing: pluralTemplate('transcribing {} {call|calls}', 'распознаёт {} {звонок|звонка|звонков}'),
  waiting: pluralTemplate('{} queued', 'в очереди {}'),
  emptyIn: text(
    (seconds: number) => `done in ${formatEstimateEn(seconds)}`,
    (seconds) => `закончит примерно через ${formatRoughTimeRu(seconds)}`,
  ),
  idle: text('idle', 'простаивает'),
  paused: text('queue paused', 'очередь на паузе'),

  ingestion: {
    name: text('Watched folders', 'Папки загрузки'),
    on: text('on', 'включены'),
    paused: text('paused', 'на паузе'),
    failing: text('errors', 'есть ошибки'),
    from: template('folder {}', 'папка {}'),
    never: text('not scanned yet', 'ещё не проверена'),
    found: template('{} found, {} accepted', 'найдено {}, принято {}'),
    failed: pluralTemplate('{} {file|files} rejected', '{} {файл отклонён|файла отклонены|файлов отклонено}'),
    last: template('last scan at {}', 'последняя проверка {}'),
    pause: text('Pause watched folders', 'Приостановить папки загрузки'),
    resume: text('Resume watched folders', 'Возобновить папки загрузки'),
  },
}
