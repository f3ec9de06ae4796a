import { both } from '../frame/words/translation.ts'

/** What figures count, at the end of their report. */
export const definitions = both(
  {
    closed:
      'A deal counts on the day on which it was closed for the last time. Another reason given later does not move it.',
    gone: 'Deals that were merged or deleted in the CRM leave the reports within eight days.',
    silent: 'A deal is silent if for 14 days nobody has called about it or called its client, recorded or not.',
    noReason: '“No reason given” stands for stages whose name only says that the deal was lost.',
    objections: 'What clients said is a share of the lost deals that have a call with a score.',
    unlike:
      'A reason is unlike the others if its share differs from theirs by more than chance explains, for managers with at least 20 lost deals.',
  },
  {
    closed:
      'Сделка относится ко дню, когда её закрыли в последний раз. Если позже сменить причину, этот день не изменится.',
    gone: 'Объединённые и удалённые в CRM сделки уходят из отчётов в течение восьми дней.',
    silent:
      'Забытая сделка — та, по которой 14 дней никто не звонил, в том числе её клиенту; считаются и звонки без записи.',
    noReason: '«Причина не указана» — это стадии, название которых говорит только о том, что сделка проиграна.',
    objections: 'Что говорили клиенты — доля от проигранных сделок, у которых есть звонок с оценкой.',
    unlike:
      'Причина «не как у других», если её доля отличается от доли у остальных сильнее, чем объяснила бы случайность; у менеджеров, проигравших не меньше 20 сделок.',
  },
)
