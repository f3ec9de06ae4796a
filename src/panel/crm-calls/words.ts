import { defineWordMap, text, textTemplate } from '../frame/words/translation.ts'
import { formatDurationEn, formatDurationRu } from '../frame/words/grammar.ts'

export const crmCallWords = {
  history: {
    title: text('Load history', 'Загрузить историю'),
    step: text('Load history', 'Загрузите историю'),
    about: text(
      'Loads calls from before automation was turned on. First, estimate the time and disk space.',
      'Загружает звонки до включения автоматизации. Сначала оцените время и место на диске.',
    ),
    loaded: textTemplate('Last load: {} loaded, {} left.', 'Последняя загрузка: загружено {}, осталось {}.'),
    from: text('Calls from', 'Звонки с'),
    to: text('to', 'по'),
    estimate: text('Estimate', 'Оценить'),
    estimated: text('Estimate based on a sample', 'Оценка по выборке'),
    figures: {
      calls: text('Calls to load', 'Звонков к загрузке'),
      alreadyHere: text('Already loaded', 'Уже загружено'),
      hours: text('Hours of audio', 'Часов записей'),
      disk: text('Disk space', 'Место на диске'),
      load: text('Loading time', 'Время загрузки'),
      recognition: text('Transcription time', 'Время распознавания'),
    },
    span: text(formatDurationEn, formatDurationRu),
    refused: text(
      'Less than 15 GB would remain free. Choose a shorter period.',
      'Останется меньше 15\u00a0ГБ. Выберите период короче.',
    ),
    start: text('Load calls', 'Загрузить звонки'),
    loads: text('Loads', 'Загрузки'),
    none: text('No loads yet.', 'Загрузок пока нет.'),
    columns: {
      period: text('Period', 'Период'),
      state: text('Status', 'Статус'),
      found: text('Found', 'Найдено'),
      loaded: text('Loaded', 'Загружено'),
      skipped: text('Skipped', 'Пропущено'),
      failed: text('Failed', 'Не загружено'),
      waiting: text('Left', 'Осталось'),
    },
    states: text<Record<string, string>>(
      { running: 'running', paused: 'paused', done: 'done', cancelled: 'cancelled', failed: 'failed' },
      { running: 'выполняется', paused: 'на паузе', done: 'завершена', cancelled: 'отменена', failed: 'не выполнена' },
    ),
    pause: text('Pause', 'Приостановить'),
    resume: text('Resume', 'Возобновить'),
    cancelSure: text('Cancel this load? Loaded calls stay.', 'Отменить загрузку? Загруженные звонки останутся.'),
    cancelNow: text('Cancel load', 'Отменить загрузку'),
    actions: text('Actions', 'Действия'),
    notices: defineWordMap({
      started: text('Load started.', 'Загрузка запущена.'),
      pause: text('Load paused.', 'Загрузка на паузе.'),
      resume: text('Load resumed.', 'Загрузка возобновлена.'),
      cancel: text('Load cancelled.', 'Загрузка отменена.'),
    }),
  },
  writing: {
    title: text('Deal comments', 'Комментарии в сделках'),
    about: text(
      'Each new call adds a comment to its deal: time, manager, score, missed rules, and a link to the call.',
      'Каждый новый звонок добавляет комментарий в сделку: время, менеджер, оценка, невыполненные правила и ссылка на звонок.',
    ),
    notConfigured: text(
      'Create a second incoming webhook with only the crm permission. Set CRM_WRITE_WEBHOOK_URL to its address.',
      'Создайте второй входящий вебхук только с правом crm. Укажите его адрес в CRM_WRITE_WEBHOOK_URL.',
    ),
    refused: text(
      'The CRM rejects comments. They stay queued, and we retry every hour.',
      'CRM не принимает комментарии. Они остаются в очереди, повторяем каждый час.',
    ),
    refusedAdvice: text<Record<string, string>>(
      {
        INVALID_CREDENTIALS: 'The webhook was removed or changed. Update CRM_WRITE_WEBHOOK_URL.',
        EXPIRED_TOKEN: 'The webhook has expired. Create another and update CRM_WRITE_WEBHOOK_URL.',
        INSUFFICIENT_SCOPE: 'Give the webhook the crm permission.',
        NOT_CONFIGURED: 'CRM_WRITE_WEBHOOK_URL is not the address of a webhook. Correct it.',
        other: 'Check in Bitrix24 that the webhook’s user can change deals. To retry now, turn comments off and on.',
      },
      {
        INVALID_CREDENTIALS: 'Вебхук удалён или изменён. Обновите CRM_WRITE_WEBHOOK_URL.',
        EXPIRED_TOKEN: 'Срок вебхука истёк. Создайте новый и обновите CRM_WRITE_WEBHOOK_URL.',
        INSUFFICIENT_SCOPE: 'Дайте вебхуку право crm.',
        NOT_CONFIGURED: 'Значение CRM_WRITE_WEBHOOK_URL — не адрес вебхука. Исправьте его.',
        other:
          'Проверьте в Битрикс24, может ли пользователь вебхука менять сделки. Чтобы повторить сейчас, выключите и включите комментарии.',
      },
    ),
    state: text({ on: 'on', off: 'off' }, { on: 'включены', off: 'выключены' }),
    counts: text(
      { sent: 'Written', waiting: 'Queued', failed: 'Failed' },
      { sent: 'Записано', waiting: 'В очереди', failed: 'Не записано' },
    ),
    recording: text('Call to preview', 'Звонок для предпросмотра'),
    recordingHint: text('Page address or call ID', 'Адрес страницы или ID'),
    preview: text('Preview', 'Показать'),
    previewed: text('Preview of the comment', 'Предпросмотр комментария'),
    inDeal: textTemplate('The comment goes to deal {}.', 'Комментарий появится в сделке {}.'),
    noDeal: text(
      'The deal of this call is uncertain, so no comment will be written.',
      'Сделка звонка не определена, поэтому комментария не будет.',
    ),
    noRecording: text('Call not found.', 'Звонок не найден.'),
    on: text('Turn on comments', 'Включить комментарии'),
    onSure: text(
      'Turn on comments? Everyone who can see the deals in the CRM will see them.',
      'Включить комментарии? Их увидят все, кому видны сделки в CRM.',
    ),
    onNow: text('Turn on', 'Включить'),
    off: text('Turn off comments', 'Выключить комментарии'),
    notices: text(
      { on: 'Comments are on.', off: 'Comments are off.' },
      { on: 'Комментарии включены.', off: 'Комментарии выключены.' },
    ),
  },
}
