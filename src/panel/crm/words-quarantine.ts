import { text } from '../frame/words/translation.ts'

/** Rows of the CRM that cannot be stored. */
export const quarantine = {
  title: text('Quarantine', 'Карантин'),
  about: text(
    'These rows cannot be stored. Correct them in the CRM, then choose “Forget position” for the step.',
    'Эти строки нельзя сохранить. Исправьте их в CRM, затем нажмите у шага «Забыть место».',
  ),
  row: text('Row', 'Строка'),
  noId: text('no id', 'без номера'),
  why: text('Reason', 'Причина'),
  value: text('Value', 'Значение'),
  seen: text('Last read', 'Прочитана'),
}
