import { text } from '../frame/words/translation.ts'

/** Definitions of the figures, at the end of each report. */
export const definitions = {
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
