import { defineMessages } from '../../platform/lib/messages.ts'

/** Errors of callbacks and their deliveries. */
export const callbackMessages = defineMessages('callbacks', {
  noDelivery: { en: 'There is no such delivery', ru: 'Такого уведомления нет.' },
  movedOn: {
    en: 'The recording has moved on since: what this delivery tells is not so any more',
    ru: 'Запись с тех пор изменилась: это уведомление устарело.',
  },
  notSentAgain: {
    en: 'A delivery that is {status} cannot be sent again',
    ru: 'Это уведомление нельзя отправить ещё раз.',
  },
  workerDied: { en: 'the worker stopped in the middle of the delivery', ru: 'сервис остановился посреди отправки' },
  broken: { en: 'the service could not send it', ru: 'сервис не смог отправить уведомление: причина — в его журнале' },
  superseded: { en: 'the recording was retried or cancelled since', ru: 'запись с тех пор повторили или отменили' },
  answered: { en: 'answered {status}', ru: 'получатель ответил кодом {status}' },
  address: { en: 'the address {rule}', ru: '{rule}' },
  network: { en: 'no answer ({code})', ru: 'нет ответа: {code}' },
  noAnswer: { en: 'no answer within {seconds} seconds', ru: 'нет ответа за {seconds} с' },
})
