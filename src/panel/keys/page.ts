import type { Static } from 'typebox'
import type { ApiKeySchema } from '../../people/auth/schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext } from '../frame/context.ts'
import { parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner, type Page } from '../frame/page.ts'
import { fetchAllItems } from '../frame/fetch-all.ts'
import { apiKeyWords } from './words.ts'

export const apiKeysPage: Page<'keys', typeof apiKeyWords> = {
  name: 'keys',
  words: apiKeyWords,
  menu: { href: '/api-keys', title: apiKeyWords.title, group: 'settings', for: isOwner },
  styles: ['keys'],
  routes: [
    { method: 'get', path: '/api-keys', handle: (context) => showKeys(context, createFormState()) },
    { method: 'post', path: '/api-keys', handle: createKey },
    { method: 'post', path: '/api-keys/:id/revoke', handle: revokeKey },
  ],
}

type ApiKey = Static<typeof ApiKeySchema>

/** Renders the keys. @param createdKey a new key with its secret, which the panel shows only in this response */
async function showKeys(
  context: PageContext,
  form: FormState,
  createdKey?: { name: string; key: string },
): Promise<void> {
  const keys = await fetchAllItems<ApiKey>(context.api, '/v1/api-keys')
  const { language } = context
  await renderPage(context, 'keys/index', {
    title: language.words.keys.title,
    scripts: ['copy.js'],
    keys: keys.map((key) => buildKeyRow(key, language)),
    form,
    made: createdKey,
  })
}

async function createKey(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  try {
    const { body } = await api.send<{ name: string; key: string }>('POST', '/v1/api-keys', {
      name: fields.text('name'),
    })
    await showKeys(context, createFormState(), body)
  } catch (error) {
    const form = createFormWithErrors(error, fields, ['name'], context.language)
    ctx.status = (error as ApiError).status
    await showKeys(context, form)
  }
}

async function revokeKey(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const name = (await parsePostedForm(ctx)).text('name')
  const t = context.language.words.keys
  const path = `/v1/api-keys/${encodeURIComponent(String(ctx.params.id))}`
  const response = await api.send('DELETE', path).catch(returnApiErrorWithStatus(404))
  redirect(ctx, '/api-keys', response instanceof ApiError ? t.gone : t.revoked(name))
}

function buildKeyRow({ id, name, prefix, createdAt, lastUsedAt }: ApiKey, { format }: Language) {
  const formatTime = (iso: string) => ({ iso, text: format.shortTime(iso) })
  return {
    id,
    name,
    prefix,
    created: formatTime(createdAt),
    lastUsed: lastUsedAt === null ? null : formatTime(lastUsedAt),
  }
}
