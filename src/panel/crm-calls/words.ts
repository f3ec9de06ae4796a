import { defineWordMap, text, template } from '../frame/words/translation.ts'
import { formatDurationEn, formatDurationRu } from '../frame/words/grammar.ts'

export const crmCallWords = {
  history: {
    title: text('Load history', 'Загрузить историю'),
    about: text(
      'Calls before the automation are loaded once you have seen what that takes.',
      'Звонки до включения автоматики загружаются после того, как вы увидите, сколько это займёт.',
    ),
    loaded: template('The last load: {} loaded, {} left.', 'Последняя загрузка: загружено {}, осталось {}.'),
    from: text('Calls from', 'Звонки с'),
    to: text('through', 'по'),
    estimate: text('Estimate', 'Оценить'),
    estimated: text('What it takes, by a sample', 'Сколько это займёт, по выборке'),
    figures: {
      calls: text('Calls to load', 'Загрузить звонков'),
      alreadyHere: text('Here already', 'Уже здесь'),
      hours: text('Hours of sound', 'Часов звука'),
      disk: text('On the disk', 'На диске'),
      load: text('The load takes', 'Загрузка займёт'),
      recognition: text('Transcribing takes', 'Распознавание займёт'),
    },
    span: text(formatDurationEn, formatDurationRu),
    refused: text(
      'It cannot be loaded: less than 15 GB of the disk would stay free. Choose a shorter time.',
      'Загрузить нельзя: на диске осталось бы меньше 15 ГБ. Выберите срок короче.',
    ),
    start: text('Load them', 'Загрузить'),
    loads: text('Loads', 'Загрузки'),
    none: text('Nothing was loaded yet.', 'Загрузок ещё не было.'),
    columns: {
      period: text('Calls of', 'Звонки за'),
      state: text('State', 'Состояние'),
      found: text('Found', 'Найдено'),
      loaded: text('Loaded', 'Загружено'),
      skipped: text('Skipped', 'Пропущено'),
      failed: text('Failed', 'Не удались'),
      waiting: text('Left', 'Осталось'),
    },
    states: text<Record<string, string>>(
      { running: 'running', paused: 'paused', done: 'done', cancelled: 'cancelled', failed: 'failed' },
      { running: 'идёт', paused: 'на паузе', done: 'готово', cancelled: 'отменено', failed: 'не удалось' },
    ),
    pause: text('Pause', 'Пауза'),
    resume: text('Go on', 'Продолжить'),
    cancelSure: text(
      'What was loaded stays, nothing more is loaded.',
      'Загруженное останется, больше ничего не загрузится.',
    ),
    cancelNow: text('Cancel the load', 'Отменить загрузку'),
    actions: text('Actions', 'Действия'),
    notices: defineWordMap({
      started: text('The load has begun.', 'Загрузка началась.'),
      pause: text('The load is paused.', 'Загрузка на паузе.'),
      resume: text('The load goes on.', 'Загрузка продолжается.'),
      cancel: text('The load is cancelled.', 'Загрузка отменена.'),
    }),
  },
  writing: {
    title: text('Comments into deals', 'Комментарии в сделки'),
    about: text(
      'Each call from then on gets one comment in its deal: when, who, the score, what was missed, and a link to the recording.',
      'У каждого звонка с этого момента будет один комментарий в сделке: когда, кто, оценка, что упущено и ссылка на запись.',
    ),
    notConfigured: text(
      'Make a second incoming webhook with the right crm alone, and put its address into CRM_WRITE_WEBHOOK_URL.',
      'Создайте второй входящий вебхук с одним правом crm и поместите его адрес в CRM_WRITE_WEBHOOK_URL.',
    ),
    refused: text(
      'The CRM takes no comments: they wait, and it is asked again every hour.',
      'CRM не принимает комментарии: они ждут, раз в час попытка повторяется.',
    ),
    refusedAdvice: text<Record<string, string>>(
      {
        INVALID_CREDENTIALS:
          'The webhook was removed or its secret was changed: put its new address into CRM_WRITE_WEBHOOK_URL.',
        EXPIRED_TOKEN: 'The webhook has expired: make another one and put its address into CRM_WRITE_WEBHOOK_URL.',
        INSUFFICIENT_SCOPE: 'Give the webhook the right crm.',
        NOT_CONFIGURED: 'The address in CRM_WRITE_WEBHOOK_URL is none of a webhook: put the right one there.',
        other:
          'See in Bitrix24 whether the webhook’s user may change deals. Switch the writing off and on to try at once.',
      },
      {
        INVALID_CREDENTIALS: 'Вебхук удалён, или его секрет изменён: поместите новый адрес в CRM_WRITE_WEBHOOK_URL.',
        EXPIRED_TOKEN: 'Срок вебхука истёк: создайте новый и поместите его адрес в CRM_WRITE_WEBHOOK_URL.',
        INSUFFICIENT_SCOPE: 'Дайте вебхуку право crm.',
        NOT_CONFIGURED: 'Адрес в CRM_WRITE_WEBHOOK_URL — не адрес вебхука: поместите туда правильный.',
        other:
          'Проверьте в Битрикс24, может ли пользователь вебхука менять сделки. Чтобы попробовать сразу, выключите комментарии и включите снова.',
      },
    ),
    state: text({ on: 'on', off: 'off' }, { on: 'включены', off: 'выключены' }),
    counts: text(
      { sent: 'Written', waiting: 'Left', failed: 'Failed' },
      { sent: 'Записано', waiting: 'Осталось', failed: 'Не удались' },
    ),
    recording: text('A recording to try it with', 'Запись для пробы'),
    recordingHint: text('Its address or its id.', 'Её адрес или идентификатор.'),
    preview: text('Preview', 'Показать'),
    previewed: text('The comment would be', 'Комментарий будет таким'),
    inDeal: template('It would stand in deal {}.', 'Он появится в сделке {}.'),
    noDeal: text(
      'This call belongs to no deal for certain: it gets no comment.',
      'Сделка этого звонка не определена: комментария не будет.',
    ),
    noRecording: text('There is no such recording.', 'Такой записи нет.'),
    on: text('Write comments', 'Писать комментарии'),
    onSure: text(
      'From now on comments are written into deals of the CRM, where all see them.',
      'С этого момента комментарии пишутся в сделки CRM, где их видят все.',
    ),
    onNow: text('Switch it on', 'Включить'),
    off: text('Write no more', 'Больше не писать'),
    notices: text(
      { on: 'Comments are written from now on.', off: 'No more comments are written.' },
      { on: 'Комментарии теперь пишутся.', off: 'Комментарии больше не пишутся.' },
    ),
  },
}
