import type { Rule, RuleSetBody } from '../check/rules/types.ts'
import type { TestClient } from './client.ts'

/** Rules for a greeting (60 points), a farewell (40 points) and a critical rule. */
export const MANNERS_RULES: Rule[] = [
  {
    key: 'greeting',
    name: { en: 'Greets', ru: 'Поздоровался' },
    kind: 'said',
    side: 'agent',
    any: { ru: ['добрый день'], en: ['good morning'] },
    weight: 60,
    mono: 'search',
  },
  {
    key: 'farewell',
    name: { en: 'Says goodbye', ru: 'Попрощался' },
    kind: 'said',
    side: 'agent',
    any: { ru: ['до свидания'], en: ['goodbye'] },
    weight: 40,
    mono: 'search',
  },
  {
    key: 'insults',
    name: { en: 'No insults', ru: 'Без оскорблений' },
    kind: 'notSaid',
    side: 'agent',
    any: { ru: ['заткнитесь'], en: ['shut up'] },
    weight: 0,
    critical: true,
  },
]

/** A rule that only a language model can check. */
export const EMPATHY_RULE: Rule = {
  key: 'empathy',
  name: { en: 'Shows empathy', ru: 'Сочувствует' },
  kind: 'model',
  side: 'agent',
  weight: 20,
}

/**
 * Creates a rule set through the API.
 * @returns the rule set with its draft
 */
export async function createRuleSet(client: TestClient, key: string, more: Partial<RuleSetBody> = {}) {
  const { status, json, text } = await client.post('/v1/rule-sets', {
    key,
    name: { en: key, ru: key },
    mode: 'score',
    rules: MANNERS_RULES,
    ...more,
  })
  if (status !== 201) throw new Error(`the set ${key} cannot be made: ${text}`)
  return json
}

/**
 * Creates and publishes a rule set through the API.
 * @returns the id of the rule set
 */
export async function createPublishedRuleSet(
  client: TestClient,
  key: string,
  more: Partial<RuleSetBody> = {},
): Promise<string> {
  const { id, draft } = await createRuleSet(client, key, more)
  const { status, text } = await client.post(`/v1/rule-sets/${id}/publish`, { revision: draft.revision })
  if (status !== 200) throw new Error(`the set ${key} cannot be published: ${text}`)
  return id
}
