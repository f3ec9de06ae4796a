import { both } from '../frame/words/translation.ts'

/** Rows of the CRM that cannot be stored. */
export const quarantine = {
  title: both('Quarantine', 'Карантин'),
  about: both(
    'These rows cannot be stored. Correct them in the CRM, then choose “Forget position” for the step.',
    'Эти строки нельзя сохранить. Исправьте их в CRM, затем нажмите у шага «Забыть место».',
  ),
  row: both('Row', 'Строка'),
  noId: both('no id', 'без номера'),
  why: both('Reason', 'Причина'),
  value: both('Value', 'Значение'),
  seen: both('Last read', 'Прочитана'),
}
