import Type, { type Static } from 'typebox'
import { RecordingCorrection } from '../../calls/recordings/correction-schema.ts'
import * as field from '../../platform/http/field.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { createPageResponse, pageParameters } from '../../platform/http/paging.ts'
import { workOperation } from '../schema.ts'
import { createFiltersSchema } from '../views/schema.ts'
import {
  BULK_ACTIONS,
  EMPTY_OUTCOME_COUNTS,
  MAX_BULK_ACTION_CALLS,
  MAX_RUNNING_BULK_ACTIONS,
  MAX_UNCHANGED_IDS,
  type ChangeOutcome,
} from './values.ts'

const actionField = field.oneOf(BULK_ACTIONS, 'The action on each call. recheck checks the call again by the rules.')

const { managerName: correctedManagerName } = RecordingCorrection.properties

const BulkActionSchema = field.namedObject('BulkAction', 'An action on many calls, which runs in the background.', {
  id: field.id('The bulk action.'),
  action: actionField,
  managerName: field.textOrNull(
    'The new manager of the action manager; null removes the manager. Null for other actions.',
  ),
  state: field.oneOf(['running', 'done', 'cancelled'], 'Whether the action runs, or how it ended.'),
  total: field.integer('The number of calls.'),
  processed: field.integer('The number of calls that are finished.'),
  counts: field.object('The number of finished calls by outcome.', {
    done: field.integer('Changed.'),
    refused: field.integer('Skipped, because the state of the call forbids the change.'),
    denied: field.integer('Skipped, because you cannot make this change, such as assign this manager.'),
    absent: field.integer('Deleted meanwhile, or outside your access.'),
    failed: field.integer('Not changed because of an error of the service.'),
  } satisfies Record<ChangeOutcome, unknown>),
  unchangedIds: field.list(
    field.id('A recording.'),
    `The first ${MAX_UNCHANGED_IDS} calls that were refused or denied, or failed.`,
  ),
  createdAt: field.time('When it was started.'),
  finishedAt: field.timeOrNull('When its last change ended; null until then.'),
})
export type BulkActionJson = Static<typeof BulkActionSchema>

const exampleBulkAction: BulkActionJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8065',
  action: 'retry',
  managerName: null,
  state: 'running',
  total: 3010,
  processed: 1200,
  counts: { done: 1198, refused: 1, denied: 0, absent: 1, failed: 0 },
  unchangedIds: ['01890a5d-ac96-774b-bcce-b302099a8059'],
  createdAt: '2026-03-01T07:10:00.000Z',
  finishedAt: null,
}

const notFoundResponse = { description: 'You have no such bulk action.' }

export const listBulkActionsOperation = {
  ...workOperation,
  id: 'listBulkActions',
  method: 'get',
  path: '/v1/bulk-actions',
  summary: 'Your actions on many calls',
  description: 'Newest first. An action is deleted 30 days after its end.',
  query: field.object(pageParameters),
  responses: { 200: createPageResponse(BulkActionSchema, 'A page of bulk actions.', exampleBulkAction) },
} as const satisfies Operation

export const createBulkActionOperation = {
  ...workOperation,
  id: 'createBulkAction',
  method: 'post',
  path: '/v1/bulk-actions',
  summary: 'Start an action on many calls',
  description:
    'The action needs the permissions of the single operation. It runs in the background and changes each call with ' +
    'the permissions that you have at that moment. The audit log has an entry for the action and one for each call.',
  body: field.requestBody(
    { action: 'retry', filters: { status: 'FAILED' }, createdUntil: '2026-03-01T07:10:00.000Z' },
    {
      action: actionField,
      filters: Type.Optional(
        createFiltersSchema(
          `Selects the ${MAX_BULK_ACTION_CALLS} newest calls that match now and whose status allows the action.`,
        ),
      ),
      createdUntil: Type.Optional(
        field.time(
          'With filters: only recordings created at this time or earlier, such as when you saw the list. Ignored with ids.',
        ),
      ),
      ids: Type.Optional(
        Type.Array(field.id('A recording.'), {
          minItems: 1,
          maxItems: MAX_BULK_ACTION_CALLS,
          description: 'The calls. Give either these or `filters`.',
        }),
      ),
      managerName: Type.Optional({
        ...correctedManagerName,
        description:
          'Required by the action manager: the new manager’s name. Null removes the manager. Other actions ignore it.',
      }),
    },
  ),
  responses: {
    201: {
      description: 'The action runs, or is done if it has no calls.',
      json: BulkActionSchema,
      example: { ...exampleBulkAction, processed: 0, counts: EMPTY_OUTCOME_COUNTS, unchangedIds: [] },
      headers: { Location: 'The address of the bulk action.' },
    },
    409: { description: `You already have ${MAX_RUNNING_BULK_ACTIONS} running bulk actions.` },
  },
} as const satisfies Operation

export const readBulkActionOperation = {
  ...workOperation,
  id: 'readBulkAction',
  method: 'get',
  path: '/v1/bulk-actions/{id}',
  summary: 'Progress of an action on many calls',
  responses: {
    200: { description: 'The bulk action.', json: BulkActionSchema, example: exampleBulkAction },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const cancelBulkActionOperation = {
  ...workOperation,
  id: 'cancelBulkAction',
  method: 'post',
  path: '/v1/bulk-actions/{id}/cancel',
  summary: 'Stop an action on many calls',
  description:
    'Calls that are already changed stay changed. Changes that have begun still end; finishedAt is null until then.',
  responses: {
    200: {
      description: 'The stopped bulk action.',
      json: BulkActionSchema,
      example: { ...exampleBulkAction, state: 'cancelled' },
    },
    404: notFoundResponse,
    409: { description: 'It has already ended.' },
  },
} as const satisfies Operation
