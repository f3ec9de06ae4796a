import { isUuid } from '../../../platform/lib/ids.ts'
import { text } from '../../frame/words/translation.ts'
import { validateLineFilter, type CallFilter } from './filter.ts'

export const statusPanelFilter: CallFilter = {
  label: text('Status', 'Статус'),
  values: text(
    { DONE: 'Done', PROCESSING: 'Transcribing', QUEUED: 'Queued', FAILED: 'Failed', CANCELLED: 'Cancelled' },
    { DONE: 'Готовы', PROCESSING: 'Распознаются', QUEUED: 'В очереди', FAILED: 'Не распознаны', CANCELLED: 'Отменены' },
  ),
  check(value, { rules }) {
    const known = Object.keys(statusPanelFilter.values!.en)
    return !value.split(',').every((one) => known.includes(one)) && rules.oneOf(known.join(', '))
  },
}

export const directionPanelFilter: CallFilter = {
  label: text('Direction', 'Направление'),
  values: text({ INBOUND: 'Incoming', OUTBOUND: 'Outgoing' }, { INBOUND: 'Входящие', OUTBOUND: 'Исходящие' }),
}

export const sourcePanelFilter: CallFilter = {
  label: text('Source', 'Источник'),
  values: text(
    { upload: 'Upload', url: 'Link', storage: 'Storage', inbox: 'Watched folder', crm: 'CRM' },
    { upload: 'Загрузка', url: 'Ссылка', storage: 'Хранилище', inbox: 'Папка загрузки', crm: 'CRM' },
  ),
}

export const phonePanelFilter: CallFilter = {
  label: text('Phone', 'Телефон'),
  check: (value, { rules }) => (value.length > 64 ? rules.maxLength('64') : !/\d/.test(value) && rules.digits),
  field: { type: 'tel', maxlength: 64 },
}

export const externalCallIdPanelFilter: CallFilter = {
  label: text('Call ID', 'ID звонка'),
  check: validateLineFilter,
  field: { maxlength: 255 },
}

/** The largest number of call ids in an address. */
export const MAX_CALL_IDS_IN_URL = 100

/** Selects calls by their ids, such as the calls of one upload. */
export const callIdsPanelFilter: CallFilter = {
  label: text('Selected calls', 'Выбранные звонки'),
  check(value, { invalid }) {
    const calls = value.split(',')
    return !(calls.length <= MAX_CALL_IDS_IN_URL && calls.every(isUuid)) && invalid.ids
  },
  chip: (value, { code, format }) => `${callIdsPanelFilter.label[code]}: ${format.number(value.split(',').length)}`,
}
