import { expect } from 'chai'
import type { TestResponse } from './client.ts'

/** Asserts that a response has this status and this error message. For 400, it checks the first of the messages. */
export function expectErrorResponse({ status, json }: TestResponse, expected: number, message: string | RegExp): void {
  expect(status, JSON.stringify(json)).to.equal(expected)
  expect(Array.isArray(json.message), 'one string a field').to.equal(expected === 400)
  expect([json.message].flat()[0]).to.match(new RegExp(message))
}
