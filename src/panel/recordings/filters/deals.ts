import { text } from '../../frame/words/translation.ts'
import type { Filter } from './filter.ts'

export const linked: Filter = {
  label: text('With a deal', 'Со сделкой'),
  values: text({ true: 'With a deal', false: 'Without a deal' }, { true: 'Со сделкой', false: 'Без сделки' }),
  chip: (value, { code }) => linked.values![code][value]!,
}

export const deal: Filter = {
  label: text('Deal', 'Сделка'),
  check: (value, { rules }) => !/^[1-9]\d{0,14}$/.test(value) && rules.number,
  field: { maxlength: 15, inputmode: 'numeric' },
}
