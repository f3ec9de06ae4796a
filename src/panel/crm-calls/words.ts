import { both, template } from '../frame/words/translation.ts'
import { spanEn, spanRu } from '../frame/words/grammar.ts'

/** Calls of the past and comments into deals: the last two steps of an owner. */
export const crmCalls = {
  history: {
    title: both('Load history', 'Загрузить историю'),
    about: both(
      'Calls before the automation are loaded once you have seen what that takes.',
      'Звонки до включения автоматики загружаются после того, как вы увидите, сколько это займёт.',
    ),
    loaded: template('The last load: {} loaded, {} left.', 'Последняя загрузка: загружено {}, осталось {}.'),
    from: both('Calls from', 'Звонки с'),
    to: both('through', 'по'),
    estimate: both('Estimate', 'Оценить'),
    estimated: both('What it takes, by a sample', 'Сколько это займёт, по выборке'),
    figures: both(
      {
        calls: 'Calls to load',
        alreadyHere: 'Here already',
        hours: 'Hours of sound',
        disk: 'On the disk',
        load: 'The load takes',
        recognition: 'Transcribing takes',
      },
      {
        calls: 'Загрузить звонков',
        alreadyHere: 'Уже здесь',
        hours: 'Часов звука',
        disk: 'На диске',
        load: 'Загрузка займёт',
        recognition: 'Распознавание займёт',
      },
    ),
    span: both(spanEn, spanRu),
    refused: both(
      'It cannot be loaded: less than 15 GB of the disk would stay free. Choose a shorter time.',
      'Загрузить нельзя: на диске осталось бы меньше 15 ГБ. Выберите срок короче.',
    ),
    start: both('Load them', 'Загрузить'),
    loads: both('Loads', 'Загрузки'),
    none: both('Nothing was loaded yet.', 'Загрузок ещё не было.'),
    columns: both(
      {
        period: 'Calls of',
        state: 'State',
        found: 'Found',
        loaded: 'Loaded',
        skipped: 'Skipped',
        failed: 'Failed',
        waiting: 'Left',
      },
      {
        period: 'Звонки за',
        state: 'Состояние',
        found: 'Найдено',
        loaded: 'Загружено',
        skipped: 'Пропущено',
        failed: 'Не удались',
        waiting: 'Осталось',
      },
    ),
    states: both<Record<string, string>>(
      { running: 'running', paused: 'paused', done: 'done', cancelled: 'cancelled', failed: 'failed' },
      { running: 'идёт', paused: 'на паузе', done: 'готово', cancelled: 'отменено', failed: 'не удалось' },
    ),
    pause: both('Pause', 'Пауза'),
    resume: both('Go on', 'Продолжить'),
    cancelSure: both(
      'What was loaded stays, nothing more is loaded.',
      'Загруженное останется, больше ничего не загрузится.',
    ),
    cancelNow: both('Cancel the load', 'Отменить загрузку'),
    actions: both('Actions', 'Действия'),
    notices: both<Record<string, string>>(
      {
        started: 'The load has begun.',
        pause: 'The load is paused.',
        resume: 'The load goes on.',
        cancel: 'The load is cancelled.',
      },
      {
        started: 'Загрузка началась.',
        pause: 'Загрузка на паузе.',
        resume: 'Загрузка продолжается.',
        cancel: 'Загрузка отменена.',
      },
    ),
  },
  writing: {
    title: both('Comments into deals', 'Комментарии в сделки'),
    about: both(
      'Each call from then on gets one comment in its deal: when, who, the score, what was missed, and a link to the recording.',
      'У каждого звонка с этого момента будет один комментарий в сделке: когда, кто, оценка, что упущено и ссылка на запись.',
    ),
    notConfigured: both(
      'Make a second incoming webhook with the right crm alone, and put its address into CRM_WRITE_WEBHOOK_URL.',
      'Создайте второй входящий вебхук с одним правом crm и поместите его адрес в CRM_WRITE_WEBHOOK_URL.',
    ),
    refused: both(
      'The CRM takes no comments: they wait, and it is asked again every hour.',
      'CRM не принимает комментарии: они ждут, раз в час попытка повторяется.',
    ),
    refusedAdvice: both<Record<string, string>>(
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
    state: both({ on: 'on', off: 'off' }, { on: 'включены', off: 'выключены' }),
    counts: both(
      { sent: 'Written', waiting: 'Left', failed: 'Failed' },
      { sent: 'Записано', waiting: 'Осталось', failed: 'Не удались' },
    ),
    recording: both('A recording to try it with', 'Запись для пробы'),
    recordingHint: both('Its address or its id.', 'Её адрес или идентификатор.'),
    preview: both('Preview', 'Показать'),
    previewed: both('The comment would be', 'Комментарий будет таким'),
    inDeal: template('It would stand in deal {}.', 'Он появится в сделке {}.'),
    noDeal: both(
      'This call belongs to no deal for certain: it gets no comment.',
      'Сделка этого звонка не определена: комментария не будет.',
    ),
    noRecording: both('There is no such recording.', 'Такой записи нет.'),
    on: both('Write comments', 'Писать комментарии'),
    onSure: both(
      'From now on comments are written into deals of the CRM, where all see them.',
      'С этого момента комментарии пишутся в сделки CRM, где их видят все.',
    ),
    onNow: both('Switch it on', 'Включить'),
    off: both('Write no more', 'Больше не писать'),
    notices: both(
      { on: 'Comments are written from now on.', off: 'No more comments are written.' },
      { on: 'Комментарии теперь пишутся.', off: 'Комментарии больше не пишутся.' },
    ),
  },
}
