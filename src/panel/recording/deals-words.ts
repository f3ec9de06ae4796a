import { text } from '../frame/words/translation.ts'

/** The deals of a call, on its page. */
export const deals = {
  title: text('Deals', 'Сделки'),
  outcome: text({ open: 'open', won: 'won', lost: 'lost' }, { open: 'открыта', won: 'выиграна', lost: 'проиграна' }),
  linkedBy: text(
    { person: 'chosen by hand', activity: 'by the CRM', phone: 'by the phone' },
    { person: 'выбрано вручную', activity: 'по CRM', phone: 'по телефону' },
  ),
  none: text('No deal is known of this call.', 'Сделка этого звонка неизвестна.'),
  notRead: text(
    'The CRM links this call to a deal in a funnel that no department has, so it counts for no deal.',
    'В CRM звонок привязан к сделке из воронки, которой нет ни у одного отдела, поэтому он не учтён ни в одной сделке.',
  ),
  ambiguous: text(
    'It may be any of these deals: until somebody chooses, the call counts for none.',
    'Это может быть любая из этих сделок: пока никто не выбрал, звонок не учтён ни в одной.',
  ),
  choose: text('Choose', 'Выбрать'),
  which: text('Which deals it belongs to', 'К каким сделкам относится звонок'),
  other: text('Numbers of other deals', 'Номера других сделок'),
  otherHint: text('As in the CRM, separated by spaces.', 'Как в CRM, через пробел.'),
  chosen: text('The deals are saved.', 'Сделки сохранены.'),
}
