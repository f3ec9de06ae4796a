import { expect } from 'chai'
import { judgeCall } from './judge-call.ts'
import { makeDialogue, judgeRule, toMonoDialogue, makeRussianPhrases, makeScoreRuleSet } from '../../test/dialogues.ts'
import type { Verdict } from './types.ts'
import { formatVerdictReason } from './verdict-reason.ts'

const phrasesEn = (...phrases: string[]) => ({ en: phrases })

async function judgeVerdict(...args: Parameters<typeof judgeRule>): Promise<[Verdict, ...string[]]> {
  const { verdict, evidence } = await judgeRule(...args)
  return [verdict, ...evidence.map(({ quote }) => quote)]
}

describe('rule kind said', () => {
  const greeting = { kind: 'said', side: 'agent', any: makeRussianPhrases('добрый день') } as const

  it('a said rule is met by its side and quotes the words with time', async () => {
    const { verdict, evidence, why } = await judgeRule(
      greeting,
      makeDialogue('C: добрый день', 'A: Ирина, добрый день!'),
    )
    expect(verdict).to.equal('met')
    expect(why).to.deep.equal({ code: 'found', count: 1 })
    expect(evidence).to.deep.equal([
      { segment: 1, from: 7, to: 18, quote: 'добрый день', start: 13.68, end: 19.47, side: 'agent' },
    ])
  })

  it('a said rule is missed if only the other side says the phrase', async () => {
    expect(await judgeVerdict(greeting, makeDialogue('C: добрый день', 'A: алло'))).to.deep.equal(['missed'])
  })

  it('a phrase can continue in the next segment of its speaker, not of another', async () => {
    expect(await judgeVerdict(greeting, makeDialogue('A: добрый', 'C: день'))).to.deep.equal(['missed'])
    expect(await judgeVerdict({ ...greeting, side: 'any' }, makeDialogue('A: добрый', 'C: день'))).to.deep.equal([
      'missed',
    ])
    expect(await judgeVerdict(greeting, makeDialogue('A: добрый', 'A: день'))).to.deep.equal(['met', 'добрый', 'день'])
    expect(await judgeVerdict(greeting, makeDialogue([0, 2, 'A: добрый'], [4, 6, 'A: день']))).to.deep.equal(['missed'])
  })

  it('a window counts seconds from the first word or before the last', async () => {
    const late = makeDialogue([5, 10, 'A: алло'], [28, 30, 'A: добрый день'], [90, 100, 'C: спасибо'])
    expect(await judgeVerdict({ ...greeting, window: { first: 20 } }, late)).to.deep.equal(['missed'])
    expect(await judgeVerdict({ ...greeting, window: { first: 30 } }, late)).to.deep.equal(['met', 'добрый день'])
    expect(await judgeVerdict({ ...greeting, window: { last: 60 } }, late)).to.deep.equal(['missed'])
    expect(await judgeVerdict({ ...greeting, window: { last: 80 } }, late)).to.deep.equal(['met', 'добрый день'])
  })

  it('a said rule finds the first word despite rounded times', async () => {
    expect(await judgeVerdict(greeting, makeDialogue([1.234, 3, 'A: добрый день']))).to.deep.equal([
      'met',
      'добрый день',
    ])
  })

  it('a missed said rule returns the searched window', async () => {
    const { why } = await judgeRule({ ...greeting, window: { first: 20 } }, makeDialogue([5, 60, 'A: алло']))
    expect(why).to.deep.equal({ code: 'notFound', from: 5, to: 25 })
  })

  it('a said rule requires `min` matches, and a match of each group of `all`', async () => {
    const twice = { ...greeting, min: 2 }
    expect(await judgeVerdict(twice, makeDialogue('A: добрый день'))).to.deep.equal(['missed', 'добрый день'])
    expect((await judgeRule(twice, makeDialogue('A: добрый день', 'C: да', 'A: добрый день'))).verdict).to.equal('met')
    const groups = { kind: 'said', all: [makeRussianPhrases('имя'), makeRussianPhrases('телефон', 'почта')] } as const
    expect((await judgeRule(groups, makeDialogue('A: ваше имя'))).verdict).to.equal('missed')
    expect(await judgeVerdict(groups, makeDialogue('A: ваше имя', 'C: да', 'A: и почта'))).to.deep.equal([
      'met',
      'имя',
      'почта',
    ])
  })

  it('a said rule counts only matches after its condition: phrases or another rule', async () => {
    const after = { ...greeting, after: { side: 'client' as const, any: makeRussianPhrases('алло'), within: 15 } }
    expect((await judgeRule(after, makeDialogue('A: добрый день', 'C: алло'))).verdict).to.equal('missed')
    expect((await judgeRule(after, makeDialogue('C: алло', 'A: добрый день'))).verdict).to.equal('met')
    expect((await judgeRule(after, makeDialogue('C: алло', 'A: да', 'C: а', 'A: добрый день'))).verdict).to.equal(
      'missed',
    )
    const rules = makeScoreRuleSet(
      { kind: 'said', any: makeRussianPhrases('цена'), after: { rule: 'rule-1' } },
      { kind: 'said', any: makeRussianPhrases('нужно') },
    )
    const verdicts = async (...turns: string[]) =>
      (await judgeCall(rules, makeDialogue(...turns))).findings.map(({ verdict }) => verdict)
    expect(await verdicts('A: что нужно', 'A: цена такая')).to.deep.equal(['met', 'met'])
    expect(await verdicts('A: цена такая', 'A: что нужно')).to.deep.equal(['missed', 'met'])
  })
})

describe('rule kind notSaid', () => {
  const polite = { kind: 'notSaid', side: 'agent', any: makeRussianPhrases('идиот') } as const

  it('a notSaid rule is missed if its side says the phrase', async () => {
    expect(await judgeVerdict(polite, makeDialogue('A: вы идиот', 'C: сами вы идиот'))).to.deep.equal([
      'missed',
      'идиот',
    ])
    expect(await judgeVerdict(polite, makeDialogue('A: алло', 'C: вы идиот'))).to.deep.equal(['met'])
  })
})

describe('rule kind asked', () => {
  const needs = {
    kind: 'asked',
    side: 'agent',
    min: 2,
    any: makeRussianPhrases('подскажите', 'какой', 'сколько'),
  } as const

  it('an asked rule counts two matches in one question once', async () => {
    const { verdict, why } = await judgeRule(needs, makeDialogue('A: подскажите, пожалуйста, какой вам нужен'))
    expect(verdict).to.equal('missed')
    expect(why).to.deep.equal({ code: 'notFound', from: 0, to: 10, found: 1, needed: 2 })
  })

  it('an asked rule counts questions in different sentences or turns, or joined by «и»', async () => {
    for (const turns of [
      ['A: Какой размер? Сколько штук?'],
      ['A: какой размер', 'C: большой', 'A: сколько штук'],
      ['A: какой размер и сколько штук'],
    ])
      expect((await judgeRule(needs, makeDialogue(...turns))).verdict, turns.join(' ')).to.equal('met')
  })

  it('an asked rule accepts a polite «не» in a question', async () => {
    expect((await judgeRule({ ...needs, min: 1 }, makeDialogue('A: не подскажете адрес'))).verdict).to.equal('met')
  })
})

describe('rule kind reply', () => {
  const price = {
    kind: 'reply',
    side: 'agent',
    na: 'anchor',
    after: { side: 'client', any: makeRussianPhrases('сколько стоит'), within: 30 },
    any: makeRussianPhrases('{число} рублей'),
  } as const

  it('a reply rule is met by a timely answer and quotes question and answer', async () => {
    const found = await judgeVerdict(price, makeDialogue('C: сколько стоит', 'A: сто рублей'))
    expect(found).to.deep.equal(['met', 'сколько стоит', 'сто рублей'])
  })

  it('a missed reply rule quotes the unanswered words', async () => {
    expect(await judgeVerdict(price, makeDialogue('C: сколько стоит', 'A: не знаю'))).to.deep.equal([
      'missed',
      'сколько стоит',
    ])
    const late = makeDialogue([0, 2, 'C: сколько стоит'], [60, 62, 'A: сто рублей'])
    expect(await judgeVerdict(price, late)).to.deep.equal(['missed', 'сколько стоит'])
    const before = makeDialogue('A: сто рублей', 'C: сколько стоит')
    expect(await judgeVerdict(price, before)).to.deep.equal(['missed', 'сколько стоит'])
  })

  it('a missed reply rule returns the searched part of the call', async () => {
    const { why } = await judgeRule(
      { ...price, window: { first: 15 } },
      makeDialogue('C: сколько стоит', 'A: не знаю', 'A: сто рублей'),
    )
    expect(why).to.deep.equal({ code: 'noReply', within: 30, from: 0, to: 15 })
    expect(formatVerdictReason(why)).to.equal('No answer within 30 seconds in 0:00–0:15.')
  })

  it('a reply rule without an occasion is not applicable if `na` is `anchor`, else missed', async () => {
    expect(await judgeVerdict(price, makeDialogue('A: сто рублей'))).to.deep.equal(['not_applicable'])
    const { na: _, ...always } = price
    expect(await judgeVerdict(always, makeDialogue('A: сто рублей'))).to.deep.equal(['missed'])
  })
})

describe('rule kind order', () => {
  const order = {
    kind: 'order',
    side: 'agent',
    all: [makeRussianPhrases('здравствуйте'), makeRussianPhrases('нужно'), makeRussianPhrases('цена')],
  } as const

  it('an order rule is met if each step follows the previous one', async () => {
    const found = await judgeVerdict(order, makeDialogue('A: цена, здравствуйте', 'A: что нужно', 'A: цена такая'))
    expect(found).to.deep.equal(['met', 'здравствуйте', 'нужно', 'цена'])
  })

  it('an order rule is missed if a step comes too early, and names the step', async () => {
    const { verdict, why } = await judgeRule(order, makeDialogue('A: здравствуйте', 'A: цена такая', 'A: что нужно'))
    expect([verdict, why]).to.deep.equal(['missed', { code: 'notInOrder', step: 3, from: 0, to: 30 }])
  })

  const soon = { ...order, after: { within: 10 } } as const
  const createTimedCall = (...seconds: [number, string][]) =>
    makeDialogue(...seconds.map(([at, text]): [number, number, string] => [at, at + 2, `A: ${text}`]))

  it('an order rule finds repeated steps that are close enough, and quotes them', async () => {
    const dialogue = createTimedCall(
      [0, 'здравствуйте'],
      [100, 'здравствуйте'],
      [104, 'нужно'],
      [150, 'нужно'],
      [112, 'цена'],
    )
    const { verdict, evidence } = await judgeRule(soon, dialogue)
    expect([verdict, ...evidence.map(({ start }) => start)]).to.deep.equal(['met', 100, 104, 112])
  })

  it('an order rule is missed if no chain of steps is close enough', async () => {
    const dialogue = createTimedCall([0, 'здравствуйте'], [5, 'нужно'], [100, 'нужно'], [105, 'цена'])
    const { verdict, why, evidence } = await judgeRule(soon, dialogue)
    expect([verdict, why]).to.deep.equal(['missed', { code: 'notInOrder', step: 3, from: 0, to: 107 }])
    expect(evidence.map(({ start }) => start)).to.deep.equal([0, 5])
  })

  it('an order rule with thousands of matches per step is judged within seconds', async () => {
    const text = 'A: здравствуйте нужно '.concat('здравствуйте '.repeat(4000), 'нужно '.repeat(4000))
    const started = performance.now()
    expect((await judgeRule(soon, makeDialogue([0, 80_000, text]))).verdict).to.equal('missed')
    expect(performance.now() - started).to.be.below(5000)
  })

  it('a missed order rule returns the searched part of the call', async () => {
    const { why, evidence } = await judgeRule(
      { ...order, window: { last: 15 } },
      makeDialogue('A: здравствуйте', 'A: здравствуйте', 'A: что нужно'),
    )
    expect(why).to.deep.equal({ code: 'notInOrder', step: 1, from: 15, to: 30 })
    expect(evidence).to.deep.equal([])
    expect(formatVerdictReason(why)).to.equal('Step 1 is missing or out of order in 0:15–0:30.')
  })
})

describe('rule kind model', () => {
  const rules = makeScoreRuleSet({ kind: 'model' }, { kind: 'said', any: phrasesEn('hello') })

  it('a model rule is unknown without an answer of the model', async () => {
    const { findings, coverage } = await judgeCall(rules, makeDialogue('A: hello'))
    expect(findings[0]).to.include({ verdict: 'unknown', decidedBy: 'rules' })
    expect(coverage).to.equal(50)
  })

  it('a model rule takes verdict, reason and quote from the model', async () => {
    const evidence = [{ segment: 0, from: 0, to: 5, quote: 'hello', start: 0, end: 10, side: 'agent' as const }]
    const answers = { 'rule-0': { verdict: 'missed' as const, evidence, why: 'No name.' } }
    const { findings, score } = await judgeCall(rules, makeDialogue('A: hello'), answers)
    const why = { code: 'model', text: 'No name.' }
    expect(findings[0]).to.deep.equal({ rule: 'rule-0', verdict: 'missed', decidedBy: 'model', evidence, why })
    expect(score).to.equal(50)
  })
})

describe('rules in mono calls', () => {
  const dialogue = toMonoDialogue(makeDialogue('A: добрый день', 'C: добрый день сколько стоит', 'A: сто рублей'))

  it('a said rule searches a mono call as a whole, with unknown sides', async () => {
    const { verdict, evidence } = await judgeRule(
      { kind: 'said', side: 'agent', any: makeRussianPhrases('добрый день') },
      dialogue,
    )
    expect(verdict).to.equal('met')
    expect(evidence[0]!.side).to.equal('unknown')
  })

  it('rules that need the speakers are unknown in a mono call', async () => {
    const verdicts = []
    for (const rule of [
      { kind: 'notSaid', side: 'agent', any: makeRussianPhrases('идиот') },
      {
        kind: 'reply',
        side: 'agent',
        any: makeRussianPhrases('рубль'),
        after: { side: 'client', any: makeRussianPhrases('сколько') },
      },
      { kind: 'said', side: 'agent', any: makeRussianPhrases('добрый'), mono: 'skip' },
      { kind: 'talkShare', max: 50 },
      { kind: 'interruptions', max: 0 },
      { kind: 'monologue', max: 1 },
    ] as const)
      verdicts.push((await judgeRule(rule, dialogue)).verdict)
    expect(verdicts).to.deep.equal(Array.from(verdicts, () => 'unknown'))
  })

  it('rules with `mono: search` or without a side are judged in a mono call', async () => {
    const reply = {
      side: 'agent',
      any: makeRussianPhrases('рубль'),
      after: { any: makeRussianPhrases('сколько') },
      mono: 'search',
    } as const
    expect((await judgeRule({ kind: 'reply', ...reply }, dialogue)).verdict).to.equal('met')
    expect((await judgeRule({ kind: 'notSaid', any: makeRussianPhrases('идиот') }, dialogue)).verdict).to.equal('met')
    expect((await judgeRule({ kind: 'longestSilence', max: 5 }, dialogue)).verdict).to.equal('met')
  })

  it('a phrase cannot continue in the next segment of a mono call', async () => {
    const split = toMonoDialogue(makeDialogue('A: добрый', 'A: день'))
    expect((await judgeRule({ kind: 'said', any: makeRussianPhrases('добрый день') }, split)).verdict).to.equal(
      'missed',
    )
  })
})

describe('rules and the channel of the agent', () => {
  it('changing the agent’s channel exchanges the sides', async () => {
    const greeting = { kind: 'said', side: 'agent', any: makeRussianPhrases('добрый день') } as const
    const dialogue = makeDialogue('A: добрый день', 'C: алло')
    expect((await judgeRule(greeting, dialogue)).verdict).to.equal('met')
    expect((await judgeRule(greeting, { ...dialogue, agentChannel: 1 })).verdict).to.equal('missed')
  })
})
