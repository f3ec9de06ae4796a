import { defineMessages } from '../../platform/lib/messages.ts'

export const modelMessages = defineMessages('model', {
  address: { en: 'The model cannot be reached: its address {rule}', ru: 'Модель недоступна: неверный адрес.' },
  noAnswer: { en: 'The model did not respond: {reason}', ru: 'Модель не ответила.' },
  answered: { en: 'The model responded with status {status}', ru: 'Модель вернула код {status}.' },
  refused: { en: 'The model rejected the request: HTTP {status}', ru: 'Модель отклонила запрос: код {status}.' },
  key: {
    en: 'The model rejects the key. Check ANALYSIS_API_KEY',
    ru: 'Модель не принимает ключ. Проверьте ANALYSIS_API_KEY.',
  },
  access: {
    en: 'The model denies access. Check ANALYSIS_API_KEY and its permissions',
    ru: 'Нет доступа к модели. Проверьте ANALYSIS_API_KEY и его права.',
  },
  notThere: {
    en: 'The model or address does not exist. Check ANALYSIS_BASE_URL and ANALYSIS_MODEL',
    ru: 'Такой модели или адреса нет. Проверьте ANALYSIS_BASE_URL и ANALYSIS_MODEL.',
  },
  unheard: {
    en: 'The worker stopped twice before the model responded. Start the check yourself: we do not retry automatically, because each request can cost money',
    ru: 'Сервер дважды остановился до ответа модели. Автоматически запрос не повторяется: каждый ответ может быть платным.',
  },
  resting: {
    en: 'The model’s rate limit has been reached. Try again in {seconds} s',
    ru: 'Достигнут лимит запросов к модели. Повторите через {seconds} с.',
  },
  extraRefused: {
    en: 'The model rejects the parameters {names} of ANALYSIS_EXTRA_BODY, so they are not sent',
    ru: 'Модель не принимает параметры ANALYSIS_EXTRA_BODY ({names}), поэтому они не передаются.',
  },
})
