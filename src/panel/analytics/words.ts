import { formEn, formRu, counted } from '../frame/words/grammar.ts'
import { both, template } from '../frame/words/translation.ts'
import { dealList } from './deals-words.ts'
import { definitions } from './definitions-words.ts'
import { weekly } from './weekly-words.ts'

/** What the calls say about managers and sales. */
export const analytics = {
  title: both('Reports', 'Отчёты'),
  reports: {
    sales: both('Sales', 'Продажи'),
    quality: both('Quality', 'Качество'),
    refusals: both('Refusals', 'Отказы'),
    weekly: both('Weekly', 'Неделя'),
    correlation: both('Correlation', 'Корреляция'),
    load: both('Load', 'Нагрузка'),
    deals: both('Deals', 'Сделки'),
    reconciliation: both('Reconciliation', 'Сверка с CRM'),
  },
  weekly,
  dealList,
  definitions,
  csv: both('Download as CSV', 'Скачать CSV'),
  funnel: both('Funnel', 'Воронка'),
  nobody: both('without a manager', 'без менеджера'),
  week: template('Week from {}', 'Неделя с {}'),
  unfinished: both('not a whole week', 'неполная неделя'),
  newRules: both('new rules', 'новые правила'),
  ofAll: template('{} of {}', '{} из {}'),
  coverage: {
    calls: counted('Rests on {} {call|calls}', 'Основано на звонках: {}'),
    callsOfAll: counted('In all funnels together {} {call|calls}', 'Во всех воронках вместе звонков {}'),
    checked: counted('{} {has|have} a score', 'с оценкой {}'),
    linked: counted('{} {belongs|belong} to a deal', 'со сделкой {}'),
  },
  cards: {
    calls: both('Calls', 'Звонки'),
    checked: both('With a score', 'С оценкой'),
    score: both('Mean score', 'Средняя оценка'),
    met: both('Rules met', 'Правил выполнено'),
    won: both('Won', 'Выиграно'),
    lost: both('Lost', 'Проиграно'),
    winRate: both('Won of closed', 'Выиграно из закрытых'),
    cohort: both('Won of new', 'Выиграно из новых'),
    amount: both('Amount won', 'Сумма выигранных'),
    cycle: both('Days to win, median', 'Дней до выигрыша, медиана'),
    callsBefore: both('Calls before closing, median', 'Звонков до закрытия, медиана'),
    silent: both('Silent deals', 'Забытые сделки'),
    used: both('Deals compared', 'Сделок сравнено'),
    share: both('Won deal scores higher', 'У выигранной оценка выше'),
    pooled: both('Whoever called', 'Без учёта менеджера'),
  },
  immature: both('many are still open', 'многие ещё открыты'),
  silentNote: both('no call for 14 days', 'нет звонков 14 дней'),
  tables: {
    weeks: both('Weeks', 'Недели'),
    managers: both('Managers', 'Менеджеры'),
    rules: both('Rules', 'Правила'),
    heat: both('Managers by rules', 'Менеджеры по правилам'),
    funnels: both('Funnels', 'Воронки'),
    silent: both('Silent longest', 'Дольше всего без звонка'),
    reasons: both('Reasons', 'Причины'),
    objections: both('Said by clients of lost deals', 'Что говорили клиенты проигранных сделок'),
    stages: both('Last stage before', 'Последняя стадия перед отказом'),
    calls: both('Calls before', 'Звонков до отказа'),
    bands: both('Won by mean score', 'Доля выигранных по средней оценке'),
    checks: both('What else might explain it', 'Что ещё может это объяснять'),
  },
  columns: {
    week: both('Week', 'Неделя'),
    manager: both('Manager', 'Менеджер'),
    rule: both('Rule', 'Правило'),
    funnel: both('Funnel', 'Воронка'),
    deal: both('Deal', 'Сделка'),
    stage: both('Stage', 'Стадия'),
    reason: both('Reason', 'Причина'),
    label: both('What was said', 'Что было сказано'),
    missed: both('Missed', 'Не выполнено'),
    share: both('Share', 'Доля'),
    weak: both('Weak managers', 'Слабых менеджеров'),
    amount: both('Amount', 'Сумма'),
    lastCall: both('Last call', 'Последний звонок'),
    noReason: both('No reason', 'Без причины'),
    unlike: both('Unlike the others', 'Не как у других'),
    score: both('Score', 'Оценка'),
    deals: both('Deals', 'Сделки'),
    pairs: both('Pairs', 'Пары'),
    with: both('Deals with it', 'Сделок с ним'),
    without: both('Deals without', 'Сделок без него'),
    difference: both('Won more often by', 'Выиграны чаще на'),
    sure: both('Share of chance finds', 'Доля случайных'),
    check: both('Compared', 'Сравнение'),
  },
  charts: {
    calls: both('Calls per week', 'Звонки по неделям'),
    score: both('Mean score per week', 'Средняя оценка по неделям'),
    closed: both('Deals closed per week', 'Закрытые сделки по неделям'),
    pairs: both(
      'In how many of 100 pairs the won deal scores higher',
      'В скольких из 100 пар оценка выше у выигранной сделки',
    ),
    half: both('50: scores know nothing of the outcome', '50: оценки ничего не говорят об исходе'),
    interval: both('where the true value may well lie', 'где вполне может лежать истинное значение'),
  },
  systemic: both('a matter of the rule or the training', 'дело в правиле или обучении'),
  noReason: both('no reason given', 'причина не указана'),
  unknownStage: both('unknown', 'неизвестно'),
  never: both('never', 'не было'),
  empty: both('Nothing in this period.', 'За этот период ничего нет.'),
  noDeals: both(
    'Deals come from the CRM. None of them was closed in this period.',
    'Сделки приходят из CRM. За этот период ни одна не закрыта.',
  ),
  unlike: template('{}: {}, others {}', '{}: {}, у других {}'),
  points: template('{} points', '{} п. п.'),
  verdicts: {
    tooFew: both(
      (used: string) =>
        `Too few deals to say anything: ${used}. It takes 100 closed deals of managers who have won and lost some, 20 won and 20 lost.`,
      (used) =>
        `Слишком мало сделок, чтобы что-то сказать: ${used}. Нужно 100 закрытых сделок менеджеров, у которых есть и выигранные, и проигранные, по 20 тех и других.`,
    ),
    noInterval: both(
      'The deals are too unlike each other for an interval.',
      'Сделки слишком разные, чтобы оценить точность.',
    ),
    higher: both(
      (of100: string, span: string) =>
        `Won deals tend to have higher-scored calls: in about ${of100} of 100 pairs of one manager (${span}). This does not show that raising scores raises sales.`,
      (of100, span) =>
        `У выигранных сделок оценки звонков обычно выше: примерно в ${of100} из 100 пар одного менеджера (${span}). Это не значит, что с ростом оценок вырастут продажи.`,
    ),
    none: template(
      'No link visible; one weaker than {} of 100 pairs would usually be missed.',
      'Связи не видно; связь слабее {} из 100 пар обычно осталась бы незамеченной.',
    ),
    lower: both(
      (of100: string, span: string) =>
        `Lost deals score higher: check the rules. The won deal has the higher score in about ${of100} of 100 pairs (${span}).`,
      (of100, span) =>
        `У проигранных сделок оценки выше: проверьте правила. У выигранной оценка выше примерно в ${of100} из 100 пар (${span}).`,
    ),
  },
  explained: both(
    'A pair is a won and a lost deal of one manager in one funnel. At 50 of 100 scores know nothing of the outcome.',
    'Пара — выигранная и проигранная сделка одного менеджера в одной воронке. При 50 из 100 оценки ничего не говорят об исходе.',
  ),
  basis: {
    left: template('Closed deals not compared: {}', 'Закрытых сделок не сравнено: {}'),
    why: {
      noScore: template('{} without a scored call before the end', '{} без звонка с оценкой до закрытия'),
      otherSet: template('{} scored by other rule sets ({})', '{} с оценками по другим наборам правил ({})'),
      otherVersion: template(
        '{} scored by other versions of this rule set',
        '{} с оценками по другим версиям этого набора',
      ),
      oneSided: template('{} of managers who have only won or only lost', '{} у менеджеров с одним только исходом'),
    },
    void: both(
      (empty: string, resamples: string) => `${empty} of ${resamples} resamples of the deals have no pair.`,
      (empty, resamples) => `Случайных выборок сделок ${resamples}, из них без пар ${empty}.`,
    ),
    rules: template('Scores by {}.', 'Оценки: {}.'),
    interval: both(
      (level: string, resamples: string, empty: string) =>
        `Interval of ${level} from ${resamples} resamples of the deals, ${empty} of them without a pair.`,
      (level, resamples, empty) => `Интервал ${level}: случайных выборок сделок ${resamples}, из них без пар ${empty}.`,
    ),
  },
  differs: both(
    'Without regard to the manager the figure is another: who calls explains a part of it.',
    'Без учёта менеджера число другое: часть объясняется тем, кто звонит.',
  ),
  scoredBy: both('Scores by', 'Оценки по'),
  version: template('“{}”, version {}', '«{}», версия {}'),
  quoted: template('“{}”', '«{}»'),
  mostCalls: both('most calls', 'больше всего звонков'),
  versionOf: both(
    (version: string, n: number, calls: string) => `${version}: ${calls} ${formEn(n, 'call', 'calls')}`,
    (version, n, calls) => `${version}: ${calls} ${formRu(n, 'звонок', 'звонка', 'звонков')}`,
  ),
  otherScores: both(
    (now: string, before: string) =>
      `The scores are now by ${now}. Last time this report compared scores by ${before}.`,
    (now, before) => `Теперь отчёт сравнивает оценки по набору ${now}. В прошлый раз — по набору ${before}.`,
  ),
  checks: {
    main: both('All calls', 'Все звонки'),
    last: both('Without the last call of each deal', 'Без последнего звонка сделки'),
    talk: both('Deals talked about for as long', 'Сделки с похожей длиной звонков'),
  },
}
