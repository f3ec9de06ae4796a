import { inRussian, type Sayings } from '../frame/words/sayings.ts'

/** What the API says of queues. */
export const queueSayings: Sayings = {
  'queue.noQueue': inRussian('Такой очереди нет.'),
}
