import { expect } from 'chai'
import { judgeCall } from '../../check/rules/judge-call.ts'
import { loadMorphology } from '../../platform/lib/morphology.ts'
import { SHIPPED_RULE_SETS } from '../../check/rules/shipped.ts'
import type { Dialogue } from '../../check/rules/types.ts'
import phrases from './phrases.json' with { type: 'json' }

/** If a phrase does not meet its rule, the demo shows a wrong correlation with sales. */
describe('demo phrases', () => {
  const sets = SHIPPED_RULE_SETS.filter(({ key }) => key.endsWith('-sales'))
  before(() => loadMorphology())

  /** Creates a dialogue of client and agent with two turns of three seconds. */
  const talk = (client: string, agent: string): Dialogue => ({
    segments: [client, agent].map((text, n) => ({
      start: 4 * n,
      end: 4 * n + 3,
      channel: 1 - n,
      text: text.replace('{day}', n === 1 ? 'Monday' : ''),
    })),
    channels: 2,
    agentChannel: 0,
    direction: null,
    durationSeconds: 8,
  })

  /** Returns the agent's phrases with which a rule is met. */
  async function findMetPhrases(rule: string, client: string, phrases: string[]): Promise<string[]> {
    const found: string[] = []
    for (const phrase of phrases) {
      for (const set of sets) {
        const { findings } = await judgeCall(set, talk(client, phrase))
        if (findings.some((finding) => finding.rule === rule && finding.verdict === 'met')) found.push(phrase)
      }
    }
    return [...new Set(found)]
  }

  for (const [language, p] of Object.entries(phrases)) {
    it(`only phrases for next steps meet the rule next-step: ${language}`, async () => {
      expect(await findMetPhrases('next-step', p.thanks[0]!, p.nextStep)).to.deep.equal(p.nextStep)
      const others = [
        p.noStep,
        p.contact,
        p.goodbye,
        p.end,
        p.objectionLeft,
        p.value,
        p.needs.map(({ question }) => question),
      ]
      expect(await findMetPhrases('next-step', p.thanks[0]!, others.flat())).to.deep.equal([])
    })

    it(`only phrases for handled objections meet the rule objection-handled: ${language}`, async () => {
      expect(await findMetPhrases('objection-handled', p.expensive[0]!, p.objectionHandled)).to.deep.equal(
        p.objectionHandled,
      )
      const others = [p.objectionLeft, p.nextStep, p.noStep]
      expect(await findMetPhrases('objection-handled', p.expensive[0]!, others.flat())).to.deep.equal([])
    })
  }
})
