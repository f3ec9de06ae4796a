import type { PlaylistJson } from '../../work/playlists/schema.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'

/** The playlists that contain a call, and those to which the person can add it. */
interface CallPlaylists {
  containing: { name: string; href: string }[]
  choices: { value: string; text: string }[]
  canAdd: boolean
}

/** Fetches the playlists for the page of the call in the address. */
export async function fetchCallPlaylists({ api, ctx, seeAs }: PageContext): Promise<CallPlaylists> {
  const fetchList = async (query: string): Promise<PlaylistJson[]> =>
    (await api.fetch<{ items: PlaylistJson[] }>(`/v1/playlists${query}`).catch(ignoreApiRejection))?.items ?? []
  const recordingId = encodeURIComponent(String(ctx.params.id))
  const [all, containing] = await Promise.all([fetchList(''), fetchList(`?recordingId=${recordingId}`)])
  const isFree = ({ id, canChange }: PlaylistJson) => canChange && !containing.some((one) => one.id === id)
  return {
    containing: containing.map(({ id, name }) => ({ name, href: `/playlists/${id}` })),
    choices: all.filter(isFree).map(({ id, name }) => ({ value: id, text: name })),
    canAdd: seeAs === undefined,
  }
}
