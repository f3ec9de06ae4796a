import type { PlaylistJson } from '../../work/playlists/schema.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'
import type { PageContext, RequestContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'

/** The playlists that contain a call, and those to which the person can add it. */
interface CallPlaylists {
  containing: { name: string; href: string }[]
  choices: { value: string; text: string }[]
  canAdd: boolean
}

/** Fetches the playlists that the person sees, without counts. @param recordingId only those that contain this call */
export async function fetchUncountedPlaylists({ api }: RequestContext, recordingId = ''): Promise<PlaylistJson[]> {
  const path = formatPathWithQuery('/v1/playlists', { counts: 'false', recordingId })
  return (await api.fetch<{ items: PlaylistJson[] }>(path)).items
}

/** Fetches the playlists for the page of the call in the address. */
export async function fetchCallPlaylists(context: PageContext): Promise<CallPlaylists> {
  const fetchList = async (recordingId?: string): Promise<PlaylistJson[]> =>
    (await fetchUncountedPlaylists(context, recordingId).catch(ignoreApiRejection)) ?? []
  const [all, containing] = await Promise.all([fetchList(), fetchList(String(context.ctx.params.id))])
  const isFree = ({ id, canChange }: PlaylistJson) => canChange && !containing.some((one) => one.id === id)
  return {
    containing: containing.map(({ id, name }) => ({ name, href: `/playlists/${id}` })),
    choices: all.filter(isFree).map(({ id, name }) => ({ value: id, text: name })),
    canAdd: context.seeAs === undefined,
  }
}
