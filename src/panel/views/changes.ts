import type { ViewJson } from '../../work/views/schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { redirect, renderPage, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormState, type FormState } from '../frame/form.ts'
import { formatViewHref } from '../frame/menu-views.ts'
import { parseLocalPath } from '../frame/origin.ts'
import { fetchShareChoices } from '../frame/share-choices.ts'
import { submitChange } from '../frame/submit.ts'
import {
  formatCallListHref,
  parseCallListHref,
  selectValidCallFilters,
  type CallListState,
} from '../recordings/filters.ts'
import { buildViewListState, toViewFilters } from './filters.ts'
import { fetchFilterNames, findView, formatListFilters } from './view.ts'

/** Parses a list of calls. @param list its path and query */
function parseList(list: unknown, { language }: PageContext): CallListState {
  const state = parseCallListHref(parseLocalPath(list))
  return { ...state, filters: selectValidCallFilters(state.filters, language) }
}

interface ViewForm {
  edited?: ViewJson
  state: CallListState
}

async function renderForm(context: PageContext, { edited, state }: ViewForm, form: FormState): Promise<void> {
  const t = context.language.words.views
  const [shares, departments] = await Promise.all([
    fetchShareChoices(context, t.private, edited),
    fetchFilterNames(context),
  ])
  await renderPage(context, 'views/form', {
    title: edited?.name ?? t.saveTitle,
    form,
    edited: edited && { ...edited, href: formatViewHref(edited.id) },
    list: formatCallListHref(state),
    filters: formatListFilters(state, departments, context),
    shares,
  })
}

export function showNewView(context: PageContext): Promise<void> {
  return renderForm(context, { state: parseList(context.ctx.query.list, context) }, createFormState())
}

export async function createView(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const fields = await parsePostedForm(ctx)
  const state = parseList(fields.raw('list'), context)
  const input = {
    name: fields.text('name'),
    filters: toViewFilters(state),
    departmentId: fields.text('departmentId') || null,
  }
  let to = '/views'
  let notice = language.words.views.saved(input.name)
  const create = async () => {
    const { body: view } = await api.send<ViewJson>('POST', '/v1/views', input)
    to = formatCallListHref(buildViewListState(view))
    if (!fields.checked('notify')) return
    const response = await api.send('PUT', `/v1/views/${view.id}/subscription`).catch(returnApiErrorWithStatus(409))
    if (response instanceof ApiError) notice += `. ${response.message}`
  }
  await submitChange(context, create, {
    to: () => to,
    notice: () => notice,
    show: (form) => renderForm(context, { state }, form),
    values: fields,
    names: ['name', 'departmentId'],
  })
}

/** Finds a view that the person can change. @throws PageError 404 */
async function findChangeableView(context: PageContext): Promise<ViewJson> {
  const view = await findView(context)
  if (!view.canChange) throw new PageError(404)
  return view
}

export async function showEditView(context: PageContext): Promise<void> {
  const edited = await findChangeableView(context)
  const { name, departmentId } = edited
  await renderForm(
    context,
    { edited, state: buildViewListState(edited) },
    createFormState(FormValues.of({ name, departmentId })),
  )
}

export async function changeView(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const fields = await parsePostedForm(ctx)
  const edited = await findChangeableView(context)
  const departmentId = fields.text('departmentId') || null
  const input = { name: fields.text('name'), ...(departmentId !== edited.departmentId && { departmentId }) }
  await submitChange(context, () => api.send('PATCH', `/v1/views/${edited.id}`, input), {
    to: '/views',
    notice: () => language.words.views.saved(input.name),
    show: (form) => renderForm(context, { edited, state: buildViewListState(edited) }, form),
    values: fields,
    names: ['name', 'departmentId'],
  })
}

/** Replaces the filters and the order of a view by those of the list that it opened. If the API rejects them, the next page says so. */
export async function saveViewFilters(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const state = parseList((await parsePostedForm(ctx)).raw('list'), context)
  const view = await findView(context)
  const response = await api
    .send('PATCH', `/v1/views/${view.id}`, { filters: toViewFilters(state) })
    .catch(returnApiErrorWithStatus(400))
  const notice = response instanceof ApiError ? response.message : language.words.views.saved(view.name)
  redirect(ctx, formatCallListHref({ ...state, view: view.id }), notice)
}

/** Turns notifications about a view on or off. If the person has too many, the next page says so. */
export async function changeSubscription(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const fields = await parsePostedForm(ctx)
  const { id, name } = await findView(context)
  const isOn = fields.raw('on') === 'true'
  const t = language.words.views
  const response = await api
    .send(isOn ? 'PUT' : 'DELETE', `/v1/views/${id}/subscription`)
    .catch(returnApiErrorWithStatus(409))
  const notice = response instanceof ApiError ? response.message : (isOn ? t.notifyOn : t.notifyOff)(name)
  redirect(ctx, parseLocalPath(fields.raw('back')), notice)
}

export async function deleteView(context: PageContext): Promise<void> {
  const { id, name } = await findView(context)
  await context.api.send('DELETE', `/v1/views/${id}`)
  redirect(context.ctx, '/views', context.language.words.views.deleted(name))
}
