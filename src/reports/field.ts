import { integer, nullable, number, numberOrNull, object, text } from '../platform/http/field.ts'

export * from '../platform/http/field.ts'

export const ratio = (description: string) =>
  object(description, {
    value: numberOrNull('Numerator by denominator; null if the denominator is below 10.'),
    numerator: integer('How many of them.'),
    denominator: integer('Of how many.'),
  })

export const mean = (description: string) =>
  object(description, { value: numberOrNull('Null where it is of fewer than ten.'), count: integer('Of how many.') })

export const money = (description: string) =>
  nullable(object('An amount.', { amount: number('How much.'), currency: text('The currency.') }), description)
