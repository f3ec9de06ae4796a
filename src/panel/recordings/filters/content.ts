import { VERDICTS } from '../../../check/checks/values.ts'
import { defineWordMap, text } from '../../frame/words/translation.ts'
import type { CallFilter } from './filter.ts'

/** Searches in transcripts. The page shows the value in a field of its own instead of a chip. */
export const searchPanelFilter: CallFilter = {
  label: text('Search', 'Поиск'),
  check: (value, { rules }) => value.length > 500 && rules.maxLength('500'),
  chip: () => '',
}

export const noSpeechPanelFilter: CallFilter = {
  label: text('Speech', 'Речь'),
  audit: text('without speech', 'без речи'),
  values: text({ true: 'No speech', false: 'With speech' }, { true: 'Без речи', false: 'С речью' }),
}

const verdicts = defineWordMap({
  met: text('met', 'выполнено'),
  missed: text('missed', 'не выполнено'),
  judged: text('determined', 'определено'),
  not_applicable: text('not applicable', 'неприменимо'),
  unknown: text('not determined', 'не определено'),
})
const RULE_PATTERN = new RegExp(`^[^/:]{1,80}/[^/:]{1,80}(:(${[...VERDICTS, 'judged'].join('|')}))?$`)

export const rulePanelFilter: CallFilter = {
  label: text('Rule', 'Правило'),
  check: (value, { invalid }) => !RULE_PATTERN.test(value) && invalid.rule,
  chip(value, { code, ruleName }) {
    const [name = '', verdict = 'missed'] = value.split(':')
    return `${rulePanelFilter.label[code]}: ${ruleName ?? name.split('/')[1]}, ${verdicts[verdict]![code]}`
  },
}

export const linkedDealPanelFilter: CallFilter = {
  label: text('With a deal', 'Со сделкой'),
  values: text({ true: 'With a deal', false: 'Without a deal' }, { true: 'Со сделкой', false: 'Без сделки' }),
  chip: (value, { code }) => linkedDealPanelFilter.values![code][value]!,
}

export const dealPanelFilter: CallFilter = {
  label: text('Deal', 'Сделка'),
  check: (value, { rules }) => !/^[1-9]\d{0,14}$/.test(value) && rules.number,
  field: { maxlength: 15, inputmode: 'numeric' },
}
