import { defineMessages } from '../../platform/lib/messages.ts'

export const bulkActionMessages = defineMessages('bulkActions', {
  noBulkAction: { en: 'Bulk action not found', ru: 'Действие не найдено.' },
  ended: { en: 'The bulk action has already ended', ru: 'Действие уже завершено.' },
  tooMany: {
    en: 'You already have {limit} running bulk actions. Wait until one ends',
    ru: 'У вас уже выполняется действий: {limit}. Дождитесь окончания одного из них.',
  },
  filtersOrIds: { en: 'or ids must be given, but not both', ru: 'Укажите либо filters, либо ids.' },
})
