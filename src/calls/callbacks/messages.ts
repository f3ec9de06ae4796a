import { defineMessages } from '../../platform/lib/messages.ts'

/** Error messages of callbacks, for the API and for the attempts of a delivery. */
export const callbackMessages = defineMessages('callbacks', {
  noDelivery: { en: 'Callback not found', ru: 'Уведомление не найдено.' },
  movedOn: {
    en: 'The call has changed, so this callback is out of date',
    ru: 'С тех пор звонок изменился, уведомление устарело.',
  },
  notSentAgain: {
    en: 'A callback that is {status} cannot be sent again',
    ru: 'Это уведомление нельзя отправить снова.',
  },
  workerDied: { en: 'the worker stopped during the delivery', ru: 'сервис остановился во время отправки' },
  broken: {
    en: 'the service could not send the callback; the log has the reason',
    ru: 'сервис не отправил уведомление: причина в журнале',
  },
  superseded: {
    en: 'the call has since been retried or cancelled',
    ru: 'с тех пор распознавание повторили или отменили',
  },
  answered: { en: 'the receiver responded with status {status}', ru: 'получатель вернул код {status}' },
  address: { en: 'the address {rule}', ru: '{rule}' },
  network: { en: 'no response ({code})', ru: 'нет ответа: {code}' },
  noAnswer: { en: 'no response within {seconds} seconds', ru: 'нет ответа за {seconds} с' },
})
