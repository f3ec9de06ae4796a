import { both } from '../../frame/words/translation.ts'
import { oneOf, type Filter } from './filter.ts'

const linkedTexts = both({ true: 'With a deal', false: 'Without a deal' }, { true: 'Со сделкой', false: 'Без сделки' })

export const linked: Filter = {
  label: both('With a deal', 'Со сделкой'),
  check: oneOf('true', 'false'),
  chip: (value, _, { code }) => ({ text: linkedTexts[code][value as 'true' | 'false'] }),
}

export const deal: Filter = {
  label: both('Deal', 'Сделка'),
  check: (value, { rules }) => !/^[1-9]\d{0,14}$/.test(value) && rules.number,
  field: { maxlength: 15, inputmode: 'numeric' },
}
