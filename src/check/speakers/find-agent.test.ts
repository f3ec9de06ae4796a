import { expect } from 'chai'
import { makeDialogue } from '../../test/dialogues.ts'
import { detectAgent } from './find-agent.ts'

describe('detection of the agent', () => {
  it('the voice that introduces the company is the agent', async () => {
    const agent = 'Good morning, Anna speaking from Bright Windows, how can I help you?'
    const client = 'Hello, I am calling about a window, how much is it?'
    const first = await detectAgent(makeDialogue(`A: ${agent}`, `C: ${client}`), [])
    const second = await detectAgent(makeDialogue(`A: ${client}`, `C: ${agent}`), [])
    expect([first.agent, second.agent]).to.deep.equal([0, 1])
    for (const { agentConfidence } of [first, second]) expect(agentConfidence).to.be.at.least(0.8)
  })

  it('the agent is uncertain if no rule distinguishes the voices', async () => {
    const { agentConfidence } = await detectAgent(makeDialogue('A: Yes', 'C: No'), [])
    expect(agentConfidence).to.equal(0.5)
  })

  it('own rule sets also help to find the agent', async () => {
    const rule = { key: 'offer', name: { en: 'Offer', ru: 'Акция' }, kind: 'said', side: 'agent' } as const
    const set = { key: 'own', name: { en: 'Own', ru: 'Свой' }, mode: 'score', rules: [{ ...rule, any: { en: ['spring sale'] } }] } as const // prettier-ignore
    const found = await detectAgent(makeDialogue('A: Yes', 'C: We have a spring sale'), [set as never])
    expect(found.agent).to.equal(1)
    expect(found.agentConfidence).to.be.above(0.5)
  })

  it('rule sets for the other direction do not help to find the agent', async () => {
    const rule = { key: 'offer', name: { en: 'Offer', ru: 'Акция' }, kind: 'said', side: 'agent' } as const
    const set = { key: 'own', mode: 'score', applies: { direction: ['OUTBOUND'] }, rules: [{ ...rule, any: { en: ['spring sale'] } }] } // prettier-ignore
    const dialogue = makeDialogue('A: Yes', 'C: We have a spring sale')
    const incoming = await detectAgent({ ...dialogue, direction: 'INBOUND' }, [set as never])
    const outgoing = await detectAgent({ ...dialogue, direction: 'OUTBOUND' }, [set as never])
    expect([incoming.agentConfidence, outgoing.agent]).to.deep.equal([0.5, 1])
  })
})
