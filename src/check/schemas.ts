import { id, integer, nullable, number, object, text, textOrNull, time } from '../platform/http/field.ts'

const nameAtTheTime = text('The names at that time.')

/** The schema of a person by id and the name at that time. */
export const personSchema = (description: string) => object(description, { id: id('The person.'), name: nameAtTheTime })

/** The schema of a person or null. */
export const nullablePersonSchema = (description: string) =>
  nullable(object({ id: id('The person.'), name: nameAtTheTime }), description)

/** The schema of an amount of money, or null. */
export const moneySchema = (description: string) =>
  nullable(object({ amount: number('The amount.'), currency: text('The currency.') }), description)

/** The schema of used tokens, or null. */
export const usageSchema = (description: string) =>
  nullable(object({ inputTokens: integer('Input tokens.'), outputTokens: integer('Output tokens.') }), description)

/** The names of a call in a list. */
export const callNameProperties = {
  phoneNumber: textOrNull('The client’s phone.'),
  managerName: textOrNull('The manager.'),
  callAt: time('When the call was or, if unknown, when it arrived.'),
}
