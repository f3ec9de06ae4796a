import { text } from '../../frame/words/translation.ts'
import { checkLine, type Filter } from './filter.ts'

export const status: Filter = {
  label: text('Status', 'Статус'),
  // In the order in which people look for them.
  values: text(
    { DONE: 'Done', PROCESSING: 'Transcribing', QUEUED: 'Queued', FAILED: 'Failed', CANCELLED: 'Cancelled' },
    { DONE: 'Готовы', PROCESSING: 'Распознаются', QUEUED: 'В очереди', FAILED: 'Не распознаны', CANCELLED: 'Отменены' },
  ),
  check(value, { rules }) {
    const known = Object.keys(status.values!.en)
    return !value.split(',').every((one) => known.includes(one)) && rules.oneOf(known.join(', '))
  },
}

export const direction: Filter = {
  label: text('Direction', 'Направление'),
  values: text({ INBOUND: 'Incoming', OUTBOUND: 'Outgoing' }, { INBOUND: 'Входящие', OUTBOUND: 'Исходящие' }),
}

export const source: Filter = {
  label: text('Source', 'Источник'),
  values: text(
    { upload: 'Upload', url: 'Link', storage: 'Storage', inbox: 'Watched folder', crm: 'CRM' },
    { upload: 'Загрузка', url: 'Ссылка', storage: 'Хранилище', inbox: 'Папка загрузки', crm: 'CRM' },
  ),
}

export const phone: Filter = {
  label: text('Phone', 'Телефон'),
  check: (value, { rules }) => (value.length > 64 ? rules.maxLength('64') : !/\d/.test(value) && rules.digits),
  field: { type: 'tel', maxlength: 64 },
}

export const externalCallId: Filter = {
  label: text('Call ID', 'ID звонка'),
  check: checkLine,
  field: { maxlength: 255 },
}
