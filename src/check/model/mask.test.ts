import { expect } from 'chai'
import { loadMorphology } from '../../platform/lib/morphology.ts'
import { makeDialogue, toMonoDialogue } from '../../test/dialogues.ts'
import type { Dialogue } from '../rules/types.ts'
import { TranscriptMask } from './mask.ts'
import { findQuoteEvidence } from './quotes.ts'

const createMask = (dialogue: Dialogue, names = false) => TranscriptMask.create(dialogue, { names })
const maskLines = async (dialogue: Dialogue) => (await createMask(dialogue)).lines
/** Masks the line of a client. */
const maskText = async (text: string, names = false) => (await createMask(makeDialogue(`C: ${text}`), names)).lines[0]

describe('masking of numbers for the model', () => {
  before(() => loadMorphology())

  const secrets: [said: string, told: string][] = [
    ['Мой номер 8 029 111-22-33, договор 12345.', 'Мой номер [number 1], договор [number 2].'],
    ['договор А12345', 'договор [number 1]'],
    ['12345 рублей', '[number 1] рублей'],
    ['девять два один ноль семь три пять', '[number 1]'],
    ['девятьсот двенадцать триста сорок пять', '[number 1]'],
    ['пишите восемьсот ноль пять, ну, сорок', 'пишите [number 1]'],
    ['двадцать девять тире сто одиннадцать потом двадцать два тридцать три', '[number 1]'],
    ['три семёрки два нуля', '[number 1]'],
    ['код шесть двойка пятёрка нуль нуль', 'код [number 1]'],
    ['договор двенадцать тысяч триста сорок пять', 'договор [number 1]'],
    ['девять 029 семь 1', '[number 1]'],
    ['сто одиннадцать двадцать два тридцать три процента', '[number 1] процента'],
    ['сто одиннадцать двадцать два, ну, тридцать три процента', '[number 1], ну, тридцать три процента'],
    ['восемь девятьсот двенадцать сорок пять минуту', '[number 1] минуту'],
    ['it is five five five, oh one two three', 'it is [number 1]'],
    ['nine hundred twelve forty five', '[number 1]'],
    ['double five triple seven', '[number 1]'],
    ['oh seven double nought six', '[number 1]'],
    ['twenty twenty two and then eleven', '[number 1]'],
    ['two fives three sevens', '[number 1]'],
    ['call 555 0123 extension 7', 'call [number 1]'],
    ['twelve thousand three hundred and forty five', '[number 1]'],
  ]
  for (const [said, told] of secrets)
    it(`the mask hides five or more digits in «${said}»`, async () => expect(await maskText(said)).to.equal(told))

  for (const said of [
    'Цена 1 500 рублей',
    'полторы тысячи рублей',
    'сто двадцать тысяч рублей',
    'сто двадцать пять тысяч',
    'двенадцать тысяч триста сорок пять рублей',
    'сто, сто пятьдесят тысяч',
    'сто пятьдесят двести рублей',
    'пятьсот рублей, шестьсот рублей и семьсот рублей',
    'скидка десять пятнадцать процентов',
    'пять минут',
    'в 18 часов 30 минут',
    'завтра в восемнадцать тридцать',
    'пятнадцатого марта две тысячи двадцать шестого',
    '15 марта 2026 года',
    'до 15.03.2026',
    'от ста до двухсот, от трёхсот до пятисот',
    'раз два три',
    'один из двух',
    'it costs $1500 or 2300 dollars',
    'a hundred and twenty thousand pounds',
    'fifteen hundred',
    'in five minutes',
    'March 15 2026',
    'on the fifteenth of March twenty twenty six',
    'Oh, four thousand five hundred and twenty',
    'Oh 4500 pounds',
    'oh oh oh oh oh',
    'ten or twenty people, double glazing for one of them',
    'at nine thirty, not eleven fifteen',
  ])
    it(`the mask hides no number in «${said}»`, async () => expect(await maskText(said)).to.equal(said))

  it('the mask hides a number that a speaker dictates in parts across segments', async () => {
    const dictated = makeDialogue('C: мой номер 8 029', 'A: так, 2', 'C: 111', 'A: угу', 'C: 22 33 всё')
    const mask = await createMask(dictated)
    expect(mask.lines).to.deep.equal(['мой номер [number 1]', 'так, 2', '[number 2]', 'угу', '[number 3] всё'])
    expect(mask.count).to.equal(3)
    const inWords = makeDialogue(
      'C: восемь девятьсот',
      'C: двенадцать',
      'C: эм сорок пять',
      'A: повторите',
      'C: двенадцать человек',
    )
    expect(await maskLines(inWords)).to.deep.equal([
      '[number 1]',
      '[number 2]',
      'эм [number 3]',
      'повторите',
      'двенадцать человек',
    ])
    expect((await maskLines(toMonoDialogue(dictated))).join(' '), 'on one channel').not.to.match(/029|111|22/)
  })

  it('the mask keeps short numbers separated by other words, half a minute or the speaker', async () => {
    for (const dialogue of [
      makeDialogue('C: дом 12', 'C: квартира 345'),
      makeDialogue('A: 12', 'C: 345'),
      makeDialogue([0, 2, 'C: 12'], [60, 62, 'C: 345']),
      makeDialogue('A: стоит полторы тысячи', 'C: да', 'A: двести доставка'),
    ])
      expect(await maskLines(dialogue)).to.deep.equal(dialogue.segments.map(({ text }) => text))
  })

  it('equal numbers get the same placeholder, and quotes map back to the original text', async () => {
    const dialogue = makeDialogue('C: запишите 8 029', 'C: 111', 'C: повторяю 80291112233', 'C: да, 80291112233')
    const mask = await createMask(dialogue)
    expect(mask.lines[3]).to.equal('да, [number 3]')
    expect(mask.lines[2]).to.equal('повторяю [number 3]')
    const given = { segment: 0, quote: mask.unmask(mask.lines[0]!) }
    expect(given.quote).to.equal('запишите 8 029')
    expect((await findQuoteEvidence(dialogue, given, { side: 'client', exact: true }))!.quote).to.equal(
      'запишите 8 029',
    )
  })

  it('unmasking limits the length of a quote', async () => {
    const mask = await createMask(makeDialogue(`C: ${'80291112233 '.repeat(2000)}`))
    expect(mask.lines[0]).to.equal('[number 1] ')
    expect(mask.unmask('[number 1]'.repeat(1000))).to.have.length(200 * 2000)
    expect(mask.unmask('[number 2] [name 1]')).to.equal('[number 2] [name 1]')
  })

  it('the mask hides a number completely if a quote cuts it', async () => {
    const mask = await createMask(makeDialogue('C: номер 8 029', 'C: 111 точка'))
    const quote = (segment: number, from: number, to: number) => mask.maskQuote({ segment, from, to })
    expect([quote(0, 0, 7), quote(0, 8, 11), quote(0, 0, 5)]).to.deep.equal(['номер [number 1]', '[number 1]', 'номер'])
    expect(quote(1, 1, 9)).to.equal('[number 2] точка')
  })

  it('the mask hides names only if the settings require it', async () => {
    expect(await maskText('Меня зовут Анна', true)).to.equal('Меня зовут [name 1]')
    expect(await maskText('Меня зовут Анна')).to.equal('Меня зовут Анна')
    expect(await maskText('Анна 80291112233 Анна', true)).to.equal('[name 1] [number 2] [name 1]')
  })
})
