import { expect } from 'chai'
import { loadMorphology } from '../../platform/lib/morphology.ts'
import { makeDialogue, makeScoreRuleSet, type TestRuleFields } from '../../test/dialogues.ts'
import { TranscriptMask } from './mask.ts'
import { buildModelPrompt } from './prompt.ts'

/** Six segments, each ten seconds after the one before. */
const CALL = makeDialogue('A: Good morning', 'C: Hello', 'A: It costs ten', 'C: Too much', 'A: I see why', 'C: Bye')

async function buildCriterion(rule: TestRuleFields, others: TestRuleFields[] = []) {
  const { rules } = makeScoreRuleSet(rule, ...others)
  const mask = await TranscriptMask.create(CALL, { names: false })
  const messages = buildModelPrompt([rules[0]!], CALL, { rules, mask, mark: '0' })
  const { criteria, ...more } = JSON.parse(messages[1]!.content)
  return { ...criteria[0], ...more }
}

const any = { en: ['good morning', 'good day'] }

describe('model prompt', () => {
  before(() => loadMorphology())

  it('the prompt describes the window of a rule with its line numbers', async () => {
    expect(await buildCriterion({ kind: 'said', any, window: { first: 15 } })).to.include({
      metWhen:
        'it is said, in these or other words (for example: good morning; good day). Only what is said within the first 15 seconds after the first word (lines 0 to 1) counts.',
      missedWhen: 'it is not said there',
    })
    const atTheEnd = await buildCriterion({ kind: 'notSaid', any, window: { last: 12 } })
    expect(atTheEnd.metWhen).to.contain('within the last 12 seconds before the last word (lines 4 to 5)')
    expect(atTheEnd.missedWhen).to.equal('it is said there: quote it')
    const both = await buildCriterion({ kind: 'said', any, window: { first: 30, last: 40 } })
    expect(both.metWhen)
      .to.contain('first 30 seconds after the first word and the last 40 seconds')
      .and.contain('(lines 1 to 3)')
  })

  it('the prompt describes phrase groups and counts', async () => {
    const all = [{ en: ['can', 'may'] }, { en: ['call you back'] }]
    expect((await buildCriterion({ kind: 'said', all })).metWhen).to.equal(
      'something of each of these groups is said, in these or other words: 1) can; may, 2) call you back.',
    )
    expect((await buildCriterion({ kind: 'asked', any, all, min: 2, max: 4 })).metWhen).to.equal(
      'it is said at least 2 times and at most 4 times, in different questions, in these or other words (for example: good morning; good day), and something of each of these groups: 1) can; may, 2) call you back.',
    )
  })

  it('the prompt describes the steps of an order rule with the seconds between them', async () => {
    const all = [{ en: ['good morning'] }, { en: ['it costs'] }]
    const order = await buildCriterion({ kind: 'order', all, after: { within: 30 } })
    expect(order.metWhen).to.equal(
      'each of these steps is said in these or other words, one after the other in this order, each at most 30 seconds after the one before: 1) good morning, 2) it costs. Quote the last step.',
    )
    expect(order.missedWhen).to.equal('a step is not said, or not in its place')
    expect(order.secondsOfLines).to.deep.equal([0, 10, 20, 30, 40, 50])
    expect((await buildCriterion({ kind: 'order', all })).secondsOfLines).to.equal(undefined)
  })

  it('the prompt describes the exceptions of a rule', async () => {
    expect(
      (await buildCriterion({ kind: 'notSaid', any: { en: ['idiot'] }, except: { en: ['idiot proof'] } })).metWhen,
    ).to.equal('nothing like this is said (for example: idiot). These words do not count: idiot proof.')
  })

  it('the prompt describes the condition of a rule: phrases or another rule', async () => {
    const after = { any: { en: ['too much'] }, within: 20 }
    const reply = await buildCriterion({ kind: 'reply', side: 'agent', any: { en: ['I see'] }, after, na: 'anchor' })
    expect(reply.metWhen).to.equal(
      'the other speaker answers it in these or other words (for example: I see). Only what comes after this counts: the client says something like: too much, and at most 20 seconds after it.',
    )
    expect(reply.missedWhen).to.equal('it is not answered so')
    expect(reply.naWhen).to.equal('what it must come after was not said')
    expect((await buildCriterion({ kind: 'said', any, after: { any, side: 'agent' } })).missedWhen).to.equal(
      'it is not said, or nothing gave occasion for it',
    )
    const price = { key: 'price', kind: 'number', any: { en: ['it costs'] }, hint: { en: 'A price is named' } } as const
    const later = await buildCriterion({ kind: 'said', any, after: { rule: 'price' }, na: 'anchor' }, [price])
    expect(later.metWhen).to.contain('Only what comes after this counts: what this asks for: A price is named.')
    expect(later.naWhen).to.equal('what it must come after was not said')
    expect((await buildCriterion({ kind: 'model', na: 'anchor' })).naWhen).to.equal('the call gave no occasion for it')
  })
})
