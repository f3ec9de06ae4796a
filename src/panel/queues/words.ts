import { both } from '../frame/words/translation.ts'
import { aboutEn, aboutRu, formEn, formRu, spanEn, spanRu } from '../frame/words/grammar.ts'

/** The queues of background work. */
export const queues = {
  title: both('Queues', 'Очереди'),
  live: both('live', 'обновляется'),
  which: both('Which queue', 'Какая очередь'),
  names: both<Record<string, string>>(
    {
      transcription: 'transcription',
      callbacks: 'callbacks',
      analysis: 'call check',
      'crm-load': 'CRM history',
      'crm-sync': 'CRM calls',
      'crm-write': 'CRM notes',
    },
    {
      transcription: 'распознавание',
      callbacks: 'уведомления',
      analysis: 'проверка звонков',
      'crm-load': 'история CRM',
      'crm-sync': 'звонки CRM',
      'crm-write': 'заметки в CRM',
    },
  ),
  cards: {
    waiting: both('Queued', 'В очереди'),
    running: both('Running', 'Идут'),
    emptyIn: both('Empty in', 'Опустеет через'),
    empty: both('empty', 'пуста'),
    failedToday: both('Failed today', 'Не удались сегодня'),
    sound: both(
      (seconds: number) => `${spanEn(seconds)} of sound`,
      (seconds) => `${spanRu(seconds)} звука`,
    ),
    span: both(spanEn, spanRu),
    measured: both('about, at the speed of the last calls', 'примерно, по скорости последних звонков'),
    notMeasured: both('no call was measured yet', 'скорость ещё не измерена'),
    paused: both('paused', 'пауза'),
    ofEnded: both(
      (_: number, shown: string) => `of ${shown} that ended`,
      (n, shown) => `из ${shown} ${formRu(n, 'завершённой', 'завершённых', 'завершённых')}`,
    ),
  },
  failedCount: both(
    (_: number, shown: string) => `${shown} failed`,
    (_, shown) => `не удалось: ${shown}`,
  ),
  resend: both('Send again', 'Отправить ещё раз'),
  resendCall: both(
    (call: string) => `Send the callback of ${call} again`,
    (call) => `Отправить уведомление о ${call} ещё раз`,
  ),
  pause: both('Pause', 'Приостановить'),
  resume: both('Resume', 'Продолжить'),
  isPaused: both(
    'Paused: nothing new begins, what runs goes on.',
    'Приостановлена: новое не начинается, начатое продолжается.',
  ),
  retryFailed: both(
    (shown: string) => `Retry failed (${shown})`,
    (shown) => `Повторить всё, что не удалось (${shown})`,
  ),
  retried: both(
    (n: number, shown: string) => `${shown} ${formEn(n, 'job is', 'jobs are')} back in the queue.`,
    (_, shown) => `Возвращено в очередь: ${shown}.`,
  ),
  changed: both(
    'This was not possible: the call’s state has changed in the meantime.',
    'Не получилось: состояние звонка тем временем изменилось.',
  ),
  states: both(
    { active: 'Running', waiting: 'Queued', delayed: 'Queued for another attempt', failed: 'Failed' },
    { active: 'Идут', waiting: 'В очереди', delayed: 'В очереди на новую попытку', failed: 'Не удались' },
  ),
  nothing: both('There is nothing to do, and nothing has failed.', 'Очередь пуста, всё удалось.'),
  nothingHere: both('There is nothing in this state now.', 'В этом состоянии сейчас ничего нет.'),
  all: both(
    (shown: string) => `All ${shown}`,
    (shown) => `Все ${shown}`,
  ),
  whole: both('The whole queue', 'Вся очередь'),
  columns: {
    position: both('#', '№'),
    call: both('Phone', 'Телефон'),
    manager: both('Manager', 'Менеджер'),
    length: both('Length', 'Длина'),
    priority: both('Priority', 'Приоритет'),
    attempt: both('Attempt', 'Попытка'),
    progress: both('Progress', 'Готово'),
    receiver: both('Address', 'Адрес'),
    since: both('In the queue', 'В очереди'),
    reason: both('Why the last one failed', 'Почему не удалось'),
    act: both('Action', 'Действие'),
  },
  when: both(
    { active: 'Done in', waiting: 'Done in', delayed: 'Again at', failed: 'Last tried' },
    { active: 'Готово через', waiting: 'Готово через', delayed: 'Снова в', failed: 'Последняя попытка' },
  ),
  lately: both('Last two weeks', 'Последние две недели'),
  about: both(aboutEn, aboutRu),
  since: both(
    (time: string) => `since ${time}`,
    (time) => `с ${time}`,
  ),
  cancelCall: both(
    (call: string) => `Cancel ${call}`,
    (call) => `Отменить ${call}`,
  ),
  retryCall: both(
    (call: string) => `Retry ${call}`,
    (call) => `Повторить ${call}`,
  ),
}
