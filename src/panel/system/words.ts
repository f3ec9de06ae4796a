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
  overall: text({ ready: 'ready', degraded: 'degraded' }, { ready: 'готова', degraded: 'не в порядке' }),
  reindexing: template(
    'Search index: {} of {} calls. Older calls are found by the previous index meanwhile.',
    'Индекс поиска: обработано звонков {} из {}. Остальные пока ищутся по прежнему индексу.',
  ),
  warnings: text('To be mended', 'Нужно исправить'),
  toSystem: text('To the page of the system', 'К странице системы'),
  parts: {
    caption: text('Parts of the service', 'Части сервиса'),
    part: text('Part', 'Часть'),
    state: text('State', 'Состояние'),
    version: text('Version', 'Версия'),
    details: text('Details', 'Подробности'),
    service: text('Service', 'Сервис'),
    recognizer: text('Recognizer', 'Распознавание'),
    database: text('Database', 'База данных'),
    store: text('Key-value store', 'Быстрое хранилище'),
    storage: text('Audio storage', 'Хранилище звука'),
  },
  commit: template('commit {}', 'коммит {}'),
  schema: template('schema {}', 'схема {}'),
  decoder: template('{} unless a call asks for another', '{}, если звонок не просит иного'),
  persistence: text<Record<string, string>>(
    { aof: 'kept on disk (aof)', rdb: 'kept on disk (snapshots)', off: 'nothing kept on disk' },
    { aof: 'сохраняет на диск (aof)', rdb: 'сохраняет на диск (снимки)', off: 'не сохраняет на диск' },
  ),
  eviction: template('when full: {}', 'при заполнении: {}'),
  storageKinds: text<Record<string, string>>(
    { local: 'a folder of the server', s3: 'S3' },
    { local: 'папка сервера', s3: 'S3' },
  ),
  free: template('{} free', 'свободно {}'),
  recognizerDown: text(
    'It does not answer. On its first start it fetches its model, which can take half an hour; calls wait meanwhile.',
    'Не отвечает. При первом запуске скачивается модель, это может занять полчаса; звонки подождут.',
  ),
  recognizerLoading: text('It loads its model; calls wait meanwhile.', 'Загружается модель; звонки подождут.'),
  recognizerFailed: text('It cannot work: its log says why.', 'Работать не может: причина в его журнале.'),
  recognizerAt: template('Recognizer {}', 'Распознавание {}'),
  slots: template('{} of {} places taken', 'занято мест: {} из {}'),
  doing: pluralTemplate('works on {} {call|calls}', 'распознаёт {} {звонок|звонка|звонков}'),
  waiting: pluralTemplate('{} {waits|wait}', '{} {ждёт|ждут}'),
  emptyIn: text(
    (seconds: number) => `done in ${formatEstimateEn(seconds)}`,
    (seconds) => `закончит примерно через ${formatRoughTimeRu(seconds)}`,
  ),
  idle: text('has nothing to do', 'работы нет'),
  paused: text('the queue is paused', 'очередь на паузе'),

  ingestion: {
    name: text('Intake of files', 'Приём файлов'),
    on: text('on', 'включён'),
    paused: text('paused', 'на паузе'),
    failing: text('faults', 'есть ошибки'),
    from: template('folder {}', 'папка {}'),
    never: text('not looked at yet', 'ещё не просмотрена'),
    found: template('{} found, {} taken in', 'найдено {}, принято {}'),
    failed: pluralTemplate('{} {file|files} refused', '{} {файл не принят|файла не приняты|файлов не принято}'),
    last: template('last look at {}', 'последний просмотр {}'),
    pause: text('Pause the intake', 'Остановить приём'),
    resume: text('Resume the intake', 'Продолжить приём'),
  },
}
