import { integer, nullable, number, numberOrNull, object, text } from '../platform/http/field.ts'

export * from '../platform/http/field.ts'

export const ratio = (description: string) =>
  object(description, {
    value: numberOrNull('Numerator by denominator; null if the denominator is below 10.'),
    numerator: integer('The numerator.'),
    denominator: integer('The denominator.'),
  })

export const mean = (description: string) =>
  object(description, {
    value: numberOrNull('The value; null for fewer than ten.'),
    count: integer('The number of values.'),
  })

export const money = (description: string) =>
  nullable(object('An amount.', { amount: number('The amount.'), currency: text('The currency.') }), description)
