import { defineMessages } from '../../platform/lib/messages.ts'

export const modelMessages = defineMessages('model', {
  address: { en: 'The model cannot be reached: its address {rule}', ru: 'До модели не дойти: её адрес не годится.' },
  noAnswer: { en: 'The model did not answer: {reason}', ru: 'Модель не ответила.' },
  answered: { en: 'The model answered {status}', ru: 'Модель ответила кодом {status}.' },
  refused: { en: 'The model refused the request: HTTP {status}', ru: 'Модель отказала: код {status}.' },
  key: {
    en: 'The model refuses the key: check ANALYSIS_API_KEY',
    ru: 'Модель не принимает ключ: проверьте ANALYSIS_API_KEY.',
  },
  access: {
    en: 'The model refuses access: check ANALYSIS_API_KEY and what it may use',
    ru: 'Модель не даёт доступа: проверьте ANALYSIS_API_KEY и его права.',
  },
  notThere: {
    en: 'There is no such model or address: check ANALYSIS_BASE_URL and ANALYSIS_MODEL',
    ru: 'Такой модели или адреса нет: проверьте ANALYSIS_BASE_URL и ANALYSIS_MODEL.',
  },
  unheard: {
    en: 'The server stopped twice before the model had answered: it is not asked again by itself, because each answer may cost',
    ru: 'Сервер дважды остановился, не дождавшись ответа модели: сам он её больше не спрашивает, потому что каждый ответ может стоить денег.',
  },
  resting: {
    en: 'The model asked for a pause of {seconds} s: try again after it',
    ru: 'Модель попросила паузу {seconds} с: попробуйте после неё.',
  },
  extraRefused: {
    en: 'The model refuses the parameters of ANALYSIS_EXTRA_BODY ({names}): they are left out',
    ru: 'Модель не принимает параметры {names}: они не передаются.',
  },
})
