import { id, integer, nullable, number, object, text, textOrNull, time } from '../platform/http/field.ts'

const nameThen = text('As they were called then.')

export const person = (description: string) => object(description, { id: id('The person.'), name: nameThen })

export const personOrNull = (description: string) =>
  nullable(object({ id: id('The person.'), name: nameThen }), description)

export const money = (description: string) =>
  nullable(object({ amount: number('How much.'), currency: text('Of what.') }), description)

export const usage = (description: string) =>
  nullable(
    object({ inputTokens: integer('Tokens that were sent.'), outputTokens: integer('Tokens that came back.') }),
    description,
  )

/** The names of a call in a list. */
export const callNames = {
  phoneNumber: textOrNull('The client’s phone.'),
  managerName: textOrNull('The manager.'),
  callAt: time('When the call was or came in.'),
}
