import { pluralTemplate } from '../frame/words/grammar.ts'
import { text, textTemplate } from '../frame/words/translation.ts'

/** Sentences at the top of each report, which summarize its result. */
export const reportLeadWords = {
  sales: textTemplate('{} won, {} lost. Win rate: {}.', 'Выиграно: {}, проиграно: {}. Доля выигранных: {}.'),
  fewDeals: pluralTemplate(
    '{} closed {deal|deals}: too few to compare.',
    '{} {закрытая сделка|закрытые сделки|закрытых сделок} — слишком мало для сравнения.',
  ),
  silent: pluralTemplate(
    '{} open {deal has|deals have} had no call for 14 days.',
    'Без звонков 14 дней: {} {открытая сделка|открытые сделки|открытых сделок}.',
  ),
  mostMissed: textTemplate(
    'The rule missed most often is “{}”: met in {} ({}).',
    'Чаще всего не выполняют правило «{}»: выполнено в {} звонков ({}).',
  ),
  lowestManager: textTemplate('Lowest average score: {}, {}.', 'Самая низкая средняя оценка: {}, {}.'),
  fewCalls: pluralTemplate(
    '{} {call|calls} with a score: too few to compare.',
    '{} {звонок|звонка|звонков} с оценкой — слишком мало для сравнения.',
  ),
  noRuleMissed: text('No rule stands out.', 'Ни одно правило не выделяется.'),
  lost: pluralTemplate(
    '{} {deal|deals} lost, most often because of “{}” ({}).',
    '{} {проигранная сделка|проигранные сделки|проигранных сделок}. Самая частая причина: «{}» ({}).',
  ),
  lostOftenUnnamed: pluralTemplate(
    '{} {deal|deals} lost, {} without a reason. The reason named most often: “{}” ({}).',
    '{} {проигранная сделка|проигранные сделки|проигранных сделок}, без причины: {}. Чаще всего называют «{}» ({}).',
  ),
  lostWithoutReason: pluralTemplate(
    '{} {deal|deals} lost, all without a reason.',
    '{} {проигранная сделка|проигранные сделки|проигранных сделок}, причина нигде не указана.',
  ),
  fewLost: pluralTemplate(
    '{} lost {deal|deals}: too few to compare.',
    '{} {проигранная сделка|проигранные сделки|проигранных сделок} — слишком мало для сравнения.',
  ),
  volume: pluralTemplate(
    '{} {call|calls} transcribed, {} failed.',
    '{} {звонок распознан|звонка распознано|звонков распознано}, не распознано: {}.',
  ),
  meanWait: textTemplate('Average wait: {}.', 'Среднее ожидание: {}.'),
  changedRule: {
    fewer: textTemplate(
      ', mostly because fewer calls met “{}”: {} instead of {}',
      ', в основном из-за правила «{}»: выполнено в {} звонков, неделей раньше — {}',
    ),
    more: textTemplate(
      ', mostly because more calls met “{}”: {} instead of {}',
      ', в основном благодаря правилу «{}»: выполнено в {} звонков, неделей раньше — {}',
    ),
  },
  week: {
    fell: textTemplate(
      'The average score fell from {} to {}, below its usual {}',
      'Средняя оценка снизилась с {} до {} — ниже обычных {}',
    ),
    rose: textTemplate(
      'The average score rose from {} to {}, above its usual {}',
      'Средняя оценка выросла с {} до {} — выше обычных {}',
    ),
    steady: textTemplate('The average score was {}, usually {}.', 'Средняя оценка — {}, обычно {}.'),
    names: { won: text('Deals won', 'Выиграно сделок'), lost: text('Deals lost', 'Проиграно сделок') },
    running: pluralTemplate('{} {call|calls} so far.', 'Пока {} {звонок|звонка|звонков}.'),
    runningScore: textTemplate('Average score: {}.', 'Средняя оценка: {}.'),
    empty: text('No calls this week.', 'На этой неделе звонков нет.'),
    latest: textTemplate('Latest week with calls: {}', 'Последняя неделя со звонками: {}'),
    until: textTemplate('until {}', '{}'),
    days: text(
      ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
      ['по понедельник', 'по вторник', 'по среду', 'по четверг', 'по пятницу', 'по субботу', 'по воскресенье'],
    ),
    trend: text('12 weeks', '12 недель'),
    usualRange: text('Usual', 'Обычно'),
    inPlainWords: text('In plain words', 'Простыми словами'),
  },
}

/** Phrases that explain whether a figure can be chance, instead of a probability. */
export const chanceWords = {
  asUsual: text('as usual', 'как обычно'),
  above: text('above usual', 'выше обычного'),
  below: text('below usual', 'ниже обычного'),
  could: text('possibly chance', 'возможно, случайность'),
  hardly: text('unlikely to be chance', 'вряд ли случайность'),
  fewCalls: text('too few calls to compare', 'слишком мало звонков'),
  fewDeals: text('too few deals to compare', 'слишком мало сделок'),
  fewWeeks: text('too few weeks to compare', 'слишком мало недель'),
  probability: textTemplate(
    'By chance alone, {} of weeks deviate this much.',
    'Случайно так же отклоняются {} недель.',
  ),
  falseShare: textTemplate('Expected share of false alarms: {}', 'Доля случайных отклонений: {}'),
  column: text('Chance', 'Случайность'),
}

export const heatMapWords = {
  about: text('Share of calls that met the rule, %', 'Доля звонков, где правило выполнено, %'),
  legend: text(
    'Points above or below the average of all managers:',
    'Отклонение от среднего по всем менеджерам, п. п.:',
  ),
  steps: text(
    ['25+ below', '15–25', '5–15', 'within 5', '5–15', '15–25', '25+ above'],
    ['ниже на 25+', '15–25', '5–15', 'до 5', '5–15', '15–25', 'выше на 25+'],
  ),
  few: text('· fewer than five calls, not compared', '· меньше пяти звонков, без сравнения'),
  fewShort: text('fewer than five calls', 'меньше пяти звонков'),
  added: pluralTemplate(
    'Current figures, with {} {call|calls} added since the report.',
    'Текущие данные: после составления отчёта {добавлен|добавлены|добавлено} {} {звонок|звонка|звонков}.',
  ),
  changed: text(
    'Current figures: calls or verdicts have changed since the report.',
    'Текущие данные: после составления отчёта изменились звонки или вердикты.',
  ),
  all: text('All', 'Все'),
  cell: textTemplate('{}, {}: {}, {}', '{}, {}: {}, {}'),
  above: pluralTemplate('{} {point|points} above average', 'на {} п. п. выше, чем у всех'),
  below: pluralTemplate('{} {point|points} below average', 'на {} п. п. ниже, чем у всех'),
  same: text('same as average', 'как у всех'),
  keys: text(
    'Arrow keys move between cells. Enter opens the calls.',
    'Стрелки — переход по ячейкам, Enter — список звонков.',
  ),
  failed: text('This part could not be calculated.', 'Эта часть отчёта не посчитана из-за ошибки.'),
}

/** Names of the report groups, shown as tabs. Their order is the order of the tabs. */
export const reportGroupWords = {
  week: text('Week', 'Неделя'),
  quality: text('Quality', 'Качество'),
  sales: text('Sales', 'Продажи'),
  operations: text('Operations', 'Обработка'),
}
