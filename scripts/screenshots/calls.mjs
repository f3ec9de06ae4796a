/** Invented calls for the screenshots: talks between a manager and a client, equal in every run. */

const ENGLISH_DIALOGUES = [
  [
    [
      'Good afternoon, thank you for calling, my name is {manager}.',
      "Hello. I'd like to know the delivery terms for the order I placed on Monday.",
    ],
    [
      'Of course. Could you tell me the order number, please?',
      'Four one zero, twenty twenty six. It is for the flat on Lenin street, twelve.',
    ],
    [
      'Thank you, I see it. The delivery is planned for Thursday between ten and two. Does that suit you?',
      'Thursday is fine, but I need them to call me an hour before.',
    ],
    ['I have added that to the order. The driver will call you.', 'And is the installation on the same day?'],
    [
      'Yes, the installers come right after the delivery, it takes about three hours for four windows.',
      'Wonderful, thank you very much.',
    ],
  ],
  [
    ['Good morning, {manager} speaking.', 'I am returning your call, you wanted to tell me about the discount.'],
    [
      'Right. Until the end of the month five windows cost as much as four.',
      'We compared three offers and yours was not the cheapest.',
    ],
    [
      'Ours has the installation in it, and a guarantee of ten years.',
      'Send it to me by mail, then, and I will talk to my wife.',
    ],
  ],
  [
    ['{manager}, good afternoon.', 'Nobody called me yesterday, and the delivery was promised for five.'],
    ['I am very sorry. I am looking at it now: the car had a breakdown.', 'And when will it come?'],
    [
      'Tomorrow between nine and eleven, and the delivery is free of charge.',
      'All right. But please do call this time.',
    ],
  ],
  [
    ['Good day, this is {manager}. Is it a good moment to talk?', 'I have two minutes.'],
    ['The glass that you asked about is in stock, the delivery would be on Friday.', 'Good. What about the payment?'],
    ['Half in advance, half when it is installed. By card, if you like.', 'Let us do that.'],
  ],
]

const RUSSIAN_DIALOGUES = [
  [
    ['Добрый день, меня зовут {manager}, чем могу помочь?', 'Здравствуйте, меня интересует доставка окон в пригород.'],
    ['Конечно, подскажите, пожалуйста, адрес.', 'Посёлок Озерцо, улица Лесная, дом пять.'],
    ['Доставка туда по вторникам и пятницам, стоимость сорок рублей.', 'А установка в тот же день?'],
    ['Да, мастера приезжают вместе с машиной.', 'Отлично, тогда давайте на пятницу.'],
  ],
  [
    ['Здравствуйте, это {manager}. Вы оставляли заявку на балкон.', 'Да, но мы уже почти договорились с другими.'],
    ['Позвольте прислать расчёт, у нас до конца недели скидка.', 'Присылайте, я сравню.'],
  ],
]

const MANAGER_NAMES = {
  'Anna Kovaleva': 'Анна',
  'Daria Orlova': 'Дарья',
  'Ivan Sidorov': 'Иван',
  'Max Petrov': 'Максим',
}
const PHONE_PREFIXES = ['29', '33', '25', '44', '17']

/** Creates a generator of random numbers that are the same in every run (mulberry32). */
function createRandom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Generates `count` calls, newest first. The first nine include waiting, running and failed ones. */
export function generateCalls(count) {
  const next = createRandom(7)
  const pick = (list) => list[Math.floor(next() * list.length)]
  const states = ['DONE', 'PROCESSING', 'DONE', 'QUEUED', 'FAILED', 'DONE', 'PROCESSING', 'QUEUED', 'QUEUED']
  let at = Date.now() - 60_000
  return Array.from({ length: count }, (_, index) => {
    // Close together today, then increasingly apart: the last of 340 calls is about two years old.
    at -= (next() ** 2 * (0.5 + index) + 0.1) * 3600_000
    const manager = pick(Object.keys(MANAGER_NAMES))
    const talk = index === 0 ? ENGLISH_DIALOGUES[0] : pick(next() < 0.35 ? RUSSIAN_DIALOGUES : ENGLISH_DIALOGUES)
    const segments = toSegments(talk, manager, next)
    return {
      at: new Date(at),
      manager,
      phone: `+375 ${pick(PHONE_PREFIXES)} ${randomDigits(3, next)}-${randomDigits(2, next)}-${randomDigits(2, next)}`,
      direction: next() < 0.6 ? 'INBOUND' : 'OUTBOUND',
      source: next() < 0.7 ? 'crm' : 'upload',
      status: states[index] ?? (next() < 0.03 ? 'FAILED' : 'DONE'),
      language: /[а-я]/.test(talk[0][0]) ? 'ru' : 'en',
      segments,
      duration: segments.at(-1).end + 1.2,
    }
  })
}

/** Gives turns their times: about 13 characters per second, and a pause between turns. */
function toSegments(talk, manager, next) {
  let time = 0.4
  return talk.flat().map((line, index) => {
    const name = /[а-я]/.test(line) ? MANAGER_NAMES[manager] : manager.split(' ')[0]
    const text = line.replace('{manager}', name)
    const start = time
    const end = start + text.length / 13
    time = end + 0.3 + next()
    return { start: roundToHundredths(start), end: roundToHundredths(end), channel: index % 2, text }
  })
}

const randomDigits = (count, next) => String(Math.floor(next() * 10 ** count)).padStart(count, '0')
const roundToHundredths = (seconds) => Math.round(seconds * 100) / 100

/** Computes the waveform of such a call: 400 peaks for each channel, loud during its speech. */
export function computePeaks({ segments, duration }) {
  const next = createRandom(segments.length)
  return [0, 1].map((channel) =>
    Buffer.from(
      Array.from({ length: 400 }, (_, index) => {
        const time = (index / 400) * duration
        const speaks = segments.some((one) => one.channel === channel && one.start <= time && time < one.end)
        return speaks ? 15 + Math.floor(next() * 85) : Math.floor(next() * 3)
      }),
    ),
  )
}
