import Type from 'typebox'
import { callNameProperties } from '../check/schemas.ts'
import * as field from '../platform/http/field.ts'
import { isoTimeSql } from '../reports/query-rows.ts'

/** Properties that all operations of this module share. They serve the panel, so no key can call them. */
export const workOperation = { tag: 'Working together', access: 'scoped', closedToKeys: true } as const

/** Limits a moment to a day, which is longer than any recording. */
export const momentSchema = Type.Number({
  minimum: 0,
  maximum: 86_400,
  description: 'The moment in seconds from the start of the recording.',
})

/** Creates the schema of a text with several lines. */
export const textSchema = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: field.NO_NUL_PATTERN, description })

/** Creates the schema of a person by id and name. */
export const personSchema = (description: string) =>
  field.object(description, { id: field.id('The person.'), name: field.text('Their name.') })

/** SQL for the person with this id as JSON of personSchema(); null without an id. */
export const personReferenceSql = (id: string): string =>
  `(SELECT json_build_object('id', p.id, 'name', p.name) FROM people p WHERE p.id = ${id})`

export const CallReferenceSchema = field.object('The call.', { id: field.id('The call.'), ...callNameProperties })

/** SQL for a recording r as JSON of CallReferenceSchema. */
export const CALL_REFERENCE_SQL = `json_build_object('id', r.id, 'phoneNumber', r.phone_number,
  'managerName', r.manager_name, 'callAt', ${isoTimeSql('r.call_at')})`

export const exampleCallReference = {
  id: '01890a5d-ac96-774b-bcce-b302099a8059',
  phoneNumber: '+375291234567',
  managerName: 'Max Berger',
  callAt: '2026-03-01T06:55:00.000Z',
}
export const examplePerson = { id: '01890a5d-ac96-774b-bcce-b302099a8057', name: 'Hanna Novik' }

export const noCallResponse = { description: 'No such call, or it is outside your access.' }
