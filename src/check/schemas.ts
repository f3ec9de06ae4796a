import { id, integer, nullable, number, object, text, textOrNull, time } from '../platform/http/field.ts'
import { bilingualTextSchema } from './rules/schema.ts'

const nameAtTheTime = text('The person’s name at that time.')

/** Builds the schema of a person with the id and the name at the time of the event. */
export const personSchema = (description: string) => object(description, { id: id('The person.'), name: nameAtTheTime })

/** Builds the schema of a person, which can be null, with the id and the name at the time of the event. */
export const nullablePersonSchema = (description: string) =>
  nullable(object({ id: id('The person.'), name: nameAtTheTime }), description)

/** Builds the schema of an amount with its currency, which can be null. */
export const nullableMoneySchema = (description: string) =>
  nullable(object({ amount: number('The amount.'), currency: text('The currency.') }), description)

/** Builds the schema of the tokens that a model used, which can be null. */
export const nullableTokenUsageSchema = (description: string) =>
  nullable(object({ inputTokens: integer('Input tokens.'), outputTokens: integer('Output tokens.') }), description)

/** Properties that identify a call in a list: phone, manager and time. */
export const callNameProperties = {
  phoneNumber: textOrNull('The client’s phone number; null if unknown.'),
  managerName: textOrNull('The manager’s name; null if unknown.'),
  callAt: time('When the call began or, if unknown, when the recording was created.'),
}

/** The fields that name a rule set. */
export const ruleSetProperties = {
  id: id('The rule set.'),
  key: text('The key of the rule set.'),
  name: bilingualTextSchema(200, 'The name of the rule set.'),
}
