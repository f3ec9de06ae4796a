import { formatAudioLengthEn, formatAudioLengthRu, pluralTemplate } from '../frame/words/grammar.ts'
import { textTemplate, text } from '../frame/words/translation.ts'

const headWords = {
  sentence: {
    fell: textTemplate(
      'Last week the average score fell from {} to {}',
      'За прошлую неделю средняя оценка снизилась с {} до {}',
    ),
    rose: textTemplate(
      'Last week the average score rose from {} to {}',
      'За прошлую неделю средняя оценка выросла с {} до {}',
    ),
    same: textTemplate(
      'Last week the average score stayed at {}',
      'Средняя оценка за прошлую неделю не изменилась: {}',
    ),
    only: textTemplate('Last week the average score was {}', 'Средняя оценка за прошлую неделю: {}'),
    few: text(
      'Last week too few calls were scored for an average',
      'На прошлой неделе оценено слишком мало звонков, чтобы считать среднюю оценку',
    ),
  },
  calls: pluralTemplate('{} {call|calls}', '{} {звонок|звонка|звонков}'),
  managers: pluralTemplate('by {} {manager|managers}', 'у {} {менеджера|менеджеров}'),
  openReport: text('Open the weekly report', 'Открыть отчёт за неделю'),
  noReport: text(
    'No weekly report yet. It appears on Monday.',
    'Отчёта за неделю пока нет. Он появится в понедельник.',
  ),
  trend: text('Average score', 'Средняя оценка'),
  allDepartments: text('All departments', 'Все отделы'),
  departments: text('Departments', 'Отделы'),
  usually: textTemplate('usually {}', 'обычно {}'),
  review: text('To review', 'На разбор'),
  critical: pluralTemplate('{} critical {miss|misses}', 'критичных: {}'),
  disputed: pluralTemplate('{} {dispute|disputes}', 'оспорено: {}'),
  oldest: pluralTemplate('oldest call from {} {day|days} ago', 'самому старому звонку {} {день|дня|дней}'),
  openReviews: textTemplate('Review {}', 'Разобрать {}'),
  nothingToReview: text(
    'Nothing to review. New disputes appear here.',
    'Всё разобрано. Новые возражения появятся здесь.',
  ),
  reasons: text({ critical: 'critical', disputed: 'disputed' }, { critical: 'критично', disputed: 'оспорено' }),
  points: pluralTemplate('{} {point|points}', '{} {балл|балла|баллов}'),
  zero: text('score 0', 'оценка 0'),
  waits: pluralTemplate('open for {} {day|days}', '{} {день|дня|дней}'),
  waitsToday: text('open since today', 'сегодня'),
  more: textTemplate('{} more, the oldest from {}', 'Ещё {}, самый старый от {}'),
  lowest: textTemplate('Lowest-scoring calls of {}', 'Худшие звонки: {}'),
  lowestShort: text('Lowest-scoring calls', 'Худшие звонки'),
  of: textTemplate('{} of {}', '{} из {}'),
  allOfDay: text('All calls of this day', 'Все за этот день'),
  noneScored: textTemplate('No calls were scored on {}.', 'Нет звонков с оценкой: {}.'),
  playLowest: text('Play these calls', 'Слушать худшие'),
  columns: {
    score: text('Score', 'Оценка'),
    call: text('Call', 'Время'),
    manager: text('Manager', 'Менеджер'),
    length: text('Duration', 'Длительность'),
    lost: text('Points lost', 'Потеряно баллов'),
    hear: text('Listen from', 'Слушать с'),
  },
  lost: textTemplate('{} −{}', '{} −{}'),
  isCritical: text('critical', 'критично'),
  moreRules: pluralTemplate('{} more {rule|rules}', 'ещё {} {правило|правила|правил}'),
  outOfRange: text('Outside the usual range last week', 'Отклонения за прошлую неделю'),
  rangeCount: pluralTemplate('{} of {} {manager|managers}', '{} из {} {менеджера|менеджеров}'),
  allInRange: text(
    'Everyone was within the usual range last week.',
    'На прошлой неделе у всех показатели в обычных пределах.',
  ),
  flags: text({ above: 'above', below: 'below' }, { above: 'выше', below: 'ниже' }),
}

const managerWords = {
  best: pluralTemplate(
    'Last week was your best in five weeks: an average score of {} over {} {call|calls}',
    'Прошлая неделя — ваша лучшая за пять недель: средняя оценка {} по {} {звонку|звонкам}',
  ),
  scored: pluralTemplate(
    'Last week your average score was {} over {} {call|calls}',
    'Ваша средняя оценка за прошлую неделю — {} по {} {звонку|звонкам}',
  ),
  fell: textTemplate(
    'Last week your average score fell from {} to {}',
    'За прошлую неделю ваша средняя оценка снизилась с {} до {}',
  ),
  rose: textTemplate(
    'Last week your average score rose from {} to {}',
    'За прошлую неделю ваша средняя оценка выросла с {} до {}',
  ),
  same: textTemplate(
    'Last week your average score stayed at {}',
    'Ваша средняя оценка за прошлую неделю не изменилась: {}',
  ),
  range: {
    below: textTemplate(', below your usual {}', ', это ниже ваших обычных {}'),
    above: textTemplate(', above your usual {}', ', это выше ваших обычных {}'),
    within: textTemplate(', within your usual {}', ', это в пределах ваших обычных {}'),
  },
  few: pluralTemplate(
    'Last week you had {} {call|calls}, with too few scores for an average',
    'За прошлую неделю у вас {} {звонок|звонка|звонков}: оценок слишком мало, чтобы считать среднюю',
  ),
  none: text('No calls last week.', 'На прошлой неделе звонков не было.'),
  latest: textTemplate('Your latest week with calls is {}.', 'Последняя неделя со звонками: {}.'),
  against: textTemplate('{} compared with the four weeks before', '{} по сравнению с предыдущими четырьмя неделями'),
  trend: text('Your average score', 'Ваша средняя оценка'),
  figures: {
    calls: text('Calls', 'Звонки'),
    minutes: text('Talk time', 'Длительность звонков'),
    score: text('Average score', 'Средняя оценка'),
    rulesMet: text('Rules met', 'Выполнено правил'),
    winRate: text('Deals won', 'Выиграно сделок'),
  },
  length: text(
    (minutes: number) => formatAudioLengthEn(60 * minutes),
    (minutes) => formatAudioLengthRu(60 * minutes),
  ),
  before: textTemplate('previously: {}', 'до этого: {}'),
  tooFew: text('too few to compare', 'слишком мало для сравнения'),
  of: textTemplate('{} of {}', '{} из {}'),
  coaching: textTemplate('One thing to work on: {}', 'Над чем поработать: {}'),
  coachingShort: text('One thing to work on', 'Над чем поработать'),
  metIn: textTemplate(
    'Met in {} of {} calls in the last four weeks.',
    'За четыре недели выполнено в {} из {} звонков.',
  ),
  missCosts: pluralTemplate(
    'Each miss costs {} {point|points}.',
    'Каждое невыполнение отнимает {} {балл|балла|баллов}.',
  ),
  reachable: textTemplate(
    'If you had met it in every call, your average score of these four weeks would have been about {} instead of {}.',
    'Если бы вы выполняли это правило в каждом звонке, ваша средняя оценка за эти четыре недели была бы около {} вместо {}.',
  ),
  trendShort: text('Four weeks', 'Четыре недели'),
  noReason: text('no reason given', 'причина не указана'),
  allGood: text(
    'You met every rule in at least 80% of calls. Listen to your best one.',
    'Каждое правило выполнено хотя бы в 80\u00a0% звонков. Послушайте свой лучший звонок.',
  ),
  nothingToCoach: text(
    'Too few checked calls to choose a rule.',
    'Проверенных звонков слишком мало, чтобы выбрать правило.',
  ),
  verdicts: text({ met: 'met', missed: 'missed' }, { met: 'выполнено', missed: 'не выполнено' }),
  playAll: text('Play all three', 'Слушать все три'),
  playOne: text('Play', 'Слушать'),
  disputes: text('Answers to your disputes', 'Ответы на ваши возражения'),
  noDisputes: text('You have not disputed anything.', 'Вы ещё ничего не оспаривали.'),
  states: text(
    { waiting: 'under review', kept: 'kept', changed: 'changed' },
    { waiting: 'на разборе', kept: 'подтверждено', changed: 'изменено' },
  ),
  decided: text<Record<string, Record<string, string>>>(
    {
      kept: {
        met: 'kept as met',
        missed: 'kept as missed',
        not_applicable: 'kept as not applicable',
        unknown: 'kept as not determined',
      },
      changed: {
        met: 'changed to met',
        missed: 'changed to missed',
        not_applicable: 'changed to not applicable',
        unknown: 'changed to not determined',
      },
    },
    {
      kept: {
        met: 'осталось: выполнено',
        missed: 'осталось: не выполнено',
        not_applicable: 'осталось: неприменимо',
        unknown: 'осталось: не определено',
      },
      changed: {
        met: 'теперь: выполнено',
        missed: 'теперь: не выполнено',
        not_applicable: 'теперь: неприменимо',
        unknown: 'теперь: не определено',
      },
    },
  ),
  lostPoints: text('Where you lost points last week', 'Где потеряны баллы за прошлую неделю'),
  noLostPoints: text('No rule cost you points last week.', 'За прошлую неделю вы не потеряли баллов.'),
  lostColumns: text(
    { rule: 'Rule', points: 'Points lost', now: 'Missed last week', before: 'Missed in the four weeks before' },
    {
      rule: 'Правило',
      points: 'Потеряно баллов',
      now: 'Не выполнено за неделю',
      before: 'Не выполнено за четыре недели до неё',
    },
  ),
  score: textTemplate('score {}', 'оценка {}'),
  scoreChange: textTemplate('score {} → {}', 'оценка {} → {}'),
  sent: textTemplate('sent {}', 'отправлено {}'),
  decidedAt: textTemplate('decided {}', 'разобрано {}'),
  callOf: textTemplate('call of {}', 'звонок {}'),
  olderDisputes: textTemplate('Older: {}', 'Более ранние: {}'),
}

const ownerWords = {
  setUp: text('Setup', 'Настройка'),
  setUpCount: textTemplate('{} of {} done', 'готово {} из {}'),
  upload: text('Upload a call', 'Загрузить звонок'),
  state: text('Service', 'Сервис'),
  health: text('Health', 'Состояние'),
  healthy: text('No warnings', 'Предупреждений нет'),
  warnings: pluralTemplate('{} {warning|warnings}', '{} {предупреждение|предупреждения|предупреждений}'),
  automation: text('Automation', 'Автоматизация'),
  storage: text('Storage', 'Хранилище'),
  free: textTemplate('{} free', 'свободно {}'),
  unlimited: text('no limit', 'без ограничения'),
  added: textTemplate('{} added in 7 days', 'за 7 дней добавлено {}'),
  model: text('Model requests', 'Запросы к модели'),
  noModel: text('No data leaves this server', 'Данные не покидают сервер'),
  requests: pluralTemplate('{} {request|requests} in 7 days', '{} {запрос|запроса|запросов} за 7 дней'),
  sentTo: textTemplate('{} sent to {}', '{} отправлено на {}'),
}

export const homeWords = {
  title: text('Home', 'Главная'),
  failed: textTemplate('Could not load: {}.', 'Не загрузилось: {}.'),
  retry: text('Retry', 'Повторить'),
  nobody: text('no manager', 'без менеджера'),
  playFrom: textTemplate('Play from {}', 'Слушать с {}'),
  next: text('Next', 'Дальше'),
  playing: text('Now playing', 'Сейчас звучит'),
  noAudio: text('no recording', 'нет записи'),
  head: headWords,
  manager: managerWords,
  owner: ownerWords,
}
