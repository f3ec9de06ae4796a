import { id, integer, nullable, number, object, text, textOrNull, time } from '../platform/http/field.ts'

const nameThen = text('The names at that time.')

export const person = (description: string) => object(description, { id: id('The person.'), name: nameThen })

export const personOrNull = (description: string) =>
  nullable(object({ id: id('The person.'), name: nameThen }), description)

export const money = (description: string) =>
  nullable(object({ amount: number('The amount.'), currency: text('The currency.') }), description)

export const usage = (description: string) =>
  nullable(object({ inputTokens: integer('Input tokens.'), outputTokens: integer('Output tokens.') }), description)

/** The names of a call in a list. */
export const callNames = {
  phoneNumber: textOrNull('The client’s phone.'),
  managerName: textOrNull('The manager.'),
  callAt: time('When the call was or, if unknown, when it arrived.'),
}
