import { both, template } from '../frame/words/translation.ts'
import { formEn, formRu } from '../frame/words/grammar.ts'

type Shown = (shown: string) => string
type Count = (n: number, shown: string) => string

const between = (min: string | null, max: string | null, least: string, most: string): string =>
  min !== null && max !== null ? `${min}–${max}` : max === null ? `${least} ${min}` : `${most} ${max}`

/** The check of a call, on its page. */
export const check = {
  title: both('Call check', 'Проверка звонка'),
  score: template('{} of 100', '{} из 100'),
  states: {
    none: both('This call was not checked.', 'Этот звонок не проверялся.'),
    queued: both('The check is in the queue.', 'Проверка в очереди.'),
    running: both('The call is being checked.', 'Звонок проверяется.'),
    failed: both('The check failed.', 'Проверить не удалось.'),
  },
  corrected: both(
    'The call was corrected after this check. Other rules may apply now: check it again.',
    'Звонок исправили после этой проверки. Теперь могут действовать другие правила: проверьте его снова.',
  ),
  earlierStands: both('What the earlier check has found stands below.', 'Ниже — результат прошлой проверки.'),
  reasons: {
    noTranscript: both('There is no text to check.', 'Проверять нечего: текста нет.'),
    noRuleSet: both('No rule set applies to this call.', 'Ни один набор правил к этому звонку не относится.'),
    off: both('The call check is off: ANALYSIS_PROVIDER is none.', 'Проверка выключена: ANALYSIS_PROVIDER=none.'),
    automaticOff: both('Automatic checking is off.', 'Автоматическая проверка выключена.'),
  },
  noScoreSet: both(
    'No rule set with a score applies to this call.',
    'Ни один набор с баллами к этому звонку не относится.',
  ),
  noScore: both(
    'No score: less than half of what counts could be judged.',
    'Оценки нет: судить удалось меньше чем о половине.',
  ),
  coverage: template('{} % could be judged', 'удалось проверить {} % баллов'),
  beforeCritical: template('{} without what is critical', 'без критичного было бы {}'),
  byMachine: template('the machine’s own score: {}', 'оценка машины: {}'),
  oneChannel: both<Count>(
    (n, shown) =>
      `The sound has one channel, so nobody knows who speaks: ${shown} ${formEn(n, 'rule', 'rules')} could not be judged.`,
    (n, shown) =>
      `Звук в одном канале, и кто говорит, неизвестно: ${shown} ${formRu(n, 'правило', 'правила', 'правил')} проверить нельзя.`,
  ),
  mock: both(
    'Invented for a demonstration: nothing of it is true of this call.',
    'Придумано для показа: к этому звонку не относится.',
  ),
  mockName: both('demonstration', 'показ'),
  provider: both<Record<string, string>>({ rules: 'rules', mock: 'mock' }, { rules: 'правила', mock: 'mock' }),
  version: template('version {}', 'версия {}'),
  otherVersions: both('Versions', 'Версии'),
  olderVersion: template(
    'As version {} judged it, which is not what holds now.',
    'Так судила версия {}; сейчас действует другая.',
  ),
  toCurrent: both('Show what holds', 'Показать действующее'),
  usage: template('tokens: {} + {}', 'токены: {} + {}'),
  switchOn: both('Switch on automatic checking', 'Включить автоматическую проверку'),
  history: template('History: {}', 'История: {}'),
  rerun: both('Check again', 'Проверить снова'),
  pin: both('Try rules on this call', 'Пробовать правила на этом звонке'),
  runFirst: both('Check this call', 'Проверить звонок'),
  verdicts: both<Record<string, string>>(
    { met: 'met', missed: 'missed', not_applicable: 'not applicable', unknown: 'unknown' },
    { met: 'да', missed: 'нет', not_applicable: 'не относится', unknown: 'неизвестно' },
  ),
  critical: both('critical', 'критично'),
  weight: both<Count>(
    (n, shown) => `${shown} ${formEn(n, 'point', 'points')}`,
    (n, shown) => `${shown} ${formRu(n, 'балл', 'балла', 'баллов')}`,
  ),
  apart: {
    not_applicable: template('Not applicable: {}', 'Не относится: {}'),
    unknown: template('Could not be judged: {}', 'Судить не удалось: {}'),
  },
  labels: both('Found in the call', 'Прозвучало в звонке'),
  moreQuotes: both<Count>(
    (n, shown) => `${shown} more ${formEn(n, 'place', 'places')} in the text`,
    (n, shown) => `ещё ${shown} ${formRu(n, 'место', 'места', 'мест')} в тексте`,
  ),
  why: {
    notFound: both<Shown>(
      (span) => `Not said in ${span}.`,
      (span) => `Не прозвучало: ${span}.`,
    ),
    tooFew: template('{} of {} in {}.', '{} из {}: {}.'),
    lookedIn: both<Shown>(
      (span) => `Looked in ${span}.`,
      (span) => `Искали: ${span}.`,
    ),
    noAnchor: both('There was no occasion for it.', 'Повода не было.'),
    noReply: both('No answer followed.', 'Ответа не было.'),
    noReplyWithin: both<Shown>(
      (seconds) => `No answer within ${seconds} s.`,
      (seconds) => `За ${seconds} с ответа не было.`,
    ),
    notInOrder: both<Shown>(
      (step) => `Step ${step} is missing, or not in its place.`,
      (step) => `Шага ${step} нет, или он не на месте.`,
    ),
    expected: both(
      (min: string | null, max: string | null) => `expected ${between(min, max, 'at least', 'at most')}`,
      (min, max) => `ожидается ${between(min, max, 'от', 'до')}`,
    ),
    speakersUnknown: both('Nobody knows who speaks.', 'Кто говорит, неизвестно.'),
    nothingSaid: both('There is nothing to measure.', 'Измерять нечего.'),
    noAnswer: both('The model has given no answer.', 'Модель не ответила.'),
  },
  judge: both('Judge', 'Решить'),
  dispute: both('Dispute', 'Оспорить'),
  /** What is heard besides the verdict that leads to its form. */
  judgeRule: template('judge “{}”', 'решить: «{}»'),
  disputeRule: template('dispute “{}”', 'оспорить: «{}»'),
  holds: both('What holds', 'Что верно'),
  comment: both('Comment', 'Комментарий'),
  commentHint: both('Needed where you say other than the machine.', 'Нужен, если вы решаете иначе, чем машина.'),
  whyNot: both('Why it is wrong', 'Что не так'),
  judged: both('Your verdict is saved.', 'Ваше решение сохранено.'),
  disputed: both('Noted: somebody who may change rules decides.', 'Отмечено: решит тот, кто вправе менять правила.'),
  said: template('{}: {}', '{}: {}'),
  machineSaid: template('machine: {}', 'машина: {}'),
  disputedBy: template('{} disputes it', '{} не согласен'),
  outdated: both(
    'This was not possible: the call has been checked again in the meantime. You see the new check.',
    'Не получилось: звонок тем временем проверили снова. Ниже — новая проверка.',
  ),
}
