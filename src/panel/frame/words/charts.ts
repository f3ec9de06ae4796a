import { text, template } from './translation.ts'

/** What a chart says to whoever does not see it. */
export const charts = {
  summary: template(
    '{}, {} to {}, at most {}. The numbers stand in the table.',
    '{}, с {} по {}, самое большее {}. Числа стоят в таблице.',
  ),
  between: template('between {} and {}', 'от {} до {}'),
  isOpen: text('striped: not over or not whole', 'в полоску: неполный период'),
}
