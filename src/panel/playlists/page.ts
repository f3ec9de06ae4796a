import type { PlaylistJson, PlaylistWithItemsJson } from '../../work/playlists/schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { redirect, renderPage, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormState, type FormState } from '../frame/form.ts'
import type { Page } from '../frame/page.ts'
import { buildPlaybackLinks } from '../frame/playback-links.ts'
import { buildScore } from '../frame/score-bands.ts'
import { fetchShareChoices } from '../frame/share-choices.ts'
import { submitChange } from '../frame/submit.ts'
import { addCallToPlaylist, showAddToPlaylist } from './add-call.ts'
import { playlistWords } from './words.ts'

export const playlistsPage: Page<'playlists', typeof playlistWords> = {
  name: 'playlists',
  words: playlistWords,
  menu: { href: '/playlists', title: playlistWords.title, group: 'work' },
  styles: ['playlists'],
  scripts: ['playlists', 'move-rows'],
  routes: [
    { method: 'get', path: '/playlists', handle: showPlaylists },
    { method: 'get', path: '/playlists/new', handle: (context) => renderForm(context, undefined, createFormState()) },
    { method: 'post', path: '/playlists/new', handle: createPlaylist },
    { method: 'get', path: '/playlists/:id', handle: showPlaylist },
    { method: 'get', path: '/playlists/:id/edit', handle: showEditPlaylist },
    { method: 'post', path: '/playlists/:id/edit', handle: changePlaylist },
    { method: 'post', path: '/playlists/:id/delete', handle: deletePlaylist },
    { method: 'post', path: '/playlists/:id/calls/:recording', handle: changePlaylistCall },
    { method: 'get', path: '/recordings/:id/playlists', handle: showAddToPlaylist },
    { method: 'post', path: '/recordings/:id/playlists', handle: addCallToPlaylist },
  ],
}

async function showPlaylists(context: PageContext): Promise<void> {
  const { words, format } = context.language
  const { items } = await context.api.fetch<{ items: PlaylistJson[] }>('/v1/playlists')
  await renderPage(context, 'playlists/index', {
    title: words.playlists.title,
    rows: items.map(({ id, name, calls, department, person }) => ({
      id,
      name,
      href: `/playlists/${id}`,
      calls: format.number(calls!),
      share: department ?? words.playlists.private,
      author: person.name,
    })),
  })
}

const fetchPlaylist = ({ api, ctx }: PageContext): Promise<PlaylistWithItemsJson> =>
  api.fetch<PlaylistWithItemsJson>(`/v1/playlists/${encodeURIComponent(String(ctx.params.id))}`)

async function showPlaylist(context: PageContext): Promise<void> {
  const playlist = await fetchPlaylist(context)
  const { words, format } = context.language
  const { id, name, department, person, canChange, items } = playlist
  const t = words.playlists
  await renderPage(context, 'playlists/show', {
    title: name,
    scripts: ['tracks.js', 'move-rows.js'],
    href: `/playlists/${id}`,
    about: [department ?? t.private, person.name].join(' · '),
    count: t.calls(items.length, format.number(items.length)),
    canChange: canChange && !context.seeAs,
    rows: items.map((item) => buildItemRow(item, context)),
  })
}

function buildItemRow(
  { recording, at, hasAudio, score, note, durationSeconds }: PlaylistWithItemsJson['items'][number],
  context: PageContext,
) {
  const { format } = context.language
  const { id, callAt, phoneNumber, managerName } = recording
  const time = format.shortTime(callAt)
  const phone = format.phone(phoneNumber)
  return {
    id,
    time: { iso: callAt, text: time, exact: format.exactTime(callAt) },
    phone,
    manager: managerName,
    name: [time, phone, managerName].filter(Boolean).join(', '),
    note,
    length: durationSeconds === null ? null : format.length(durationSeconds),
    score: buildScore(score, context),
    track: buildPlaybackLinks(id, { hearFrom: at, hasAudio }, context),
  }
}

async function renderForm(context: PageContext, edited: PlaylistJson | undefined, form: FormState): Promise<void> {
  const t = context.language.words.playlists
  await renderPage(context, 'playlists/form', {
    title: edited?.name ?? t.create,
    form,
    edited: edited && { name: edited.name, href: `/playlists/${edited.id}` },
    shares: await fetchShareChoices(context, t.private, edited),
  })
}

async function createPlaylist(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const fields = await parsePostedForm(ctx)
  const input = { name: fields.text('name'), departmentId: fields.text('departmentId') || null }
  let to = '/playlists'
  const create = async () => {
    to = `/playlists/${(await api.send<PlaylistJson>('POST', '/v1/playlists', input)).body.id}`
  }
  await submitChange(context, create, {
    to: () => to,
    notice: () => language.words.playlists.created(input.name),
    show: (form) => renderForm(context, undefined, form),
    values: fields,
    names: ['name', 'departmentId'],
  })
}

/** Fetches a playlist that the person can change. @throws PageError 404 */
async function fetchChangeablePlaylist(context: PageContext): Promise<PlaylistWithItemsJson> {
  const playlist = await fetchPlaylist(context)
  if (!playlist.canChange) throw new PageError(404)
  return playlist
}

async function showEditPlaylist(context: PageContext): Promise<void> {
  const edited = await fetchChangeablePlaylist(context)
  const { name, departmentId } = edited
  await renderForm(context, edited, createFormState(FormValues.of({ name, departmentId })))
}

async function changePlaylist(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const fields = await parsePostedForm(ctx)
  const edited = await fetchChangeablePlaylist(context)
  const departmentId = fields.text('departmentId') || null
  const input = { name: fields.text('name'), ...(departmentId !== edited.departmentId && { departmentId }) }
  await submitChange(context, () => api.send('PATCH', `/v1/playlists/${edited.id}`, input), {
    to: `/playlists/${edited.id}`,
    notice: () => language.words.playlists.saved(input.name),
    show: (form) => renderForm(context, edited, form),
    values: fields,
    names: ['name', 'departmentId'],
  })
}

async function deletePlaylist(context: PageContext): Promise<void> {
  const { id, name } = await fetchChangeablePlaylist(context)
  await context.api.send('DELETE', `/v1/playlists/${id}`)
  redirect(context.ctx, '/playlists', context.language.words.playlists.deleted(name))
}

/** Moves a call up or down, or removes it. If somebody else changed the playlist meanwhile, the page shows it as it is now. */
async function changePlaylistCall(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const change = (await parsePostedForm(ctx)).raw('change')
  const { id, items } = await fetchChangeablePlaylist(context)
  const recordingIds = items.map(({ recording }) => recording.id)
  const from = recordingIds.indexOf(String(ctx.params.recording))
  if (from < 0) throw new PageError(404)
  const [moved] = recordingIds.splice(from, 1)
  if (change === 'remove') await api.send('DELETE', `/v1/playlists/${id}/items/${moved}`)
  else {
    recordingIds.splice(Math.max(0, from + (change === 'up' ? -1 : 1)), 0, moved!)
    const response = await api
      .send('PUT', `/v1/playlists/${id}/order`, { recordingIds })
      .catch(returnApiErrorWithStatus(409))
    if (response instanceof ApiError) return redirect(ctx, `/playlists/${id}`, response.message)
  }
  redirect(ctx, `/playlists/${id}`)
}
