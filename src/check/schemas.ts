import Type, { type TProperties } from 'typebox'
import { nullable } from '../calls/recordings/schema.ts'

/** An object without other fields. */
export function object<T extends TProperties>(properties: T): Type.TObject<T>
export function object<T extends TProperties>(description: string, properties: T): Type.TObject<T>
export function object<T extends TProperties>(first: string | T, properties?: T): Type.TObject<T> {
  if (typeof first !== 'string') return Type.Object(first, { additionalProperties: false })
  return Type.Object(properties!, { additionalProperties: false, description: first })
}

/** The same, under a name of its own in the API description. */
export const titled = <T extends TProperties>(title: string, description: string, properties: T): Type.TObject<T> =>
  Type.Object(properties, { additionalProperties: false, title, description })

export const text = (description: string) => Type.String({ description })
export const id = (description: string) => Type.String({ format: 'uuid', description })
export const time = (description: string) => Type.String({ format: 'date-time', description })
export const timeOrNull = (description: string) => nullable(Type.String({ format: 'date-time' }), description)
export const count = (description: string) => Type.Integer({ description })
export const countOrNull = (description: string) => nullable(Type.Integer(), description)
export const textOrNull = (description: string) => nullable(Type.String(), description)

const nameThen = text('As they were called then.')

export const person = (description: string) => object(description, { id: id('The person.'), name: nameThen })

export const personOrNull = (description: string) =>
  nullable(object({ id: id('The person.'), name: nameThen }), description)

export const money = (description: string) =>
  nullable(object({ amount: Type.Number({ description: 'How much.' }), currency: text('Of what.') }), description)

export const usage = (description: string) =>
  nullable(
    object({ inputTokens: count('Tokens that were sent.'), outputTokens: count('Tokens that came back.') }),
    description,
  )

/** What a call is known by in a list. */
export const callNames = {
  phoneNumber: textOrNull('The client’s phone.'),
  managerName: textOrNull('The manager.'),
  callAt: time('When the call was or came in.'),
}

/** The JSON body of a request, with an example. */
export const requestBody = <T extends TProperties>(example: object, properties: T): Type.TObject<T> =>
  Type.Object(properties, { additionalProperties: false, examples: [example] })
