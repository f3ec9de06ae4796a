import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { PlaylistJson } from '../../work/playlists/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { redirect, renderPage, type PageContext } from '../frame/context.ts'
import { parsePostedForm, type FormValues } from '../frame/fields.ts'
import { createFormState, createFormWithErrors, type FormState } from '../frame/form.ts'
import { parseMoment } from '../frame/moment.ts'
import { formatCallHref, formatOriginListParameter } from '../recording/list-navigation.ts'
import { formatRecordingApiPath } from '../recording/query.ts'
import { fetchCallPlaylists, fetchUncountedPlaylists } from './of-call.ts'

async function renderForm(context: PageContext, form: FormState): Promise<void> {
  const { ctx, api, language } = context
  const [playlists, { phoneNumber, fileName, callStartedAt, createdAt }] = await Promise.all([
    fetchCallPlaylists(context),
    api.fetch<RecordingJson>(formatRecordingApiPath(context)),
  ])
  await renderPage(context, 'playlists/add', {
    title: language.words.playlists.add,
    call: {
      href: `/recordings/${ctx.params.id}`,
      kept: formatOriginListParameter(ctx.query.list),
      name: language.format.phone(phoneNumber) ?? fileName,
      time: language.format.longTime(callStartedAt ?? createdAt),
    },
    playlists,
    playlistForm: form,
  })
}

/** Shows the form on a page of its own. The page of the call contains the same form. */
export function showAddToPlaylist(context: PageContext): Promise<void> {
  return renderForm(context, createFormState())
}

export async function addCallToPlaylist(context: PageContext): Promise<void> {
  const { ctx, language } = context
  const fields = await parsePostedForm(ctx)
  const showError = async (form: FormState, status: number) => {
    ctx.status = status
    await renderForm(context, form)
  }
  const at = fields.text('at') === '' ? undefined : parseMoment(fields.text('at'))
  if (at === null) {
    const { comments, rules } = language.words
    return showError({ ...createFormState(fields), errors: { at: comments.momentRule }, error: rules.notAccepted }, 400)
  }
  try {
    const name = await addCall(context, fields, at)
    redirect(ctx, formatCallHref(ctx), language.words.playlists.added(name))
  } catch (error) {
    const form = createFormWithErrors(error, fields, ['name', 'note', 'at'], language)
    await showError(form, (error as ApiError).status)
  }
}

/** Adds the call to the chosen or to a new playlist, which is deleted if the API rejects the call. @returns the name of the playlist */
async function addCall(context: PageContext, fields: FormValues, at: number | undefined): Promise<string> {
  const { api, ctx } = context
  const addTo = async ({ id, name }: PlaylistJson): Promise<string> => {
    await api.send('POST', `/v1/playlists/${id}/items`, {
      recordingId: String(ctx.params.id),
      ...(at !== undefined && { at }),
      ...fields.collectFilled('note'),
    })
    return name
  }
  const playlists = await fetchUncountedPlaylists(context)
  const chosen = playlists.find(({ id }) => id === fields.raw('playlist'))
  if (chosen) return addTo(chosen)
  const { body: created } = await api.send<PlaylistJson>('POST', '/v1/playlists', { name: fields.text('name') })
  return addTo(created).catch(async (error: unknown) => {
    await api.send('DELETE', `/v1/playlists/${created.id}`)
    throw error
  })
}
