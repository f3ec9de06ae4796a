import { formEn, formRu, counted } from '../frame/words/grammar.ts'
import { text, template } from '../frame/words/translation.ts'
import { weekly } from './weekly-words.ts'

/** Definitions of the figures, at the end of each report. */
const definitions = {
  closed: text(
    'A deal counts on the day it was last closed. A later change of the reason does not move it.',
    'Сделка относится ко дню, когда её закрыли в последний раз. Если позже сменить причину, этот день не изменится.',
  ),
  gone: text(
    'Deals that were merged or deleted in the CRM leave the reports within eight days.',
    'Объединённые и удалённые в CRM сделки уходят из отчётов в течение восьми дней.',
  ),
  silent: text(
    'A deal is silent if nobody has called about it or called its client for 14 days. Calls without a recording count too.',
    'Сделка забыта, если 14 дней не было звонков ни по ней, ни её клиенту. Звонки без записи тоже считаются.',
  ),
  noReason: text(
    '“No reason given” covers stages whose name only says that the deal was lost.',
    '«Причина не указана» — это стадии, название которых говорит только о том, что сделка проиграна.',
  ),
  objections: text(
    '“What clients said” shows shares of the lost deals that have a call with a score.',
    '«Что говорили клиенты» — доли от проигранных сделок, у которых есть звонок с оценкой.',
  ),
  unlike: text(
    'A reason is unlike the others if its share differs from theirs by more than chance explains. Only managers with at least 20 lost deals are compared.',
    'Причина «не как у других», если её доля отличается от доли у остальных сильнее, чем бывает случайно. Сравниваются менеджеры, у которых не меньше 20 проигранных сделок.',
  ),
}

/** The deals behind the figures of reports. */
const dealList = {
  by: text('Which', 'Какие'),
  bys: text(
    { closed: 'closed', created: 'made', silent: 'silent now' },
    { closed: 'закрытые', created: 'созданные', silent: 'забытые сейчас' },
  ),
  outcome: text('Outcome', 'Исход'),
  outcomes: text({ open: 'open', won: 'won', lost: 'lost' }, { open: 'открыта', won: 'выиграна', lost: 'проиграна' }),
  anyOutcome: text('any', 'любой'),
  total: counted('{} {deal|deals}', '{} {сделка|сделки|сделок}'),
  none: text('No deals match.', 'Таких сделок нет.'),
  columns: text(
    { outcome: 'Outcome', created: 'Made', closed: 'Closed', calls: 'Calls' },
    { outcome: 'Исход', created: 'Создана', closed: 'Закрыта', calls: 'Звонки' },
  ),
  chips: {
    reason: text('Reason', 'Причина'),
    before: text('Stage before', 'Стадия перед отказом'),
    calls: text('Calls before', 'Звонков до закрытия'),
    said: text('Said', 'Сказано'),
    currency: text('Amount in', 'Сумма в'),
    compared: text('Scores and sales', 'Оценки и продажи'),
    scoreFrom: text('Mean score from', 'Средняя оценка от'),
    scoreBelow: text('Mean score below', 'Средняя оценка ниже'),
    scoredBy: text('Scores by', 'Оценки по'),
    talker: text('Talked most', 'Говорил больше всех'),
  },
  isCompared: text({ true: 'compared', false: 'not compared' }, { true: 'сравниваются', false: 'не сравниваются' }),
  without: text('none', 'нет'),
}

/** Reports about managers and sales. */
export const analytics = {
  title: text('Reports', 'Отчёты'),
  reports: {
    sales: text('Sales', 'Продажи'),
    quality: text('Quality', 'Качество'),
    refusals: text('Refusals', 'Отказы'),
    weekly: text('Weekly', 'Неделя'),
    correlation: text('Correlation', 'Корреляция'),
    load: text('Load', 'Нагрузка'),
    deals: text('Deals', 'Сделки'),
    reconciliation: text('Reconciliation', 'Сверка с CRM'),
  },
  weekly,
  dealList,
  definitions,
  csv: text('Download as CSV', 'Скачать CSV'),
  funnel: text('Funnel', 'Воронка'),
  nobody: text('without a manager', 'без менеджера'),
  week: template('Week from {}', 'Неделя с {}'),
  unfinished: text('not a whole week', 'неполная неделя'),
  newRules: text('new rules', 'новые правила'),
  ofAll: template('{} of {}', '{} из {}'),
  coverage: {
    calls: counted('Rests on {} {call|calls}', 'Основано на звонках: {}'),
    callsOfAll: counted('In all funnels together {} {call|calls}', 'Во всех воронках вместе звонков {}'),
    checked: counted('{} {has|have} a score', 'с оценкой {}'),
    linked: counted('{} {belongs|belong} to a deal', 'со сделкой {}'),
  },
  cards: {
    calls: text('Calls', 'Звонки'),
    checked: text('With a score', 'С оценкой'),
    score: text('Mean score', 'Средняя оценка'),
    met: text('Rules met', 'Правил выполнено'),
    won: text('Won', 'Выиграно'),
    lost: text('Lost', 'Проиграно'),
    winRate: text('Won of closed', 'Выиграно из закрытых'),
    cohort: text('Won of new', 'Выиграно из новых'),
    amount: text('Amount won', 'Сумма выигранных'),
    cycle: text('Days to win, median', 'Дней до выигрыша, медиана'),
    callsBefore: text('Calls before closing, median', 'Звонков до закрытия, медиана'),
    silent: text('Silent deals', 'Забытые сделки'),
    used: text('Deals compared', 'Сделок сравнено'),
    share: text('Won deal scores higher', 'У выигранной оценка выше'),
    pooled: text('Whoever called', 'Без учёта менеджера'),
  },
  immature: text('many are still open', 'многие ещё открыты'),
  silentNote: text('no call for 14 days', 'нет звонков 14 дней'),
  tables: {
    weeks: text('Weeks', 'Недели'),
    managers: text('Managers', 'Менеджеры'),
    rules: text('Rules', 'Правила'),
    heat: text('Managers by rules', 'Менеджеры по правилам'),
    funnels: text('Funnels', 'Воронки'),
    silent: text('Silent longest', 'Дольше всего без звонка'),
    reasons: text('Reasons', 'Причины'),
    objections: text('Said by clients of lost deals', 'Что говорили клиенты проигранных сделок'),
    stages: text('Last stage before', 'Последняя стадия перед отказом'),
    calls: text('Calls before', 'Звонков до отказа'),
    bands: text('Won by mean score', 'Доля выигранных по средней оценке'),
    checks: text('What else might explain it', 'Что ещё может это объяснять'),
  },
  columns: {
    week: text('Week', 'Неделя'),
    manager: text('Manager', 'Менеджер'),
    rule: text('Rule', 'Правило'),
    funnel: text('Funnel', 'Воронка'),
    deal: text('Deal', 'Сделка'),
    stage: text('Stage', 'Стадия'),
    reason: text('Reason', 'Причина'),
    label: text('What was said', 'Что было сказано'),
    missed: text('Missed', 'Не выполнено'),
    share: text('Share', 'Доля'),
    weak: text('Weak managers', 'Слабых менеджеров'),
    amount: text('Amount', 'Сумма'),
    lastCall: text('Last call', 'Последний звонок'),
    noReason: text('No reason', 'Без причины'),
    unlike: text('Unlike the others', 'Не как у других'),
    score: text('Score', 'Оценка'),
    deals: text('Deals', 'Сделки'),
    pairs: text('Pairs', 'Пары'),
    with: text('Deals with it', 'Сделок с ним'),
    without: text('Deals without', 'Сделок без него'),
    difference: text('Won more often by', 'Выиграны чаще на'),
    sure: text('Share of chance finds', 'Доля случайных'),
    check: text('Compared', 'Сравнение'),
  },
  charts: {
    calls: text('Calls per week', 'Звонки по неделям'),
    score: text('Mean score per week', 'Средняя оценка по неделям'),
    closed: text('Deals closed per week', 'Закрытые сделки по неделям'),
    pairs: text(
      'In how many of 100 pairs the won deal scores higher',
      'В скольких из 100 пар оценка выше у выигранной сделки',
    ),
    half: text('50: scores know nothing of the outcome', '50: оценки ничего не говорят об исходе'),
    interval: text('where the true value may well lie', 'где вполне может лежать истинное значение'),
  },
  systemic: text('a matter of the rule or the training', 'дело в правиле или обучении'),
  noReason: text('no reason given', 'причина не указана'),
  unknownStage: text('unknown', 'неизвестно'),
  never: text('never', 'не было'),
  empty: text('Nothing in this period.', 'За этот период ничего нет.'),
  noDeals: text(
    'Deals come from the CRM. None of them was closed in this period.',
    'Сделки приходят из CRM. За этот период ни одна не закрыта.',
  ),
  unlike: template('{}: {}, others {}', '{}: {}, у других {}'),
  points: template('{} points', '{} п. п.'),
  verdicts: {
    tooFew: template(
      'Too few deals to say anything: {}. It takes 100 closed deals of managers who have won and lost some, 20 won and 20 lost.',
      'Слишком мало сделок, чтобы что-то сказать: {}. Нужно 100 закрытых сделок менеджеров, у которых есть и выигранные, и проигранные, по 20 тех и других.',
    ),
    noInterval: text(
      'The deals are too unlike each other for an interval.',
      'Сделки слишком разные, чтобы оценить точность.',
    ),
    higher: template(
      'Won deals tend to have higher-scored calls: in about {} of 100 pairs of one manager ({}). This does not show that raising scores raises sales.',
      'У выигранных сделок оценки звонков обычно выше: примерно в {} из 100 пар одного менеджера ({}). Это не значит, что с ростом оценок вырастут продажи.',
    ),
    none: template(
      'No link visible; one weaker than {} of 100 pairs would usually be missed.',
      'Связи не видно; связь слабее {} из 100 пар обычно осталась бы незамеченной.',
    ),
    lower: template(
      'Lost deals score higher: check the rules. The won deal has the higher score in about {} of 100 pairs ({}).',
      'У проигранных сделок оценки выше: проверьте правила. У выигранной оценка выше примерно в {} из 100 пар ({}).',
    ),
  },
  explained: text(
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
    void: text(
      (empty: string, resamples: string) => `${empty} of ${resamples} resamples of the deals have no pair.`,
      (empty, resamples) => `Случайных выборок сделок ${resamples}, из них без пар ${empty}.`,
    ),
    rules: template('Scores by {}.', 'Оценки: {}.'),
    interval: template(
      'Interval of {} from {} resamples of the deals, {} of them without a pair.',
      'Интервал {}: случайных выборок сделок {}, из них без пар {}.',
    ),
  },
  differs: text(
    'Without regard to the manager the figure is another: who calls explains a part of it.',
    'Без учёта менеджера число другое: часть объясняется тем, кто звонит.',
  ),
  scoredBy: text('Scores by', 'Оценки по'),
  version: template('“{}”, version {}', '«{}», версия {}'),
  quoted: template('“{}”', '«{}»'),
  mostCalls: text('most calls', 'больше всего звонков'),
  versionOf: text(
    (version: string, n: number, calls: string) => `${version}: ${calls} ${formEn(n, 'call', 'calls')}`,
    (version, n, calls) => `${version}: ${calls} ${formRu(n, 'звонок', 'звонка', 'звонков')}`,
  ),
  otherScores: template(
    'The scores are now by {}. Last time this report compared scores by {}.',
    'Теперь отчёт сравнивает оценки по набору {}. В прошлый раз — по набору {}.',
  ),
  checks: {
    main: text('All calls', 'Все звонки'),
    last: text('Without the last call of each deal', 'Без последнего звонка сделки'),
    talk: text('Deals talked about for as long', 'Сделки с похожей длиной звонков'),
  },
}
