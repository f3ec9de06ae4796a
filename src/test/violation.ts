import { expect } from 'chai'
import type { Answer } from './client.ts'

/** A refusal with this status, whose first message is like this: one string a field where it is 400. */
export function expectViolation({ status, json }: Answer, expected: number, message: string | RegExp): void {
  expect(status, JSON.stringify(json)).to.equal(expected)
  expect(Array.isArray(json.message), 'one string a field').to.equal(expected === 400)
  expect([json.message].flat()[0]).to.match(new RegExp(message))
}
