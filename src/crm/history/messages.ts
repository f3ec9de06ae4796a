import { defineMessages } from '../../platform/lib/messages.ts'

export const historyLoadMessages = defineMessages('history', {
  order: { en: 'must be after the start of the period', ru: 'Конец периода должен быть позже начала.' },
  notOn: { en: 'Turn on automation first', ru: 'Сначала включите автоматизацию.' },
  noRoster: { en: 'Apply the roster first', ru: 'Сначала примените список менеджеров.' },
  noEstimate: { en: 'Estimate not found', ru: 'Оценка не найдена.' },
  stale: { en: 'The estimate is older than a day. Create a new one', ru: 'Оценка старше суток. Оцените заново.' },
  refused: {
    en: 'This load would leave too little free disk space. Choose a shorter period',
    ru: 'Загрузка по этой оценке невозможна. Выберите период короче.',
  },
  used: { en: 'A load from this estimate has already started', ru: 'Загрузка по этой оценке уже началась.' },
  another: { en: 'Another load is still running', ru: 'Ещё выполняется другая загрузка.' },
  noLoad: { en: 'Load not found', ru: 'Загрузка не найдена.' },
  state: {
    en: 'A load that is {state} cannot be changed this way',
    ru: 'Статус загрузки изменился. Обновите страницу.',
  },
})
