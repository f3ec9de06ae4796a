import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { CALL_DIRECTIONS } from './entity.ts'
import { CallFields, recordingExample, RecordingSchema } from './schema.ts'

const { externalCallId, phoneNumber, managerName, callStartedAt } = CallFields.properties

/** Returns the schema of a field at creation, extended by null, which clears the field. */
const nullableField = ({ description, ...schema }: Type.TSchema & { description?: string }) =>
  Type.Optional(
    Type.Unsafe<string | null>({ ...schema, type: ['string', 'null'], description: `${description} Null clears it.` }),
  )

export const RecordingCorrection = Type.Object(
  {
    externalCallId: nullableField(externalCallId),
    phoneNumber: nullableField(phoneNumber),
    managerName: nullableField({
      ...managerName,
      description:
        'The manager’s name. People other than owners can set only managers whose calls they see, and cannot clear ' +
        'the name. Without a name, the call belongs to the manager of its CRM user again.',
    }),
    direction: Type.Optional(
      Type.Unsafe<(typeof CALL_DIRECTIONS)[number] | null>({
        enum: [...CALL_DIRECTIONS, null],
        description: 'INBOUND or OUTBOUND. Null clears it.',
      }),
    ),
    callStartedAt: nullableField(callStartedAt),
  },
  {
    additionalProperties: false,
    description: 'The corrected fields; omitted fields keep their values.',
    examples: [{ phoneNumber: '+375291234567', direction: 'INBOUND' }],
  },
)
export type RecordingCorrection = Static<typeof RecordingCorrection>

export const correctRecordingOperation = {
  id: 'correctRecording',
  method: 'patch',
  path: '/v1/recordings/{id}',
  tag: 'Recordings',
  summary: 'Correct the fields of a call',
  description:
    'Works in any state of the recording. Filters, counts and visibility change at once. A pending callback keeps ' +
    'the values from the end of the transcription. The deals of the call are searched again unless a person ' +
    'chose them. The call is checked again if other rule sets can apply. If externalCallId becomes the id of a ' +
    'CRM call, the recording becomes that call. Its manager is then the CRM’s user, unless a person set another ' +
    'manager or does not see that manager’s calls. If the id of a CRM call is removed, that CRM call is loaded ' +
    'again. The audit log stores the old and the new values.',
  access: 'scoped',
  rights: ['manageRecordings'],
  closedToKeys: true,
  body: RecordingCorrection,
  responses: {
    200: { description: 'The recording after the change.', json: RecordingSchema, example: recordingExample },
    404: { description: 'No such recording, or it is outside your access.' },
    409: {
      description: 'Another recording has this call id.',
      headers: { Location: 'The address of that recording, for callers who see it.' },
    },
  },
} as const satisfies Operation
