import { VERDICTS } from '../../../check/checks/values.ts'
import { both } from '../../frame/words/translation.ts'
import { choice, type Filter } from './filter.ts'

/** The search stands in its own field, not among the chips. */
export const q: Filter = {
  label: both('Search', 'Поиск'),
  check: (value, { rules }) => value.length > 500 && rules.maxLength('500'),
  chip: false,
}

export const noSpeech = choice(
  both('Speech', 'Речь'),
  both({ true: 'No speech', false: 'With speech' }, { true: 'Речи нет', false: 'Речь есть' }),
  { audit: both('without speech', 'без речи') },
)

const verdicts = both<Record<string, string>>(
  { met: 'met', missed: 'missed', judged: 'judged', not_applicable: 'does not apply', unknown: 'unknown' },
  {
    met: 'выполнено',
    missed: 'не выполнено',
    judged: 'выполнено или нет',
    not_applicable: 'не относится',
    unknown: 'неизвестно',
  },
)
const RULE = new RegExp(`^[^/:]{1,80}/[^/:]{1,80}(:(${[...VERDICTS, 'judged'].join('|')}))?$`)

export const rule: Filter = {
  label: both('Rule', 'Правило'),
  check: (value, { invalid }) => !RULE.test(value) && invalid.rule,
  chip(value, _, { code }) {
    const [name = '', verdict = 'missed'] = value.split(':')
    return { text: `${rule.label[code]}: ${name.split('/')[1]}, ${verdicts[code][verdict]}` }
  },
}
