import { defineMessages } from '../../platform/lib/messages.ts'

export const historyMessages = defineMessages('history', {
  order: { en: 'must be after from', ru: 'Должно быть позже начала.' },
  notOn: { en: 'Enable the automatic mode first', ru: 'Сначала включите автоматику.' },
  noRoster: { en: 'Apply the roster of managers first', ru: 'Сначала отметьте менеджеров.' },
  noEstimate: { en: 'There is no such estimate', ru: 'Такой оценки нет.' },
  stale: { en: 'The estimate is older than a day. Make another one', ru: 'Оценка старше суток. Сделайте новую.' },
  refused: { en: 'The estimate was refused', ru: 'По этой оценке загружать нельзя.' },
  used: { en: 'The estimate was confirmed already', ru: 'По этой оценке уже загружают.' },
  another: { en: 'Another load has not ended yet', ru: 'Другая загрузка ещё не закончилась.' },
  noLoad: { en: 'There is no such load', ru: 'Такой загрузки нет.' },
  state: { en: 'A load that is {state} cannot be changed so', ru: 'Загрузка тем временем изменилась.' },
})
