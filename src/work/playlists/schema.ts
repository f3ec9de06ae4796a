import Type, { type Static } from 'typebox'
import * as field from '../../platform/http/field.ts'
import type { Operation } from '../../platform/http/operation.ts'
import {
  CallReferenceSchema,
  exampleCallReference,
  examplePerson,
  momentSchema,
  personSchema,
  textSchema,
  workOperation,
} from '../schema.ts'
import { MAX_PLAYLIST_CALLS, MAX_PLAYLISTS } from './values.ts'

const playlistFields = {
  name: field.singleLine(100, 'Its name.'),
  departmentId: field.idOrNull('The department that it is shared with; one of yours. Null: only you see it.'),
}

const playlistProperties = {
  id: field.id('The playlist.'),
  ...playlistFields,
  department: field.textOrNull('The name of the department; null if only you see the playlist.'),
  person: personSchema('The author.'),
  canChange: field.boolean('Whether you can change and delete it.'),
  calls: field.integerOrNull('How many of its calls you see; null with counts=false.'),
  createdAt: field.time('When it was created.'),
}
const PlaylistSchema = field.namedObject(
  'Playlist',
  'Calls in an order, to hear one after the other.',
  playlistProperties,
)
export type PlaylistJson = Static<typeof PlaylistSchema>

const ItemSchema = field.namedObject('PlaylistItem', 'A call of a playlist.', {
  recording: CallReferenceSchema,
  durationSeconds: field.numberOrNull('The length of the recording in seconds; null if unknown.'),
  hasAudio: field.boolean('Whether the audio of the call is stored.'),
  score: field.numberOrNull('The score of the call check, 0 to 100; null without a score.'),
  at: field.numberOrNull('Where to begin, in seconds from the start of the recording; null for the beginning.'),
  note: field.textOrNull('Why the call is in the playlist; null without a note.'),
  person: personSchema('The person who added it.'),
  addedAt: field.time('When it was added.'),
})
export type PlaylistItemJson = Static<typeof ItemSchema>

const PlaylistWithItemsSchema = field.namedObject('PlaylistWithItems', 'A playlist with its calls.', {
  ...playlistProperties,
  items: field.list(ItemSchema, 'The calls that you see, in the order of the playlist; added calls are last.'),
})
export type PlaylistWithItemsJson = Static<typeof PlaylistWithItemsSchema>

const examplePlaylist: PlaylistJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8065',
  name: 'Best objections',
  departmentId: '01890a5d-ac96-774b-bcce-b302099a8060',
  department: 'Sales',
  person: examplePerson,
  canChange: true,
  calls: 1,
  createdAt: '2026-03-01T07:10:00.000Z',
}
const exampleItem: PlaylistItemJson = {
  recording: exampleCallReference,
  durationSeconds: 184.2,
  hasAudio: true,
  score: 92,
  at: 42.5,
  note: 'A good answer to “too expensive”',
  person: examplePerson,
  addedAt: '2026-03-01T07:12:00.000Z',
}

const notFoundResponse = { description: 'No such playlist, or it is outside your access.' }
const notChangeableResponse = { description: 'No such playlist that you can change.' }

export const listPlaylistsOperation = {
  ...workOperation,
  id: 'listPlaylists',
  method: 'get',
  path: '/v1/playlists',
  summary: 'Playlists of calls',
  description: 'Your own playlists and those shared with your departments, by name. Owners see all shared playlists.',
  query: field.object({
    recordingId: Type.Optional(field.id('Only playlists that contain this call.')),
    counts: Type.Optional(field.boolean('Whether to count the calls, which takes longer. Default: true.')),
  }),
  responses: {
    200: {
      description: 'The playlists.',
      json: field.object('The playlists.', { items: field.list(PlaylistSchema, 'The playlists, by name.') }),
      example: { items: [examplePlaylist] },
    },
  },
} as const satisfies Operation

export const readPlaylistOperation = {
  ...workOperation,
  id: 'readPlaylist',
  method: 'get',
  path: '/v1/playlists/{id}',
  audit: 'playlist.read',
  auditObject: 'playlist',
  summary: 'One playlist with its calls',
  description: 'Calls that you do not see are absent and not counted.',
  responses: {
    200: {
      description: 'The playlist.',
      json: PlaylistWithItemsSchema,
      example: { ...examplePlaylist, items: [exampleItem] },
    },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const createPlaylistOperation = {
  ...workOperation,
  id: 'createPlaylist',
  method: 'post',
  path: '/v1/playlists',
  summary: 'Create a playlist',
  body: field.requestBody(
    { name: examplePlaylist.name },
    { ...playlistFields, departmentId: Type.Optional(playlistFields.departmentId) },
  ),
  responses: {
    201: {
      description: 'The playlist.',
      json: PlaylistSchema,
      example: { ...examplePlaylist, departmentId: null, department: null, calls: 0 },
      headers: { Location: 'The address of the playlist.' },
    },
    409: { description: `You already have ${MAX_PLAYLISTS} playlists.` },
  },
} as const satisfies Operation

export const changePlaylistOperation = {
  ...workOperation,
  id: 'changePlaylist',
  method: 'patch',
  path: '/v1/playlists/{id}',
  summary: 'Rename a playlist, or share it',
  description:
    'Omitted fields stay. The author can change the playlist and, if it is shared, heads of its department and owners. ' +
    'Only the author can make it private.',
  body: field.requestBody(
    { name: 'Good answers' },
    { name: Type.Optional(playlistFields.name), departmentId: Type.Optional(playlistFields.departmentId) },
  ),
  responses: {
    200: {
      description: 'The playlist now.',
      json: PlaylistSchema,
      example: { ...examplePlaylist, name: 'Good answers' },
    },
    404: notChangeableResponse,
  },
} as const satisfies Operation

export const deletePlaylistOperation = {
  ...workOperation,
  id: 'deletePlaylist',
  method: 'delete',
  path: '/v1/playlists/{id}',
  summary: 'Delete a playlist',
  description: 'Its calls stay.',
  responses: { 204: { description: 'Deleted.' }, 404: notChangeableResponse },
} as const satisfies Operation

export const addPlaylistItemOperation = {
  ...workOperation,
  id: 'addPlaylistItem',
  method: 'post',
  path: '/v1/playlists/{id}/items',
  summary: 'Add a call to the end of a playlist',
  body: field.requestBody(
    { recordingId: exampleCallReference.id, at: 42.5, note: exampleItem.note },
    {
      recordingId: field.id('The call.'),
      at: Type.Optional(momentSchema),
      note: Type.Optional(textSchema(300, 'Why the call is in the playlist.')),
    },
  ),
  responses: {
    201: { description: 'The call in the playlist.', json: ItemSchema, example: exampleItem },
    404: { description: 'No such playlist that you can change, or no such call.' },
    409: { description: `The call is already in the playlist, or the playlist has ${MAX_PLAYLIST_CALLS} calls.` },
  },
} as const satisfies Operation

export const removePlaylistItemOperation = {
  ...workOperation,
  id: 'removePlaylistItem',
  method: 'delete',
  path: '/v1/playlists/{id}/items/{recordingId}',
  summary: 'Remove a call from a playlist',
  params: { recordingId: field.id('The call.') },
  responses: {
    204: { description: 'Removed.' },
    404: { description: 'No such playlist that you can change, or no such call in it.' },
  },
} as const satisfies Operation

export const orderPlaylistOperation = {
  ...workOperation,
  id: 'orderPlaylist',
  method: 'put',
  path: '/v1/playlists/{id}/order',
  summary: 'Change the order of the calls of a playlist',
  description: 'Calls that you do not see keep their places.',
  body: field.requestBody(
    { recordingIds: [exampleCallReference.id] },
    {
      recordingIds: Type.Array(field.id('A call.'), {
        maxItems: MAX_PLAYLIST_CALLS,
        description: 'All calls of the playlist that you see, in the new order.',
      }),
    },
  ),
  responses: {
    204: { description: 'Ordered.' },
    404: notChangeableResponse,
    409: { description: 'These are not the calls of the playlist that you see now.' },
  },
} as const satisfies Operation
