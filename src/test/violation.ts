import { expect } from 'chai'
import type { ClientResponse } from './client.ts'

/** An error with this status and a first message like this; a 400 has one string per field. */
export function expectViolation({ status, json }: ClientResponse, expected: number, message: string | RegExp): void {
  expect(status, JSON.stringify(json)).to.equal(expected)
  expect(Array.isArray(json.message), 'one string a field').to.equal(expected === 400)
  expect([json.message].flat()[0]).to.match(new RegExp(message))
}
