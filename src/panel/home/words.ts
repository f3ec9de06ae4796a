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
      'На прошлой неделе оценено слишком мало звонков, чтобы считать среднее',
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
  oldest: pluralTemplate('oldest call {} {day|days} ago', 'старейшему звонку {} {день|дня|дней}'),
  openReviews: textTemplate('Review {}', 'Разобрать {}'),
  nothingToReview: text(
    'Nothing to review. New disputes appear here.',
    'Всё разобрано. Новые возражения появятся здесь.',
  ),
  reasons: text({ critical: 'critical', disputed: 'disputed' }, { critical: 'критично', disputed: 'оспорено' }),
  points: pluralTemplate('{} {point|points}', '{} {балл|балла|баллов}'),
  zero: text('score 0', 'оценка 0'),
  waits: pluralTemplate('for {} {day|days}', '{} {день|дня|дней}'),
  waitsToday: text('since today', 'сегодня'),
  more: textTemplate('{} more, the oldest from {}', 'Ещё {}, самый старый от {}'),
  lowest: textTemplate('Lowest calls of {}', 'Худшие звонки: {}'),
  lowestShort: text('Lowest calls', 'Худшие звонки'),
  of: textTemplate('{} of {}', '{} из {}'),
  allOfDay: text('All of this day', 'Все за этот день'),
  noneScored: textTemplate('No calls were scored on {}.', 'Оценённых звонков нет: {}.'),
  playLowest: text('Play the lowest', 'Слушать худшие'),
  columns: {
    score: text('Score', 'Оценка'),
    call: text('Call', 'Звонок'),
    manager: text('Manager', 'Менеджер'),
    length: text('Duration', 'Длительность'),
    lost: text('Points lost', 'Потеряно баллов'),
    hear: text('Listen from', 'С момента'),
  },
  lost: textTemplate('{} −{}', '{} −{}'),
  isCritical: text('critical', 'критично'),
  moreRules: pluralTemplate('{} more {rule|rules}', 'ещё {} {правило|правила|правил}'),
  outOfRange: text('Out of range last week', 'Отклонения за прошлую неделю'),
  rangeCount: pluralTemplate('{} of {} {manager|managers}', '{} из {} {менеджера|менеджеров}'),
  allInRange: text('Everyone was in range last week.', 'На прошлой неделе у всех всё как обычно.'),
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
    'Last week you had {} {call|calls}, too few scores for an average',
    'За прошлую неделю у вас {} {звонок|звонка|звонков}: оценок мало, чтобы считать среднее',
  ),
  none: text('No calls last week.', 'На прошлой неделе звонков не было.'),
  latest: textTemplate('Your latest week is {}.', 'Последняя неделя со звонками: {}.'),
  against: textTemplate('{} against the four weeks before', '{} в сравнении с четырьмя неделями до неё'),
  trend: text('Your average score', 'Ваша средняя оценка'),
  figures: {
    calls: text('Calls', 'Звонки'),
    minutes: text('Talk time', 'Время звонков'),
    score: text('Average score', 'Средняя оценка'),
    rulesMet: text('Rules met', 'Выполнено правил'),
    winRate: text('Deals won', 'Выиграно сделок'),
  },
  length: text(
    (minutes: number) => formatAudioLengthEn(60 * minutes),
    (minutes) => formatAudioLengthRu(60 * minutes),
  ),
  before: textTemplate('before: {}', 'до этого: {}'),
  tooFew: text('too few to compare', 'мало для сравнения'),
  of: textTemplate('{} of {}', '{} из {}'),
  coaching: textTemplate('One thing to work on: {}', 'Над чем поработать: {}'),
  coachingShort: text('One thing to work on', 'Над чем поработать'),
  metIn: pluralTemplate(
    'Met in {} of {} calls in the last four weeks. Each miss costs {} {point|points}.',
    'За четыре недели выполнено в {} из {} звонков. Каждое невыполнение отнимает {} {балл|балла|баллов}.',
  ),
  reachable: textTemplate(
    'With it in every call your score would have been about {} instead of {}.',
    'Если бы его выполняли в каждом звонке, оценка была бы около {} вместо {}.',
  ),
  trendShort: text('Four weeks', 'Четыре недели'),
  noReason: text('no reason given', 'причина не указана'),
  allGood: text(
    'You met every rule in at least 80% of calls. Listen to your best one.',
    'Каждое правило выполнено хотя бы в 80 % звонков. Послушайте свой лучший.',
  ),
  nothingToCoach: text(
    'Too few checked calls to choose a rule.',
    'Проверенных звонков слишком мало, чтобы выбрать правило.',
  ),
  verdicts: text({ met: 'met', missed: 'missed' }, { met: 'выполнено', missed: 'не выполнено' }),
  playAll: text('Play all three', 'Слушать все три'),
  playOne: text('Play', 'Слушать'),
  disputes: text('Answers to your disputes', 'Ответы на ваши возражения'),
  noDisputes: text('You have not disputed anything.', 'Вы ничего не оспаривали.'),
  states: text(
    { waiting: 'under review', kept: 'kept', changed: 'changed' },
    { waiting: 'на разборе', kept: 'оставлено', changed: 'изменено' },
  ),
  decided: text<Record<string, Record<string, string>>>(
    {
      kept: {
        met: 'kept met',
        missed: 'kept missed',
        not_applicable: 'kept not applicable',
        unknown: 'kept not determined',
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
  lostPoints: text('Where your points went', 'Где потеряны баллы'),
  noLostPoints: text('No rule cost you points last week.', 'За прошлую неделю баллы не потеряны.'),
  lostColumns: text(
    {
      rule: 'Rule',
      missed: 'Missed in',
      points: 'Points lost',
      before: 'Met, four weeks before',
      now: 'Met last week',
    },
    {
      rule: 'Правило',
      missed: 'Не выполнено',
      points: 'Потеряно баллов',
      before: 'Выполнено за четыре недели до этого',
      now: 'Выполнено за неделю',
    },
  ),
  score: textTemplate('score {}', 'оценка {}'),
  scoreChange: textTemplate('score {} → {}', 'оценка {} → {}'),
  sent: textTemplate('sent {}', 'отправлено {}'),
}

const ownerWords = {
  setUp: text('Set up', 'Настройка'),
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
  noModel: text('Nothing leaves this server', 'Данные не покидают сервер'),
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
  playing: text('Now playing', 'Сейчас играет'),
  noAudio: text('audio deleted', 'запись удалена'),
  head: headWords,
  manager: managerWords,
  owner: ownerWords,
}
