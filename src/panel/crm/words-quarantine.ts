import { both } from '../frame/words/translation.ts'

/** Rows of the CRM that cannot be stored. */
export const quarantine = {
  title: both('Quarantine', 'Карантин'),
  about: both(
    'These rows cannot be stored; all others are. Correct them in the CRM, then have the step forget its position.',
    'Эти строки нельзя сохранить, все остальные сохранены. Исправьте их в CRM, затем пусть шаг забудет место.',
  ),
  row: both('Row', 'Строка'),
  noId: both('no id', 'без номера'),
  why: both('Reason', 'Причина'),
  value: both('Value', 'Значение'),
  seen: both('Last read', 'Прочитана'),
}
