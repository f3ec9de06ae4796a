import { both } from '../frame/words/translation.ts'
import { aboutEn, formEn, formRu, inRu } from '../frame/words/grammar.ts'

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
  commit: both(
    (commit: string) => `commit ${commit}`,
    (commit) => `коммит ${commit}`,
  ),
  schema: both(
    (name: string) => `schema ${name}`,
    (name) => `схема ${name}`,
  ),
  decoder: both(
    (name: string) => `${name} unless a call asks for another`,
    (name) => `${name}, если звонок не просит иного`,
  ),
  persistence: both<Record<string, string>>(
    { aof: 'kept on disk (aof)', rdb: 'kept on disk (snapshots)', off: 'nothing kept on disk' },
    { aof: 'сохраняет на диск (aof)', rdb: 'сохраняет на диск (снимки)', off: 'не сохраняет на диск' },
  ),
  eviction: both(
    (policy: string) => `when full: ${policy}`,
    (policy) => `при заполнении: ${policy}`,
  ),
  storageKinds: both<Record<string, string>>(
    { local: 'a folder of the server', s3: 'S3' },
    { local: 'папка сервера', s3: 'S3' },
  ),
  free: both(
    (size: string) => `${size} free`,
    (size) => `свободно ${size}`,
  ),
  recognizerDown: both(
    'It does not answer. On its first start it fetches its model, which can take half an hour; calls wait meanwhile.',
    'Не отвечает. При первом запуске скачивается модель, это может занять полчаса; звонки подождут.',
  ),
  recognizerLoading: both('It loads its model; calls wait meanwhile.', 'Загружается модель; звонки подождут.'),
  recognizerFailed: both('It cannot work: its log says why.', 'Работать не может: причина в его журнале.'),
  recognizerAt: both(
    (address: string) => `Recognizer ${address}`,
    (address) => `Распознавание ${address}`,
  ),
  slots: both(
    (running: string, slots: string) => `${running} of ${slots} places taken`,
    (running, slots) => `занято мест: ${running} из ${slots}`,
  ),
  doing: both(
    (running: number, shown: string) => `works on ${shown} ${formEn(running, 'call', 'calls')}`,
    (running, shown) => `распознаёт ${shown} ${formRu(running, 'звонок', 'звонка', 'звонков')}`,
  ),
  waiting: both(
    (n: number, shown: string) => `${shown} ${formEn(n, 'waits', 'wait')}`,
    (n, shown) => `${shown} ${formRu(n, 'ждёт', 'ждут', 'ждут')}`,
  ),
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
    from: both(
      (folder: string) => `folder ${folder}`,
      (folder) => `папка ${folder}`,
    ),
    never: both('not looked at yet', 'ещё не просмотрена'),
    found: both(
      (found: string, registered: string) => `${found} found, ${registered} taken in`,
      (found, registered) => `найдено ${found}, принято ${registered}`,
    ),
    failed: both(
      (n: number, shown: string) => `${shown} ${formEn(n, 'file', 'files')} refused`,
      (n, shown) => `${shown} ${formRu(n, 'файл не принят', 'файла не приняты', 'файлов не принято')}`,
    ),
    last: both(
      (time: string) => `last look at ${time}`,
      (time) => `последний просмотр ${time}`,
    ),
    pause: both('Pause the intake', 'Остановить приём'),
    resume: both('Resume the intake', 'Продолжить приём'),
  },
}
