import { expect } from 'chai'
import { makeDialogue, judgeRule, makeRussianPhrases } from '../../test/dialogues.ts'
import type { Verdict } from './types.ts'

describe('rule kind number', () => {
  const discount = {
    kind: 'number',
    any: makeRussianPhrases('скидка {число} процентов', 'скидка'),
    min: 5,
    max: 15,
    na: 'anchor',
  } as const
  const cases: [text: string, verdict: Verdict][] = [
    ['скидка десять процентов', 'met'],
    ['скидка 50%', 'missed'],
    ['сделаю вам скидку, скажем, пятнадцать', 'met'],
    ['до двадцати пяти доходит скидка', 'missed'],
    ['без скидки сто', 'not_applicable'],
    ['сто рублей', 'not_applicable'],
  ]
  for (const [text, verdict] of cases)
    it(`a number rule from 5 to 15 is ${verdict} in «${text}»`, async () => {
      expect((await judgeRule(discount, makeDialogue(`A: ${text}`))).verdict).to.equal(verdict)
    })

  const values: [text: string, value: number][] = [
    ['стоит полторы тысячи', 1500],
    ['стоит до двухсот', 200],
    ['стоит две с половиной тысячи', 2500],
    ['стоит сто двадцать пять', 125],
    ['стоит пять тысяч триста', 5300],
    ['стоит 1 500', 1500],
    ['стоит 12,5', 12.5],
    ['стоит миллион двести тысяч', 1_200_000],
    ['costs twenty five hundred', 2500],
    ['costs two hundred and fifty', 250],
    ['costs 1,500', 1500],
    ['costs one and a half thousand', 1500],
  ]
  for (const [text, value] of values)
    it(`a number rule finds ${value} in «${text}»`, async () => {
      const rule = { kind: 'number', any: { ru: ['стоить'], en: ['cost'] } } as const
      expect((await judgeRule(rule, makeDialogue(`A: ${text}`))).why).to.include({ code: 'measured', value })
    })
})

describe('measured rule kinds', () => {
  const talk = makeDialogue(
    [0, 30, 'A: раз два три четыре пять шесть семь восемь девять десять'],
    [29.8, 31, 'C: угу да'],
    [31, 50, 'A: раз два три четыре пять'],
    [40, 45, 'C: нет подождите вы меня не слышите'],
    [60, 70, 'C: раз два три четыре'],
  )
  const value = async (rule: Parameters<typeof judgeRule>[0], dialogue = talk) => {
    const { verdict, why } = await judgeRule(rule, dialogue)
    return why.code === 'measured' ? [verdict, why.value] : [verdict, why.code]
  }

  it('talkShare is the share of one side in all speech', async () => {
    expect(await value({ kind: 'talkShare', min: 35, max: 65 })).to.deep.equal(['missed', 75.2])
    expect(await value({ kind: 'talkShare', side: 'client', min: 20, max: 30 })).to.deep.equal(['met', 24.8])
  })

  it('longestSilence is the longest time in which nobody speaks', async () => {
    expect(await value({ kind: 'longestSilence', max: 9 })).to.deep.equal(['missed', 10])
    expect(await value({ kind: 'longestSilence', max: 10 })).to.deep.equal(['met', 10])
  })

  it('pace is words a minute of speech', async () => {
    expect(await value({ kind: 'pace', side: 'agent', min: 10, max: 30 })).to.deep.equal(['met', 18.4])
  })

  it('interruptions count turns that begin while the other side speaks, without short replies', async () => {
    expect(await value({ kind: 'interruptions', side: 'client', max: 0 })).to.deep.equal(['missed', 1])
    expect(await value({ kind: 'interruptions', side: 'agent', max: 0 })).to.deep.equal(['met', 0])
  })

  it('monologue is the longest time in which the other side says at most two words', async () => {
    expect(await value({ kind: 'monologue', side: 'agent', max: 40 })).to.deep.equal(['missed', 50])
  })

  it('measured rules are unknown in a call without speech', async () => {
    for (const kind of ['talkShare', 'longestSilence', 'pace', 'monologue'] as const)
      expect(await value({ kind, max: 1 }, makeDialogue())).to.deep.equal(['unknown', 'nothingSaid'])
  })
})
