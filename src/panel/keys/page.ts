import type { Static } from 'typebox'
import type { ApiKeySchema } from '../../people/auth/schema.ts'
import { ApiError, refusal } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext } from '../frame/context.ts'
import { readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner, type Page } from '../frame/page.ts'
import { readAll } from '../frame/read-all.ts'
import { keys } from './words.ts'

export const keysPage: Page<'keys', typeof keys> = {
  name: 'keys',
  words: keys,
  menu: { href: '/api-keys', title: keys.title, group: 'settings', for: isOwner },
  styles: ['keys'],
  routes: [
    { method: 'get', path: '/api-keys', handle: (context) => showKeys(context, freshForm()) },
    { method: 'post', path: '/api-keys', handle: createKey },
    { method: 'post', path: '/api-keys/:id/revoke', handle: revokeKey },
  ],
}

type Key = Static<typeof ApiKeySchema>

/** @param made the key that was just created: shown here and nowhere else, never again */
async function showKeys(context: PageContext, form: Form, made?: { name: string; key: string }): Promise<void> {
  const keys = await readAll<Key>(context.api, '/v1/api-keys')
  const { language } = context
  await renderPage(context, 'keys/index', {
    title: language.words.keys.title,
    scripts: ['copy.js'],
    keys: keys.map((key) => keyRow(key, language)),
    form,
    made,
  })
}

async function createKey(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  try {
    const { body } = await api.send<{ name: string; key: string }>('POST', '/v1/api-keys', {
      name: fields.text('name'),
    })
    await showKeys(context, freshForm(), body)
  } catch (error) {
    const form = formWithErrors(error, fields, ['name'], context.language)
    ctx.status = (error as ApiError).status
    await showKeys(context, form)
  }
}

async function revokeKey(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const name = (await readFields(ctx)).text('name')
  const t = context.language.words.keys
  const path = `/v1/api-keys/${encodeURIComponent(String(ctx.params.id))}`
  const answer = await api.send('DELETE', path).catch(refusal(404))
  redirect(ctx, '/api-keys', answer instanceof ApiError ? t.gone : t.revoked(name))
}

function keyRow({ id, name, prefix, createdAt, lastUsedAt }: Key, { format }: Language) {
  const time = (iso: string) => ({ iso, text: format.shortTime(iso) })
  return { id, name, prefix, created: time(createdAt), lastUsed: lastUsedAt === null ? null : time(lastUsedAt) }
}
