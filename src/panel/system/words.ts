import { both, template } from '../frame/words/translation.ts'
import { aboutEn, inRu, counted } from '../frame/words/grammar.ts'

/** The page of the system: what runs, and the keys of integrations. */
export const system = {
  title: both('System', 'Система'),
  states: both(
    { ready: 'ready', up: 'up', down: 'down', loading: 'loading', failed: 'failed', draining: 'draining' },
    {
      ready: 'готово',
      up: 'работает',
      down: 'не отвечает',
      loading: 'загружается',
      failed: 'ошибка',
      draining: 'завершает работу',
    },
  ),
  overall: both({ ready: 'ready', degraded: 'degraded' }, { ready: 'готова', degraded: 'не в порядке' }),
  warnings: both('To be mended', 'Нужно исправить'),
  toSystem: both('To the page of the system', 'К странице системы'),
  parts: {
    caption: both('Parts of the service', 'Части сервиса'),
    part: both('Part', 'Часть'),
    state: both('State', 'Состояние'),
    version: both('Version', 'Версия'),
    details: both('Details', 'Подробности'),
    service: both('Service', 'Сервис'),
    recognizer: both('Recognizer', 'Распознавание'),
    database: both('Database', 'База данных'),
    store: both('Key-value store', 'Быстрое хранилище'),
    storage: both('Audio storage', 'Хранилище звука'),
  },
  commit: template('commit {}', 'коммит {}'),
  schema: template('schema {}', 'схема {}'),
  decoder: template('{} unless a call asks for another', '{}, если звонок не просит иного'),
  persistence: both<Record<string, string>>(
    { aof: 'kept on disk (aof)', rdb: 'kept on disk (snapshots)', off: 'nothing kept on disk' },
    { aof: 'сохраняет на диск (aof)', rdb: 'сохраняет на диск (снимки)', off: 'не сохраняет на диск' },
  ),
  eviction: template('when full: {}', 'при заполнении: {}'),
  storageKinds: both<Record<string, string>>(
    { local: 'a folder of the server', s3: 'S3' },
    { local: 'папка сервера', s3: 'S3' },
  ),
  free: template('{} free', 'свободно {}'),
  recognizerDown: both(
    'It does not answer. On its first start it fetches its model, which can take half an hour; calls wait meanwhile.',
    'Не отвечает. При первом запуске скачивается модель, это может занять полчаса; звонки подождут.',
  ),
  recognizerLoading: both('It loads its model; calls wait meanwhile.', 'Загружается модель; звонки подождут.'),
  recognizerFailed: both('It cannot work: its log says why.', 'Работать не может: причина в его журнале.'),
  recognizerAt: template('Recognizer {}', 'Распознавание {}'),
  slots: template('{} of {} places taken', 'занято мест: {} из {}'),
  doing: counted('works on {} {call|calls}', 'распознаёт {} {звонок|звонка|звонков}'),
  waiting: counted('{} {waits|wait}', '{} {ждёт|ждут}'),
  emptyIn: both(
    (seconds: number) => `done in ${aboutEn(seconds)}`,
    (seconds) => `закончит примерно через ${inRu(seconds)}`,
  ),
  idle: both('has nothing to do', 'работы нет'),
  paused: both('the queue is paused', 'очередь на паузе'),

  ingestion: {
    name: both('Intake of files', 'Приём файлов'),
    on: both('on', 'включён'),
    paused: both('paused', 'на паузе'),
    failing: both('faults', 'есть ошибки'),
    from: template('folder {}', 'папка {}'),
    never: both('not looked at yet', 'ещё не просмотрена'),
    found: template('{} found, {} taken in', 'найдено {}, принято {}'),
    failed: counted('{} {file|files} refused', '{} {файл не принят|файла не приняты|файлов не принято}'),
    last: template('last look at {}', 'последний просмотр {}'),
    pause: both('Pause the intake', 'Остановить приём'),
    resume: both('Resume the intake', 'Продолжить приём'),
  },
}
