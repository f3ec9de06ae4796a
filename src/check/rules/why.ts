import { currentLanguage } from '../../platform/lib/log.ts'
import { defineMessages, type Bilingual, type Message } from '../../platform/lib/messages.ts'
import type { Why } from './types.ts'

const messages = defineMessages('why', {
  found: { en: 'Found: {count}.', ru: 'Найдено: {count}.' },
  tooFew: { en: 'Found {found} of {needed}{window}.', ru: 'Найдено {found} из {needed}{window}.' },
  notFound: { en: 'Not found{window}.', ru: 'Не найдено{window}.' },
  forbidden: { en: 'Was said: {count}.', ru: 'Прозвучало: {count}.' },
  noAnchor: { en: 'There was no occasion for it in this call.', ru: 'В этом звонке не было повода.' },
  noReply: { en: 'No answer followed{window}.', ru: 'Ответа не было{window}.' },
  lateReply: {
    en: 'No answer within {seconds} seconds{window}.',
    ru: 'Ответа не было в течение {seconds} с{window}.',
  },
  notInOrder: {
    en: 'Step {step} is missing or not in its place{window}.',
    ru: 'Шага {step} нет или он не на своём месте{window}.',
  },
  measured: { en: '{value}, expected {range}.', ru: '{value}, ожидалось {range}.' },
  speakersUnknown: { en: 'One cannot tell who speaks.', ru: 'Неизвестно, кто говорит.' },
  nothingSaid: { en: 'There is nothing to measure.', ru: 'Нечего измерять.' },
  noAnswer: { en: 'The model has given no answer.', ru: 'Модель не дала ответа.' },
})

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

/** The searched part of the call; findings of earlier releases lack it for replies and orders. */
function windowOf({ from, to }: { from?: number; to?: number }): Bilingual {
  if (from === undefined || to === undefined) return { en: '', ru: '' }
  const span = `${clock(from)}–${clock(to)}`
  return { en: ` in ${span}`, ru: `, искали в ${span}` }
}

function rangeOf(min: number | null, max: number | null): Bilingual {
  const range = (from: string, to: string) =>
    [min !== null && `${from} ${min}`, max !== null && `${to} ${max}`].filter(Boolean).join(' ')
  return { en: range('from', 'to'), ru: range('от', 'до') }
}

/** How the kinds of rules write what they measure. */
const MEASURES: Record<string, (value: number) => Bilingual> = {
  talkShare: (value) => ({ en: `${value} % of the talk`, ru: `${value} % времени` }),
  longestSilence: (value) => ({ en: `${value} s of silence`, ru: `тишина ${value} с` }),
  pace: (value) => ({ en: `${value} words a minute`, ru: `${value} слов в минуту` }),
  interruptions: (value) => ({ en: `${value} times`, ru: `${value} раз` }),
  monologue: (value) => ({ en: `${value} s without a pause`, ru: `${value} с без остановки` }),
}

/** The reason for the verdict of a rule of this kind, as a sentence in the language of the request. */
export const formatWhy = (why: Why, kind: string): string =>
  why.code === 'model' ? why.text : messageOf(why, kind).in(currentLanguage())

function messageOf(why: Exclude<Why, { code: 'model' }>, kind: string): Message {
  switch (why.code) {
    case 'found':
    case 'forbidden':
      return messages[why.code]({ count: why.count })
    case 'notFound': {
      const { found = 0, needed } = why
      const window = windowOf(why)
      return needed === undefined ? messages.notFound({ window }) : messages.tooFew({ found, needed, window })
    }
    case 'noReply': {
      const window = windowOf(why)
      return why.within === null ? messages.noReply({ window }) : messages.lateReply({ seconds: why.within, window })
    }
    case 'notInOrder':
      return messages.notInOrder({ step: why.step, window: windowOf(why) })
    case 'measured':
      return messages.measured({ value: MEASURES[kind]?.(why.value) ?? why.value, range: rangeOf(why.min, why.max) })
    default:
      return messages[why.code]()
  }
}
