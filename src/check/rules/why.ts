import type { Language, Why } from './types.ts'

const range = (min: number | null, max: number | null, language: Language): string => {
  const [from, to] = language === 'ru' ? ['от', 'до'] : ['from', 'to']
  return [min === null ? '' : `${from} ${min}`, max === null ? '' : `${to} ${max}`].filter(Boolean).join(' ')
}

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

/** Why a verdict is what it is, as a sentence for people. */
export function sayWhy(why: Why, language: Language): string {
  const say = (english: string, russian: string) => (language === 'ru' ? russian : english)
  const where = ({ from, to }: { from?: number; to?: number }) =>
    from === undefined || to === undefined
      ? ''
      : say(` in ${clock(from)}–${clock(to)}`, `, искали в ${clock(from)}–${clock(to)}`)
  switch (why.code) {
    case 'found':
      return say(`Found: ${why.count}.`, `Найдено: ${why.count}.`)
    case 'notFound':
      return why.needed !== undefined
        ? say(
            `Found ${why.found ?? 0} of ${why.needed}${where(why)}.`,
            `Найдено ${why.found ?? 0} из ${why.needed}${where(why)}.`,
          )
        : say(`Not found${where(why)}.`, `Не найдено${where(why)}.`)
    case 'forbidden':
      return say(`Was said: ${why.count}.`, `Прозвучало: ${why.count}.`)
    case 'noAnchor':
      return say('There was no occasion for it in this call.', 'В этом звонке не было повода.')
    case 'noReply':
      return why.within === null
        ? say(`No answer followed${where(why)}.`, `Ответа не было${where(why)}.`)
        : say(
            `No answer within ${why.within} seconds${where(why)}.`,
            `Ответа не было в течение ${why.within} с${where(why)}.`,
          )
    case 'notInOrder':
      return say(
        `Step ${why.step} is missing or not in its place${where(why)}.`,
        `Шага ${why.step} нет или он не на своём месте${where(why)}.`,
      )
    case 'measured':
      return say(
        `${why.value}, expected ${range(why.min, why.max, 'en')}.`,
        `${why.value}, ожидалось ${range(why.min, why.max, 'ru')}.`,
      )
    case 'speakersUnknown':
      return say('One cannot tell who speaks.', 'Неизвестно, кто говорит.')
    case 'nothingSaid':
      return say('There is nothing to measure.', 'Нечего измерять.')
    case 'noAnswer':
      return say('The model has given no answer.', 'Модель не дала ответа.')
    default:
      return why.text
  }
}
