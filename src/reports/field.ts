import Type, { type TProperties } from 'typebox'
import { nullable } from '../calls/recordings/schema.ts'

export const closed = { additionalProperties: false }

export const boolean = (description: string) => Type.Boolean({ description })
export const count = (description: string) => Type.Integer({ description })
export const number = (description: string) => Type.Number({ description })
export const text = (description: string) => Type.String({ description })
export const day = (description: string) => Type.String({ format: 'date', description })
export const time = (description: string) => Type.String({ format: 'date-time', description })
export const maybe = nullable
export const maybeNumber = (description: string) => maybe(Type.Number(), description)
export const maybeText = (description: string) => maybe(Type.String(), description)
export const maybeTime = (description: string) => maybe(Type.String({ format: 'date-time' }), description)
export const list = <S extends Type.TSchema>(items: S, description: string) => Type.Array(items, { description })
/** An object whose properties are all required. */
export const object = <P extends TProperties>(properties: P, description: string) =>
  Type.Object(properties, { ...closed, description })

export const ratio = (description: string) =>
  object(
    {
      value: maybeNumber('Numerator by denominator; null where the denominator is below 10.'),
      numerator: count('How many of them.'),
      denominator: count('Of how many.'),
    },
    description,
  )

export const mean = (description: string) =>
  object({ value: maybeNumber('Null where it is of fewer than ten.'), count: count('Of how many.') }, description)

export const money = (description: string) =>
  maybe(object({ amount: number('How much.'), currency: text('The currency.') }, 'An amount.'), description)
