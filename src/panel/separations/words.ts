import { text, textTemplate } from '../frame/words/translation.ts'
import { formatTimeEstimateEn, formatTimeEstimateRu, selectPluralEn, selectPluralRu } from '../frame/words/grammar.ts'

export const separationWords = {
  title: text('Speakers', 'Собеседники'),
  intro: text(
    'Separates the speakers of past mono recordings by their voices. Calls are not transcribed again.',
    'Сервис различает собеседников по голосам в прошлых записях с одним каналом. Заново звонки не распознаются.',
  ),
  estimateTitle: text('Separation of speakers', 'Разделение собеседников'),
  estimated: text(
    (n: number, shown: string, seconds: number) =>
      `${shown} ${selectPluralEn(n, 'call', 'calls')} to separate, ${formatTimeEstimateEn(seconds)}. Checked calls are checked again.`,
    (n, shown, seconds) =>
      `Будет разделено: ${shown} ${selectPluralRu(n, 'звонок', 'звонка', 'звонков')}, ${formatTimeEstimateRu(seconds)}. Проверенные звонки проверяются снова.`,
  ),
  begun: text('Separation started.', 'Разделение запущено.'),
  cancelSure: text(
    'Stop the separation? Separated calls stay.',
    'Остановить разделение? Разделённые звонки останутся.',
  ),
  wasCancelled: text('Separation stopped.', 'Разделение остановлено.'),
  noCalls: text('No calls to separate in this period.', 'За этот период нет звонков для разделения.'),
  processed: text('Finished', 'Обработано'),
  failed: textTemplate('failed: {}', 'не разделены: {}'),
  emptyTitle: text('No separations yet', 'Разделений пока нет'),
  empty: text(
    'New mono recordings are separated if this is turned on in the check settings. Separate past calls here.',
    'Новые записи с одним каналом разделяются, если это включено в настройках проверки. Прошлые звонки разделите здесь.',
  ),
}
