import Type, { type Static } from 'typebox'
import { ROLES } from '../../platform/http/actor.ts'
import * as field from '../../platform/http/field.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { examplePerson, momentSchema, noCallResponse, personSchema, textSchema, workOperation } from '../schema.ts'
import { MAX_CALL_COMMENTS } from './values.ts'

const CommentSchema = field.namedObject('Comment', 'A comment on a moment of a call.', {
  id: field.id('The comment.'),
  at: field.number('The moment in seconds from the start of the recording.'),
  text: field.text('The text; empty for a deleted comment that has replies.'),
  person: personSchema('The author.'),
  mentions: field.list(personSchema('A mentioned person.'), 'The people that the text mentions, by name.'),
  replyTo: field.idOrNull('The first comment of the thread; null if this is the first one.'),
  createdAt: field.time('When it was written.'),
  editedAt: field.timeOrNull('When its text was last changed; null if never.'),
  isDeleted: field.boolean('Whether the author deleted it while it had replies.'),
  isOwn: field.boolean('Whether you wrote it, and can change and delete it.'),
})
export type CommentJson = Static<typeof CommentSchema>

const exampleComment: CommentJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8061',
  at: 42.5,
  text: 'A good answer to “too expensive”. @Max Berger, use it again.',
  person: examplePerson,
  mentions: [{ id: '01890a5d-ac96-774b-bcce-b302099a8058', name: 'Max Berger' }],
  replyTo: null,
  createdAt: '2026-03-01T07:10:00.000Z',
  editedAt: null,
  isDeleted: false,
  isOwn: true,
}
const exampleChangedComment: CommentJson = {
  ...exampleComment,
  text: 'A good answer to “too expensive”.',
  mentions: [],
  editedAt: '2026-03-01T07:15:00.000Z',
}

const contentProperties = {
  text: textSchema(2000, 'The text.'),
  mentions: Type.Optional(
    Type.Array(field.id('A person.'), {
      maxItems: 20,
      description:
        'The people that the text mentions. They get a notification. Each must see the call; see the operation ' +
        'listMentionablePeople.',
    }),
  ),
}
const commentIdParameter = { commentId: field.id('The comment.') }
const noCommentResponse = { description: 'No such comment of yours, or the call is outside your access.' }

export const listCommentsOperation = {
  ...workOperation,
  id: 'listComments',
  method: 'get',
  path: '/v1/recordings/{id}/comments',
  audit: 'comments.list',
  auditObject: 'recording',
  summary: 'The comments on a call',
  description: 'Threads by their moment, each with its replies, oldest first. Everybody who sees the call sees them.',
  responses: {
    200: {
      description: 'The comments.',
      json: field.object('The comments.', {
        items: field.list(CommentSchema, `All comments on the call, at most ${MAX_CALL_COMMENTS}.`),
      }),
      example: { items: [exampleComment] },
    },
    404: noCallResponse,
  },
} as const satisfies Operation

export const createCommentOperation = {
  ...workOperation,
  id: 'createComment',
  method: 'post',
  path: '/v1/recordings/{id}/comments',
  summary: 'Comment on a moment of a call',
  description: 'Mentioned people, the author of the thread and the manager of the call get a notification.',
  body: field.requestBody(
    { at: 42.5, text: exampleComment.text, mentions: [exampleComment.mentions[0]!.id] },
    {
      at: momentSchema,
      ...contentProperties,
      replyTo: Type.Optional(field.id('A comment on the same call, whose thread the new one joins.')),
    },
  ),
  responses: {
    201: { description: 'The comment.', json: CommentSchema, example: exampleComment },
    404: noCallResponse,
    409: { description: `The call already has ${MAX_CALL_COMMENTS} comments.` },
  },
} as const satisfies Operation

export const changeCommentOperation = {
  ...workOperation,
  id: 'changeComment',
  method: 'patch',
  path: '/v1/recordings/{id}/comments/{commentId}',
  summary: 'Change your comment',
  description: 'Without mentions, the mentioned people stay. Only newly mentioned people get a notification.',
  params: commentIdParameter,
  body: field.requestBody({ text: exampleChangedComment.text, mentions: [] }, contentProperties),
  responses: {
    200: { description: 'The comment now.', json: CommentSchema, example: exampleChangedComment },
    404: noCommentResponse,
  },
} as const satisfies Operation

export const deleteCommentOperation = {
  ...workOperation,
  id: 'deleteComment',
  method: 'delete',
  path: '/v1/recordings/{id}/comments/{commentId}',
  summary: 'Delete your comment',
  description: 'If it has replies, only its text is deleted. Its notifications are deleted with it.',
  params: commentIdParameter,
  responses: { 204: { description: 'Deleted.' }, 404: noCommentResponse },
} as const satisfies Operation

const MentionableSchema = field.object('A person.', {
  id: field.id('The person.'),
  name: field.text('Their name.'),
  role: field.oneOf(ROLES, 'Their role.'),
  isCallManager: field.boolean('Whether the person is the manager of the call.'),
})

export const listMentionablePeopleOperation = {
  ...workOperation,
  id: 'listMentionablePeople',
  method: 'get',
  path: '/v1/recordings/{id}/mentionable-people',
  audit: 'person.list',
  auditObject: 'recording',
  summary: 'The people that a comment on a call can mention',
  description: 'The other people who see the call: owners, heads of its department, and its manager.',
  responses: {
    200: {
      description: 'The people, by name.',
      json: field.object('The people.', { items: field.list(MentionableSchema, 'The people, by name.') }),
      example: { items: [{ ...examplePerson, role: 'head', isCallManager: false }] },
    },
    404: noCallResponse,
  },
} as const satisfies Operation
