import { text, textTemplate } from '../frame/words/translation.ts'

export const uploadWords = {
  title: text('Upload', 'Загрузка'),
  files: text('Files', 'Файлы'),
  choose: text('Choose files', 'Выбрать файлы'),
  drop: text('or drop them here', 'или перетащите их сюда'),
  anyFormat: text(
    'Any common audio or video format, up to 3 hours per file.',
    'Аудио и видео в любом распространённом формате, каждый файл до 3 часов.',
  ),
  links: text('Links', 'Ссылки'),
  linksHint: text('Addresses of audio files, one per line.', 'Адреса аудиофайлов, по одному в строке.'),
  forAll: text('For all files', 'Для всех файлов'),
  fields: {
    managerName: text('Manager', 'Менеджер'),
    phoneNumber: text('Phone', 'Телефон'),
    direction: text('Direction', 'Направление'),
    callStartedAt: text('Call time', 'Время звонка'),
    priority: text('Priority', 'Приоритет'),
    decoder: text('Decoder', 'Декодер'),
    callbackUrl: text('Callback URL', 'Адрес уведомления'),
  },
  unknown: text('unknown', 'неизвестно'),
  usual: text('Default', 'По умолчанию'),
  priorityHint: text('0 to 10. Higher goes first.', 'От 0 до 10. Чем больше, тем раньше.'),
  callbackHint: text('Called when the transcript is ready', 'Сюда придёт уведомление о готовой расшифровке'),
  submit: text('Upload', 'Загрузить'),
  nothing: text('Choose a file or enter a link.', 'Выберите файл или укажите ссылку.'),
  tooMany: text('At most 100 files and 50 links at once.', 'Не больше 100 файлов и 50 ссылок за раз.'),
  broken: text(
    'The upload was interrupted. Try again with fewer files.',
    'Загрузка прервалась. Повторите с меньшим числом файлов.',
  ),

  ofFile: text('Details of this file', 'Данные этого файла'),
  nothingRead: text('no details in the file name', 'в имени нет данных'),
  asForAll: text('as for all files', 'как для всех'),
  namesHint: text(
    'Details come from the file name. You can edit them. Example: 2026-11-01_14-30_+375291234567_Ivan_Petrov_in.wav',
    'Данные берутся из имени файла, их можно изменить. Пример: 2026-11-01_14-30_+375291234567_Иван_Петров_in.wav',
  ),
  doubts: {
    manager: textTemplate('“{}” is a new manager. Check the spelling.', '«{}» — новый менеджер. Проверьте имя.'),
    phone: textTemplate('“{}” is not a phone number.', '«{}» — не номер телефона.'),
  },

  results: text('Results', 'Результаты'),
  sameAudio: text('Same recording as', 'Та же запись, что и'),
  unnamed: text('Unnamed file', 'Файл без имени'),
  showInList: textTemplate('Show in the list ({})', 'Показать в списке ({})'),
  open: text('Open', 'Открыть'),
  openThere: text('Open the existing call', 'Открыть имеющийся звонок'),
  chooseAgain: text(
    'Failed files were not stored. Choose them again.',
    'Незагруженные файлы не сохранены. Выберите их снова.',
  ),
  toRecordings: text('Go to calls', 'К звонкам'),

  /** States of a file that the upload script shows. */
  states: {
    waiting: text('not uploaded yet', 'ещё не загружен'),
    storing: text('uploading', 'загружается'),
    lost: text(
      'The connection was lost, or the upload took over 5 minutes.',
      'Связь прервалась, или загрузка шла дольше 5 минут.',
    ),
    refused: text('The service did not accept the file. Try again.', 'Сервис не принял файл. Повторите.'),
    stopped: text('not uploaded, fix the fields', 'не загружен, исправьте поля'),
    again: text('Try again', 'Повторить'),
    remove: text('Remove', 'Убрать'),
    done: textTemplate('{} of {} uploaded.', 'Загружено: {} из {}.'),
  },

  errors: {
    duplicate: text('This call already exists.', 'Такой звонок уже есть.'),
    full: text('The storage is full. Nothing was uploaded.', 'Хранилище заполнено. Ничего не загружено.'),
    down: text('The service is not responding. Try again in a minute.', 'Сервис не отвечает. Повторите через минуту.'),
    session: text('Your session has expired. Log in and try again.', 'Сеанс завершён. Войдите и повторите.'),
  },
}
