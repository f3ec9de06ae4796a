import { requirePerson } from '../../platform/http/actor.ts'
import { respondCreated, route, type Route } from '../../platform/http/route.ts'
import { addPlaylistItem, loadPlaylistWithItems, orderPlaylist, removePlaylistItem } from './items.ts'
import * as operations from './schema.ts'
import { changePlaylist, createPlaylist, deletePlaylist, listPlaylists } from './service.ts'

export const playlistRoutes: Route[] = [
  route(operations.listPlaylistsOperation, ({ core, actor, query }) =>
    listPlaylists(core, requirePerson(actor), query),
  ),

  route(operations.readPlaylistOperation, ({ core, actor, id }) =>
    loadPlaylistWithItems(core, requirePerson(actor), id),
  ),

  route(operations.createPlaylistOperation, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/playlists', await createPlaylist(core, requirePerson(actor), body)),
  ),

  route(operations.changePlaylistOperation, ({ core, actor, id, body }) =>
    changePlaylist(core, requirePerson(actor), id, body),
  ),

  route(operations.deletePlaylistOperation, async ({ ctx, core, actor, id }) => {
    await deletePlaylist(core, requirePerson(actor), id)
    ctx.status = 204
  }),

  route(operations.addPlaylistItemOperation, async ({ ctx, core, actor, id, body }) => {
    ctx.status = 201
    return addPlaylistItem(core, requirePerson(actor), id, body)
  }),

  route(operations.orderPlaylistOperation, async ({ ctx, core, actor, id, body }) => {
    await orderPlaylist(core, requirePerson(actor), id, body.recordingIds)
    ctx.status = 204
  }),

  route(operations.removePlaylistItemOperation, async ({ ctx, core, actor, id }) => {
    await removePlaylistItem(core, requirePerson(actor), id, ctx.params.recordingId)
    ctx.status = 204
  }),
]
