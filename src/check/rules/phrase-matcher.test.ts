import { expect } from 'chai'
import { makeDialogue, judgeRule, findPhraseQuote, type TestRuleFields } from '../../test/dialogues.ts'

/** Two forms of one word: as spoken, and as written in a phrase. */
const PAIRS = `
  договорились договориться | запишу записать | записала записать | перезвоню перезвонить | денег деньги | людей человек
  лучше хороший | дешевле дешёвый | цены цена | ценой цена | скидку скидка | скидок скидка | окон окно | окнами окно
  подскажите подсказать | идёт идти | шёл идти | шла идти | ждём ждать | приехали приехать | замера замер | счёта счет
  счётов счёт | дней день | днём день | дня день | детей ребёнок | мастера мастер | мастеру мастер | ёлки ёлка | елкой ёлка
  звонил звонить | звоните звонить | отправлю отправить | отправили отправить | дорогая дорогой | двухсот двести
  пятидесяти пятьдесят | рублями рубль | женой жена | мужем муж | другого другой | вотсапе вотсап | доставкой доставка
  calls call | called call | prices price | bought buy | sent send | better good | cheaper cheap | children child
  scheduled schedule | cities city | paying pay | knives knife | went go | emails email | men man`
  .split(/[|\n]/)
  .map((pair) => pair.trim().split(' '))
  .filter((pair) => pair.length === 2) as [string, string][]

/** Similar words of different meaning. */
const TRAPS = `
  цели цена | ценить цена | звонкий звонить | дорожка дорогой | дорожка дорога | скинуть скидка
  окончание окно | денёк деньги | заказник заказ | счастье счёт | мастерская мастер | записка записать | письменный письмо
  женщина жена | мужество муж | рубить рубль | договор договориться | встречный встреча | адресат адрес | номерной номер
  почтальон почта | подсказка подсказать | ждун ждать | caller call | pricey price | priceless price | sender send
  business busy | university universe | happen happy | sales sail | offers off | costume cost | callous call`
  .split(/[|\n]/)
  .map((pair) => pair.trim().split(' '))
  .filter((pair) => pair.length === 2) as [string, string][]

describe('word matching', () => {
  it(`a phrase matches other forms of its word: ${PAIRS.length} pairs`, async () => {
    const missed = []
    for (const [said, word] of PAIRS)
      if ((await findPhraseQuote(word, `так ${said} вот`)) !== said) missed.push([said, word])
    expect(missed).to.deep.equal([])
  })

  it(`a phrase does not match similar words: ${TRAPS.length} traps`, async () => {
    const wrong = []
    for (const [said, word] of TRAPS) if (await findPhraseQuote(word, `так ${said} вот`)) wrong.push([said, word])
    expect(wrong).to.deep.equal([])
  })

  const cases: [phrase: string, text: string, quote: string | undefined][] = [
    ['обойдётся', 'ОБОЙДЕТСЯ в сто', 'ОБОЙДЕТСЯ'],
    ['перезвоню вам', 'я перезвоню завтра утром вам', 'перезвоню завтра утром вам'],
    ['перезвоню вам', 'я перезвоню завтра рано утром вам', undefined],
    ['перезвоню вам', 'вам перезвоню', undefined],
    ['перезвоню вам', 'перезвоню ну вот э короче типа завтра вам', 'перезвоню ну вот э короче типа завтра вам'],
    ['it is not', "it isn't", "it isn't"],
    ['i will call', "I'll call you", "I'll call"],
    ['let us book', "let's book it", "let's book"],
    ['do not call', 'please don’t call me', 'don’t call'],
    ['хорошего дня', 'хорошего. Дня', 'хорошего. Дня'],
    ['подумать надо', 'подумать можно. И надо', undefined],
    ['50 процентов', 'скидка 50% вам', '50%'],
    ['{number} dollars', 'it is $500 a month', '$500'],
  ]
  for (const [phrase, text, quote] of cases)
    it(`the phrase «${phrase}» matches ${quote ? `«${quote}»` : 'nothing'} in «${text}»`, async () => {
      expect(await findPhraseQuote(phrase, text)).to.equal(quote)
    })
})

describe('negation', () => {
  const cases: [phrase: string, text: string, found: boolean][] = [
    ['дорого', 'это не дорого', false],
    ['дорого', 'это не очень дорого', false],
    ['дорого', 'это дорого', true],
    ['дорого', 'нет, дорого', true],
    ['дорого', 'нет дорого', true],
    ['дорого', 'не, дорого', true],
    ['дорого', 'не, ну это дорого', true],
    ['дорого', 'это не, э, дорого', false],
    ['гарантия', 'у нас нет гарантии', false],
    ['гарантия', 'нет, гарантия есть', true],
    ['скидка', 'без скидки', false],
    ['перезвоню', 'ни сегодня ни завтра не перезвоню', false],
    ['не звоните', 'больше не звоните', true],
    ['могу предложить', 'могу вам не предложить', false],
    ['expensive', "it isn't expensive", false],
    ['expensive', 'it is not that expensive', false],
    ['expensive', 'No, expensive', true],
    ['discount', 'there is no discount', false],
    ['guarantee', 'without a guarantee', false],
    ['need to think', "I don't need to think", false],
    ['do not need', "we don't need it", true],
    ['let us book it', 'why not, let us book it', true],
    ['let us book', 'Why not? Let us book', true],
    ['book it', 'why not book it', true],
    ['book it', 'not now, do not book it', false],
    ['book it', 'why can not book it', false],
    ['давайте запишем', 'почему бы и нет давайте запишем', true],
    ['записаться', 'почему бы нам и не записаться', true],
    ['вам записаться', 'почему бы вам не записаться', true],
    ['записали', 'почему вы не записали', false],
    ['записать', 'я не мог бы не записать', false],
  ]
  for (const [phrase, text, found] of cases)
    it(`the phrase «${phrase}» ${found ? 'matches' : 'does not match'} «${text}»`, async () => {
      expect((await findPhraseQuote(phrase, text)) !== undefined).to.equal(found)
    })
})

describe('exact words in quotation marks', () => {
  const cases: [phrase: string, text: string, found: boolean][] = [
    ['"дешевле"', 'самый дешёвый', false],
    ['"дешевле"', 'Дешевле!', true],
    ['«добрый день»', 'добрый вам день', false],
    ['«добрый день»', 'добрый день', true],
    ['"this is" {name}', 'hello, this is Karen', true],
    ['"ещё раз"', 'еще раз', true],
    ['"{число} минут"', 'за сорок минут', true],
    ['"{число} минут"', 'сорок рублей минут', false],
  ]
  for (const [phrase, text, found] of cases)
    it(`the exact phrase ${phrase} ${found ? 'matches' : 'does not match'} «${text}»`, async () => {
      expect((await findPhraseQuote(phrase, text)) !== undefined).to.equal(found)
    })
})

describe('slots in phrases', () => {
  const cases: [phrase: string, text: string, quote: string | undefined][] = [
    ['это {имя}', 'здравствуйте это дарья компания', 'это дарья'],
    ['это {имя}', 'это дорого', undefined],
    ['this is {name}', 'Hello, this is Karen.', 'this is Karen'],
    ['this is {name}', 'hello this is karen', 'this is karen'],
    ['this is {name}', 'this is expensive', undefined],
    ['from {name}', 'I am from Brightwave', 'from Brightwave'],
    ['{число} рублей', 'пятнадцать тысяч рублей', 'пятнадцать тысяч рублей'],
    ['{число} рублей', 'за 1 500 рублей', '1 500 рублей'],
    ['{число} рублей', 'много рублей', undefined],
    ['до {день}', 'до четверга', 'до четверга'],
    ['{день} в {число}', 'завтра в одиннадцать', 'завтра в одиннадцать'],
    ['до {день}', 'до пятнадцатого', 'до пятнадцатого'],
    ['see you {day}', 'see you on Monday', 'see you on Monday'],
    ['до {день}', 'до дома', undefined],
    ['это {имя}', 'это к нам', undefined],
    ['from {name}', "it is from I've no idea", undefined],
    ['{вопрос}', 'Да. Год какой? Ясно.', 'Год какой'],
    ['{question}', '“What size is it?”', 'What size is it'],
    ['{вопрос}', 'год какой', undefined],
    ['{вопрос}', 'Добрый день! Ольга Викторовна?', undefined],
    ['{question}', 'Hello, Mr Halloran?', undefined],
    ['{вопрос}', 'Ольга Викторовна, окно какое?', 'Ольга Викторовна, окно какое'],
  ]
  for (const [phrase, text, quote] of cases)
    it(`the phrase «${phrase}» matches ${quote ? `«${quote}»` : 'nothing'} in «${text}»`, async () => {
      expect(await findPhraseQuote(phrase, text)).to.equal(quote)
    })
})

describe('alternatives separated by a slash', () => {
  const cases: [phrase: string, text: string, quote: string | undefined][] = [
    ['муж/жена решает', 'у нас жена решает', 'жена решает'],
    ['муж/жена решает', 'мужу решать', 'мужу решать'],
    ['муж/жена решает', 'муж и жена', undefined],
    ['"нужен/нужна" {день}', 'нужна завтра', 'нужна завтра'],
    ['"нужен/нужна" {день}', 'нужны завтра', undefined],
    ['working 24/7', 'we are working 24 7', 'working 24 7'],
    ['working 24/7', 'we are working 7 days', undefined],
  ]
  for (const [phrase, text, quote] of cases)
    it(`the phrase «${phrase}» matches ${quote ? `«${quote}»` : 'nothing'} in «${text}»`, async () => {
      expect(await findPhraseQuote(phrase, text)).to.equal(quote)
    })
})

describe('exceptions of phrases', () => {
  it('an exception cancels a question that contains it', async () => {
    const except = { ru: ['телефон'] }
    expect(await findPhraseQuote('{вопрос}', 'А какой у вас, скажите, телефон?', except)).to.equal(undefined)
    expect(await findPhraseQuote('{вопрос}', 'Телефон есть. А какой у вас дом?', except)).to.equal('А какой у вас дом')
  })

  it('exceptions also apply to the condition of a reply rule', async () => {
    const reply = {
      kind: 'reply',
      side: 'agent',
      na: 'anchor',
      any: { ru: ['зато'] },
      after: { any: { ru: ['не нужно'] } },
    }
    const dialogue = makeDialogue('C: ничего особенного не нужно', 'A: зато дёшево')
    expect((await judgeRule(reply as TestRuleFields, dialogue)).verdict).to.equal('met')
    const except = { ru: ['особенного не нужно'] }
    expect((await judgeRule({ ...reply, except } as TestRuleFields, dialogue)).verdict).to.equal('not_applicable')
  })

  it('an exception cancels only matches that share a word with it', async () => {
    const except = { ru: ['защита от дурака'], en: ['idiot proof'] }
    expect(await findPhraseQuote('дурак', 'есть защита от дурака', except)).to.equal(undefined)
    expect(await findPhraseQuote('дурак', 'есть защита, а вы дурак', except)).to.equal('дурак')
    expect(await findPhraseQuote('idiot', 'it is idiot-proof', except)).to.equal(undefined)
    expect(await findPhraseQuote('idiot', 'you idiot', except)).to.equal('idiot')
  })

  it('of two exceptions at one position, the longer one applies', async () => {
    const except = { ru: ['вчера', 'вчера записал'] }
    expect(await findPhraseQuote('записал', 'он вчера вас записал', except)).to.equal(undefined)
    expect(await findPhraseQuote('записал', 'он вчера звонил, я вас записал', except)).to.equal('записал')
  })
})
