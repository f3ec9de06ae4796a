import { text, template } from './translation.ts'

/** What a chart says to whoever does not see it. */
export const charts = {
  summary: text(
    (title: string, from: string, to: string, most: string) =>
      `${title}, ${from} to ${to}, at most ${most}. The numbers stand in the table.`,
    (title, from, to, most) => `${title}, с ${from} по ${to}, самое большее ${most}. Числа стоят в таблице.`,
  ),
  between: template('between {} and {}', 'от {} до {}'),
  isOpen: text('striped: not over or not whole', 'в полоску: неполный период'),
}
