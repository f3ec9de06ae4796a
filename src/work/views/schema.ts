import Type, { type Static } from 'typebox'
import { listRecordingsOperation } from '../../calls/recordings/operations.ts'
import * as field from '../../platform/http/field.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { examplePerson, personSchema, workOperation } from '../schema.ts'
import { MAX_SUBSCRIPTIONS, MAX_VIEWS } from './values.ts'

const { page: _, pageSize: __, ...filterProperties } = listRecordingsOperation.query.properties

/** The query parameters of the list of calls that a view can have: all but those of the page. */
export const ViewFiltersSchema = field.object(filterProperties)

/** Creates the schema of filters in a request body. parseViewFilters() validates the values. */
export const createFiltersSchema = (purpose = '') =>
  field.map(
    Type.String({ maxLength: 5000 }),
    'Query parameters of GET /v1/recordings except page and pageSize, each as the text that the query has. They are ' +
      `validated like that query; a violation names the parameter, such as filters.scoreBelow. ${purpose}`.trim(),
    { maxProperties: 30 },
  )

const viewFields = {
  name: field.singleLine(100, 'Its name.'),
  filters: createFiltersSchema(),
  departmentId: field.idOrNull(
    'The department that it is shared with; one of yours. Null: only you see it. Each manager, phone, deal, id and ' +
      'externalCallId in the filters must match a call of the department that you see.',
  ),
}

const ViewSchema = field.namedObject('View', 'Filters and an order of the list of calls.', {
  id: field.id('The view.'),
  ...viewFields,
  department: field.textOrNull('The name of the department; null if only you see the view.'),
  person: personSchema('The author.'),
  canChange: field.boolean('Whether you can change and delete it.'),
  isSubscribed: field.boolean('Whether you get a notification when a call enters it.'),
  createdAt: field.time('When it was saved.'),
})
export type ViewJson = Static<typeof ViewSchema>

const exampleView: ViewJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8064',
  name: 'Below 50',
  filters: { scoreBelow: '50', sort: 'score', order: 'asc' },
  departmentId: '01890a5d-ac96-774b-bcce-b302099a8060',
  department: 'Sales',
  person: examplePerson,
  canChange: true,
  isSubscribed: false,
  createdAt: '2026-03-01T07:10:00.000Z',
}

const noViewResponse = { description: 'No such view, or it is outside your access.' }
const sharedResponses = {
  404: { description: 'No such view that you can change.' },
}

export const listViewsOperation = {
  ...workOperation,
  id: 'listViews',
  method: 'get',
  path: '/v1/views',
  summary: 'Saved views of the list of calls',
  description: 'Your own views and those shared with your departments, by name. Owners see all shared views.',
  query: field.object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'The maximum number of views; all by default. With a limit, your own come first.',
      }),
    ),
  }),
  responses: {
    200: {
      description: 'The views.',
      json: field.object('The views.', {
        items: field.list(ViewSchema, 'The views, by name; with limit, your own first.'),
      }),
      example: { items: [exampleView] },
    },
  },
} as const satisfies Operation

export const createViewOperation = {
  ...workOperation,
  id: 'createView',
  method: 'post',
  path: '/v1/views',
  summary: 'Save filters and an order of the list of calls',
  body: field.requestBody(
    { name: exampleView.name, filters: exampleView.filters },
    { ...viewFields, departmentId: Type.Optional(viewFields.departmentId) },
  ),
  responses: {
    201: {
      description: 'The view.',
      json: ViewSchema,
      example: { ...exampleView, departmentId: null, department: null },
    },
    409: { description: `You already have ${MAX_VIEWS} views.` },
  },
} as const satisfies Operation

export const changeViewOperation = {
  ...workOperation,
  id: 'changeView',
  method: 'patch',
  path: '/v1/views/{id}',
  summary: 'Change a view',
  description:
    'Omitted fields stay. The author can change the view and, if it is shared, heads of its department and owners. ' +
    'Only the author can make it private.',
  body: field.requestBody(
    { name: exampleView.name, departmentId: exampleView.departmentId },
    {
      name: Type.Optional(viewFields.name),
      filters: Type.Optional(viewFields.filters),
      departmentId: Type.Optional(viewFields.departmentId),
    },
  ),
  responses: { 200: { description: 'The view now.', json: ViewSchema, example: exampleView }, ...sharedResponses },
} as const satisfies Operation

export const deleteViewOperation = {
  ...workOperation,
  id: 'deleteView',
  method: 'delete',
  path: '/v1/views/{id}',
  summary: 'Delete a view',
  description: 'The author can delete it and, if it is shared, heads of its department and owners.',
  responses: { 204: { description: 'Deleted.' }, ...sharedResponses },
} as const satisfies Operation

export const countViewOperation = {
  ...workOperation,
  id: 'countView',
  method: 'get',
  path: '/v1/views/{id}/count',
  summary: 'How many calls a view contains',
  description: 'Counts the calls that you see. The number can be a minute old.',
  responses: {
    200: {
      description: 'The number.',
      json: field.object('The number of calls.', { count: field.integer('How many calls match.') }),
      example: { count: 219 },
    },
    404: noViewResponse,
  },
} as const satisfies Operation

export const subscribeToViewOperation = {
  ...workOperation,
  id: 'subscribeToView',
  method: 'put',
  path: '/v1/views/{id}/subscription',
  summary: 'Get a notification when a call enters a view',
  description:
    'A call enters a view when its transcript or check is finished or corrected, and the view contains it for the ' +
    'first time. Calls that started before the subscription do not notify, nor do rechecks of a period, nor calls that ' +
    'enter a relative period only because time passes. ' +
    'Subscribing again changes nothing.',
  responses: {
    204: { description: 'Subscribed.' },
    404: noViewResponse,
    409: { description: `You already have ${MAX_SUBSCRIPTIONS} subscriptions.` },
  },
} as const satisfies Operation

export const unsubscribeFromViewOperation = {
  ...workOperation,
  id: 'unsubscribeFromView',
  method: 'delete',
  path: '/v1/views/{id}/subscription',
  summary: 'Get no more notifications about a view',
  description: 'Without a subscription, this changes nothing.',
  responses: { 204: { description: 'Not subscribed.' }, 404: noViewResponse },
} as const satisfies Operation
