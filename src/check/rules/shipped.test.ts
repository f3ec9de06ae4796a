import { expect } from 'chai'
import { judgeCall } from './judge-call.ts'
import { SHIPPED_RULE_SETS } from './shipped.ts'
import { makeDialogue } from '../../test/dialogues.ts'

/** Returns the reasons for a refusal that the shipped label set finds in the words of a client. */
async function findReasons(phrase: string): Promise<string[]> {
  const { labels } = await judgeCall(
    SHIPPED_RULE_SETS.find(({ mode }) => mode === 'label')!,
    makeDialogue('A: алло', `C: ${phrase}`),
  )
  return labels.map(({ rule }) => rule)
}

describe('shipped refusal labels', () => {
  for (const [reason, ...sayings] of [
    [
      'have-already',
      'Спасибо, справляемся своими силами',
      'Нынешний подрядчик, мы не жалуемся',
      'They have never let us down',
    ],
    ['price', 'Это почти вся моя зарплата', 'На авито такие по три тысячи', 'Is there any wiggle room on that?'],
    ['no-budget', 'Нам финансирование урезали', 'I am between jobs at the moment'],
    ['competitor', 'Мы уже напечатали в другом месте', 'We ended up buying from a local firm'],
    ['thinking', 'Не хочу сразу решать', 'I want to look at a few others first'],
    ['not-decider', 'Я с супругом переговорю', 'It is as much his call as mine'],
    ['timing', 'У меня отпуск, вернусь и решим', 'I am in the middle of something'],
    ['terms', 'Это же другой конец города', 'Мне это не по пути', 'That is on the other side of town'],
    [
      'distrust',
      'Как-то это рискованно',
      'Никогда о вас не слышала',
      'It sounds like a scam to me',
      'I have never heard of you',
    ],
    ['wrong-call', 'Девушка, вы не тому звоните', 'Вам кого?', 'I did not place any order', 'Who are you looking for?'],
    [
      'wrong-call',
      'Мне диван до сих пор не привезли',
      'Почему задержка такая?',
      'С меня деньги два раза списали',
      'You have charged me twice',
      'The engineer never showed up',
      'There is a mistake on my bill',
      'Мне начислили лишнее, хочу разобраться',
      'My heating has stopped working since your man came',
    ],
    ['no-need', 'Не, не надо нам ничего', 'We do not really need that'],
    ['do-not-call', 'Не надо мне больше звонить', 'Я просила не звонить на этот номер'],
    ['terms', 'Две недели? Не, это поздно'],
  ] as const)
    for (const phrase of sayings)
      it(`the shipped label ${reason} matches «${phrase}»`, async () =>
        expect(await findReasons(phrase)).to.include(reason))

  for (const phrase of [
    'А вы сами делаете монтаж?',
    'Вы у кого закупаете ткань?',
    'Мне рано утром удобнее',
    'Девушка, а дальше что',
    'Дорога от метро прямая?',
    'Я хочу спросить у вас про доставку',
    'На вотсап киньте, пожалуйста',
    'Do you need it for Friday?',
    'Вы кто по должности?',
    'Can you tell me who looks after the garden?',
    'Он в школе не понимает, тройки пошли',
    'Нигде не вижу, клиент звонит, ругается',
    'Хотим в следующем месяце начать',
    'У меня сейчас стоит газовый котёл',
    'We are getting married next summer',
    'Our last supplier sent us the wrong parts',
    'Только не звоните в домофон, он сломан',
    'Вы лучше не мне звоните, а мужу',
    'Я подумала, это реклама',
    'Всё хорошо, меня устраивает, записывайте',
    'Паспорт не нужен будет?',
    'Нет, спасибо, это всё',
    'Я у вас в прошлом году брала, понравилось',
    'Муж не верит, что я сама собрала шкаф',
    'We get maybe sixty in summer',
    'Ten o’clock works for us, thanks',
    'I have got someone at the door, hold on',
    'I did think about it last year, we had no money then',
  ])
    it(`no shipped label matches «${phrase}»`, async () => expect(await findReasons(phrase)).to.deep.equal([]))
})

/** Returns the verdict of the rule `objection-handled` on the agent's answer to an objection. */
async function judgeAnswer(phrase: string, answer: string): Promise<string | undefined> {
  const set = SHIPPED_RULE_SETS.find(({ key }) => key === 'outgoing-sales')!
  const { findings } = await judgeCall(set, makeDialogue('A: алло', `C: ${phrase}`, `A: ${answer}`))
  return findings.find(({ rule }) => rule === 'objection-handled')?.verdict
}

describe('shipped objection rule', () => {
  for (const phrase of [
    'Я подумаю',
    'Надо подумать',
    'Мы не будем ничего менять',
    'Мне это не в тему',
    'Нет у меня веры вашему брату',
    'It is kind of a dealbreaker for us',
    'I am tied in with them till March',
    'Leave it with me',
  ]) {
    it(`the shipped objection rule is missed without an answer to «${phrase}»`, async () =>
      expect(await judgeAnswer(phrase, 'угу')).to.equal('missed'))
    it(`the shipped objection rule accepts an offer after «${phrase}»`, async () =>
      expect(await judgeAnswer(phrase, 'Могу предложить скидку, we can offer you a discount')).to.equal('met'))
  }

  for (const phrase of ['Ну, так у нас заведено', 'У нас такие правила', 'Well, that is how it is with us'])
    it(`the shipped objection rule does not accept the answer «${phrase}»`, async () =>
      expect(await judgeAnswer('Это дорого', phrase)).to.equal('missed'))
  for (const [phrase, answer] of [
    ['Нас маленький коллектив, соседи рядом', 'А какой размер?'],
    ['Я и директор и грузчик', 'А сколько коробов уходит?'],
    ['Нет, спасибо, это всё', 'Тогда до завтра, пришлю смс'],
    ['What is your best price on it?', 'When could you come in?'],
    ['It is for the spring, we are opening a café', 'How many covers?'],
  ] as const)
    it(`the shipped objection rule finds no objection in «${phrase}»`, async () =>
      expect(await judgeAnswer(phrase, answer)).to.equal('not_applicable'))

  it('the shipped objection rule accepts an advantage as an answer', async () =>
    expect(await judgeAnswer('Это дорого', 'У нас гарантия десять лет')).to.equal('met'))

  it('the shipped objection rule does not apply without an objection', async () =>
    expect(await judgeAnswer('Да, удобно, говорите', 'угу')).to.equal('not_applicable'))
})

/** Returns the verdict of a shipped rule for outgoing calls on the words of an agent. */
async function judgeAgentWords(rule: string, ...phrase: string[]): Promise<string | undefined> {
  const set = SHIPPED_RULE_SETS.find(({ key }) => key === 'outgoing-sales')!
  const { findings } = await judgeCall(set, makeDialogue('C: алло', ...phrase.map((text) => `A: ${text}`)))
  return findings.find(({ rule: key }) => key === rule)?.verdict
}

describe('shipped rules for outgoing calls', () => {
  for (const phrase of [
    'Он у вас ноет постоянно или на холодное?',
    'Конечно, думайте, я на связи',
    'Короче говоря, двадцать тысяч',
    'The engineer will tell you before he does anything',
  ])
    it(`the shipped politeness rule accepts «${phrase}»`, async () =>
      expect(await judgeAgentWords('politeness', phrase)).to.equal('met'))

  for (const phrase of [
    'Подскажите, с кем можно поговорить по поводу воды?',
    'Есть мини-каско за девять тысяч',
    'Я с вами нормально разговариваю',
    'It will only take two minutes to see if you qualify',
  ])
    it(`the shipped time-check rule does not match «${phrase}»`, async () =>
      expect(await judgeAgentWords('time-check', phrase)).to.equal('missed'))

  for (const phrase of ['Вам сейчас нормально говорить?', 'Найдётся у вас минутка?', 'Can I take two minutes?'])
    it(`the shipped time-check rule matches «${phrase}»`, async () =>
      expect(await judgeAgentWords('time-check', phrase)).to.equal('met'))

  it('the shipped decision-maker rule does not match «вы сами решите»', async () => {
    expect(await judgeAgentWords('decision-maker', 'Покажу, и вы сами решите')).to.equal('missed')
    expect(await judgeAgentWords('decision-maker', 'Это вы сами решаете или с женой?')).to.equal('met')
  })

  for (const phrase of [
    'Мастер обычно приезжает вечером',
    'Сейчас поставлю отметку',
    'Этот номер записан у нас',
    'Hang up and ring again',
  ])
    it(`the shipped next-step rule does not match «${phrase}»`, async () =>
      expect(await judgeAgentWords('next-step', phrase)).to.equal('missed'))

  for (const phrase of ['Завтра с утра вам позвонит технолог', 'Ждём вас в субботу в одиннадцать'])
    it(`the shipped next-step rule matches «${phrase}»`, async () =>
      expect(await judgeAgentWords('next-step', phrase)).to.equal('met'))

  it('the shipped needs rule does not match questions about contacts', async () =>
    expect(
      await judgeAgentWords(
        'needs',
        'А почта какая?',
        'Когда она бывает?',
        'Is there anything else?',
        'Is it still Gmail?',
      ),
    ).to.equal('missed'))
})
