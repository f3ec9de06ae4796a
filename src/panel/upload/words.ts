import { both, template } from '../frame/words/translation.ts'

/** The page where calls are submitted. */
export const upload = {
  title: both('Upload', 'Загрузка'),
  files: both('Files', 'Файлы'),
  choose: both('Choose files', 'Выбрать файлы'),
  drop: both('or drop them here', 'или перетащите их сюда'),
  anyFormat: both(
    'Sound or video in any usual format, up to 3 hours each.',
    'Звук или видео в любом обычном формате, до 3 часов каждый.',
  ),
  links: both('Links', 'Ссылки'),
  linksHint: both('Addresses of sound files, one on each line.', 'Адреса звуковых файлов, по одному в строке.'),
  forAll: both('For all of them', 'Для всех'),
  fields: {
    managerName: both('Manager', 'Менеджер'),
    phoneNumber: both('Phone', 'Телефон'),
    direction: both('Direction', 'Направление'),
    callStartedAt: both('Time of the call', 'Время звонка'),
    priority: both('Priority', 'Приоритет'),
    decoder: both('Decoder', 'Декодер'),
    callbackUrl: both('Callback address', 'Адрес уведомления'),
  },
  unknown: both('not known', 'неизвестно'),
  usual: both('as usual', 'как обычно'),
  priorityHint: both('0 to 10; a larger one is earlier.', 'От 0 до 10; чем больше, тем раньше.'),
  callbackHint: both('Is told when a text is ready.', 'Туда сообщается, что текст готов.'),
  submit: both('Upload', 'Загрузить'),
  nothing: both('Choose at least one file, or enter a link.', 'Выберите хотя бы один файл или укажите ссылку.'),
  tooMany: both(
    'That is too much at once: at most 100 files and 50 links.',
    'Слишком много за раз: не больше 100 файлов и 50 ссылок.',
  ),
  broken: both(
    'The upload did not arrive whole. Try again, with fewer files at once.',
    'Загрузка дошла не полностью. Повторите, меньшим числом файлов.',
  ),

  ofFile: both('Fields of this file', 'Поля этого файла'),
  nothingRead: both('nothing in the name', 'в имени ничего нет'),
  asForAll: both('as for all', 'как для всех'),
  namesHint: both(
    'What stands in the names is read, such as 2026-11-01_14-30_+375291234567_Ivan_Petrov_in.wav; you can correct it for each file before the upload.',
    'Данные читаются из имён файлов, например 2026-11-01_14-30_+375291234567_Иван_Петров_in.wav; перед загрузкой их можно исправить у каждого файла.',
  ),
  doubts: {
    manager: template(
      'There is no manager “{}” yet: is it spelt right?',
      'Менеджера «{}» ещё нет: нет ли ошибки в имени?',
    ),
    phone: template('“{}” is no phone number.', '«{}» — не номер телефона.'),
  },

  results: both('What came of it', 'Что получилось'),
  received: both('in the queue', 'в очереди'),
  open: both('Open', 'Открыть'),
  openThere: both('Open the one that is there', 'Открыть имеющуюся'),
  chooseAgain: both(
    'What failed is not kept: choose these files again.',
    'То, что не удалось, не сохранено: выберите эти файлы снова.',
  ),
  toRecordings: both('To the recordings', 'К записям'),

  /** What the script says of a file. */
  states: {
    waiting: both('waiting', 'ждёт'),
    storing: both('being stored', 'сохраняется'),
    lost: both(
      'The connection broke, or it took longer than 5 minutes.',
      'Связь прервалась, или прошло больше 5 минут.',
    ),
    refused: both('The service did not take it. Try again.', 'Сервис не принял файл. Повторите.'),
    stopped: both('not sent: mend the fields first', 'не отправлен: сначала исправьте поля'),
    again: both('Try again', 'Повторить'),
    remove: both('Remove', 'Убрать'),
    done: template('{} of {} are in the queue.', 'В очереди: {} из {}.'),
  },

  errors: {
    duplicate: both('This call is there already.', 'Такой звонок уже есть.'),
    full: both('The storage is full; nothing was kept.', 'Хранилище заполнено; ничего не сохранено.'),
    down: both('The service does not answer. Try again in a moment.', 'Сервис не отвечает. Повторите через минуту.'),
    session: both('Your session has ended. Log in and try again.', 'Сеанс закончился. Войдите и повторите.'),
  },
}
