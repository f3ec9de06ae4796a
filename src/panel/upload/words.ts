import { text, template } from '../frame/words/translation.ts'

export const uploadWords = {
  title: text('Upload', 'Загрузка'),
  files: text('Files', 'Файлы'),
  choose: text('Choose files', 'Выбрать файлы'),
  drop: text('or drop them here', 'или перетащите их сюда'),
  anyFormat: text(
    'Sound or video in any usual format, up to 3 hours each.',
    'Звук или видео в любом обычном формате, до 3 часов каждый.',
  ),
  links: text('Links', 'Ссылки'),
  linksHint: text('Addresses of sound files, one on each line.', 'Адреса звуковых файлов, по одному в строке.'),
  forAll: text('For all of them', 'Для всех'),
  fields: {
    managerName: text('Manager', 'Менеджер'),
    phoneNumber: text('Phone', 'Телефон'),
    direction: text('Direction', 'Направление'),
    callStartedAt: text('Time of the call', 'Время звонка'),
    priority: text('Priority', 'Приоритет'),
    decoder: text('Decoder', 'Декодер'),
    callbackUrl: text('Callback address', 'Адрес уведомления'),
  },
  unknown: text('not known', 'неизвестно'),
  usual: text('as usual', 'как обычно'),
  priorityHint: text('0 to 10; a larger one is earlier.', 'От 0 до 10; чем больше, тем раньше.'),
  callbackHint: text('Is told when a text is ready.', 'Туда сообщается, что текст готов.'),
  submit: text('Upload', 'Загрузить'),
  nothing: text('Choose at least one file, or enter a link.', 'Выберите хотя бы один файл или укажите ссылку.'),
  tooMany: text(
    'That is too much at once: at most 100 files and 50 links.',
    'Слишком много за раз: не больше 100 файлов и 50 ссылок.',
  ),
  broken: text(
    'The upload did not arrive whole. Try again, with fewer files at once.',
    'Загрузка дошла не полностью. Повторите, меньшим числом файлов.',
  ),

  ofFile: text('Fields of this file', 'Поля этого файла'),
  nothingRead: text('nothing in the name', 'в имени ничего нет'),
  asForAll: text('as for all', 'как для всех'),
  namesHint: text(
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

  results: text('What came of it', 'Что получилось'),
  sameAudio: text('Same recording as', 'Та же запись, что и'),
  unnamed: text('Unnamed file', 'Файл без имени'),
  showInList: template('Show in the list ({})', 'Показать в списке ({})'),
  open: text('Open', 'Открыть'),
  openThere: text('Open the one that is there', 'Открыть имеющуюся'),
  chooseAgain: text(
    'What failed is not kept: choose these files again.',
    'То, что не удалось, не сохранено: выберите эти файлы снова.',
  ),
  toRecordings: text('To the recordings', 'К записям'),

  /** The texts of the script for a file. */
  states: {
    waiting: text('waiting', 'ждёт'),
    storing: text('being stored', 'сохраняется'),
    lost: text(
      'The connection broke, or it took longer than 5 minutes.',
      'Связь прервалась, или прошло больше 5 минут.',
    ),
    refused: text('The service did not take it. Try again.', 'Сервис не принял файл. Повторите.'),
    stopped: text('not sent: mend the fields first', 'не отправлен: сначала исправьте поля'),
    again: text('Try again', 'Повторить'),
    remove: text('Remove', 'Убрать'),
    done: template('{} of {} uploaded.', 'Загружено: {} из {}.'),
  },

  errors: {
    duplicate: text('This call is there already.', 'Такой звонок уже есть.'),
    full: text('The storage is full; nothing was kept.', 'Хранилище заполнено; ничего не сохранено.'),
    down: text('The service does not answer. Try again in a moment.', 'Сервис не отвечает. Повторите через минуту.'),
    session: text('Your session has ended. Log in and try again.', 'Сеанс закончился. Войдите и повторите.'),
  },
}
