import type { Words } from './i18n.ts'

const cardinal = new Intl.PluralRules('ru')

const form = (n: number, one: string, few: string, many: string): string => {
  const rule = cardinal.select(n)
  return rule === 'one' ? one : rule === 'few' ? few : many
}

function about(seconds: number): string {
  if (seconds < 90) return `около ${Math.max(1, Math.round(seconds))} с`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `около ${minutes} мин` : `около ${Math.round(minutes / 60)} ч`
}

/** Every word of the panel in Russian. */
export const ru: Words = {
  product: 'Звонки',
  skip: 'К содержанию',
  menu: 'Меню',
  mainMenu: 'Главное',
  recordings: 'Записи',
  logOut: 'Выйти',
  roles: { owner: 'владелец', head: 'руководитель', manager: 'менеджер' },
  stale: 'Нет связи с сервисом: страница могла устареть. Попытки продолжаются сами.',

  login: {
    title: 'Вход',
    email: 'Эл. почта',
    password: 'Пароль',
    submit: 'Войти',
    wrong: 'Неверная почта или пароль.',
    missing: 'Введите почту и пароль.',
    throttled: (seconds, shown) =>
      `Слишком много неудачных попыток. Повторите через ${shown} ${form(seconds, 'секунду', 'секунды', 'секунд')}.`,
    down: 'Сервис не отвечает. Повторите через минуту.',
    insecure:
      'Браузер не сохраняет cookie сессии: страница открыта по HTTP. Откройте панель по HTTPS ' +
      'или задайте COOKIE_SECURE=false.',
  },

  status: { QUEUED: 'в очереди', PROCESSING: 'идёт', DONE: 'готово', FAILED: 'ошибка', CANCELLED: 'отменено' },
  percent: (shown) => `${shown} %`,
  place: (n) => (n === 1 ? 'следующая в очереди' : `${n}-я в очереди`),
  left: (seconds) => `ещё ${about(seconds)}`,
  transcribing: 'распознаётся',
  direction: { INBOUND: 'входящий', OUTBOUND: 'исходящий' },
  decoder: { greedy: 'жадный', beam_search: 'лучевой поиск' },
  source: { upload: 'загрузка', url: 'ссылка', storage: 'хранилище', inbox: 'входящая папка', crm: 'CRM' },
  audioErrors: {
    AUDIO_MISSING: 'Звука больше нет в хранилище.',
    UNSUPPORTED_AUDIO: 'В файле нет звука, который можно прочитать.',
    AUDIO_TOO_LONG: 'Запись длиннее 3 часов.',
  },
  failedUnknown: 'Распознать не удалось.',

  list: {
    total: (n) => form(n, 'звонок', 'звонка', 'звонков'),
    columns: {
      time: 'Звонок',
      direction: 'Направление',
      phone: 'Телефон',
      manager: 'Менеджер',
      length: 'Длина',
      status: 'Состояние',
      note: 'Подробности',
    },
    newestFirst: 'сначала новые',
    oldestFirst: 'сначала старые',
    pageSize: (shown) => `по ${shown}`,
    range: (from, to, total) => `${from}–${to} из ${total}`,
    pages: 'Страницы',
    page: (shown) => `Страница ${shown}`,
    previous: 'Предыдущая страница',
    next: 'Следующая страница',
    pastEnd: 'Такой страницы нет.',
    toStart: 'К первой странице',
    emptyTitle: 'Записей пока нет',
    empty:
      'Здесь будет каждый переданный звонок: его состояние, а когда он готов — текст. ' +
      'Передайте первый звонок с ключом API: он появится на странице сам.',
  },

  call: {
    title: 'Звонок',
    with: '—',
    sound: 'Звук',
    cannotPlay: 'Браузер не умеет воспроизводить этот формат. Скачайте звук, чтобы послушать.',
    download: 'Скачать',
    downloadSound: 'Звук',
    formats: { txt: 'Текст', srt: 'Субтитры SRT', vtt: 'Субтитры VTT', json: 'JSON' },
    retry: 'Повторить',
    cancel: 'Отменить',
    delete: 'Удалить',
    deleteSure: 'Удалить запись вместе со звуком и текстом? Вернуть её будет нельзя.',
    deleteNow: 'Удалить навсегда',
    conflict: 'Не получилось: состояние записи тем временем изменилось. Ниже она такая, какая есть сейчас.',
    transcript: 'Текст',
    noSpeech: 'Речи в записи нет.',
    channel: 'Канал',
    playFrom: (time) => `Слушать с ${time}`,
    waits: 'Текст появится здесь, когда звонок будет распознан.',
    cancelled: 'Распознавание отменено. «Повторить» вернёт звонок в очередь.',
    failedAdvice: '«Повторить» вернёт звонок в очередь.',
    failedForGood: 'Повтор вряд ли поможет: передайте звонок ещё раз другим файлом.',
    details: 'Подробности',
    detail: {
      direction: 'Направление',
      department: 'Отдел',
      callId: 'Номер звонка',
      source: 'Источник',
      file: 'Файл',
      size: 'Размер',
      length: 'Длина',
      model: 'Модель',
      decoder: 'Декодер',
      language: 'Язык',
      priority: 'Приоритет',
      attempts: 'Попытки',
      error: 'Ошибка',
      callback: 'Уведомление',
    },
    history: 'История',
    received: 'получена',
    started: (attempt) => `попытка ${attempt}`,
    finished: { DONE: 'готово', FAILED: 'ошибка', CANCELLED: 'отменено' },
    took: (length) => `за ${length}`,
    seconds: (shown) => `${shown} с`,
  },

  errors: {
    400: ['Непонятно', 'Этот запрос нельзя понять. Вернитесь и повторите.'],
    404: ['Не найдено', 'Такой страницы или записи нет, либо у вас нет к ней доступа.'],
    403: ['Нельзя', 'Ваша роль этого не позволяет. Если это нужно, попросите владельца.'],
    405: ['Невозможно', 'По этому адресу такой запрос не принимается.'],
    409: ['Сейчас нельзя', 'Состояние записи сейчас этого не позволяет.'],
    413: ['Слишком много', 'Форма больше, чем принимает эта страница.'],
    429: ['Слишком много попыток', 'Подождите немного и повторите.'],
    500: ['Что-то сломалось', 'Виноваты мы, а не вы. Повторите; причина записана в журнале под этим номером:'],
    503: ['Сервис не отвечает', 'Страницы на месте, но API за ними не отвечает. Повторите чуть позже.'],
  },
  foreign: 'Запрос пришёл с чужой страницы, поэтому ничего не сделано. Откройте панель и повторите там.',
  waitSeconds: (seconds, shown) => `Повторите через ${shown} ${form(seconds, 'секунду', 'секунды', 'секунд')}.`,
  tryAgain: 'Повторить',
  toRecordings: 'К записям',
}
