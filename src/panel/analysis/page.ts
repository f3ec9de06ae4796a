import type { SettingsJson } from '../../check/checks/schema.ts'
import type { ProviderJson } from '../../check/model/schema.ts'
import { SOURCES } from '../../calls/recordings/values.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { freshForm } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner, type Banner, type Page } from '../frame/page.ts'
import { formatPause } from '../frame/pause.ts'
import { renderPage, redirect, type PageContext } from '../frame/context.ts'
import { ledgerRoutes } from './ledger.ts'
import { analysis } from './words.ts'

export const analysisPage: Page<'analysis', typeof analysis> = {
  name: 'analysis',
  words: analysis,
  routes: [
    { method: 'get', path: '/analysis', handle: showProvider },
    { method: 'post', path: '/analysis', handle: saveSpeakers },
    {
      method: 'post',
      path: '/analysis/automatic/on',
      handle: (context) => switchAutomatic(context, true, '/analysis'),
    },
    {
      method: 'post',
      path: '/analysis/automatic/off',
      handle: (context) => switchAutomatic(context, false, '/analysis'),
    },
    ...ledgerRoutes,
  ],
  menu: { href: '/analysis', title: analysis.title, group: 'check', for: isOwner },
  styles: ['analysis'],
  banners: pausedBanners,
}

async function showProvider(context: PageContext): Promise<void> {
  const { api } = context
  const [provider, settings] = await Promise.all([
    api.read<ProviderJson>('/v1/analysis/provider'),
    api.read<SettingsJson>('/v1/analysis/settings'),
  ])
  const { language } = context
  const { state, external, pause, warning } = provider
  const t = language.words.analysis
  await renderPage(context, 'analysis/index', {
    title: t.title,
    badge: { kind: { on: 'done', off: '', paused: 'failed' }[state], text: t.states[state] },
    notes: [pause && formatPause(pause, language), warning].filter(Boolean),
    automatic: settings.automatic,
    facts: factsOf(provider, language),
    external,
    channels: channelFields(language),
    form: freshForm(Fields.of({ ...settings.agentChannel, maskNames: settings.maskNames === true })),
  })
}

function factsOf(provider: ProviderJson, { words, format }: Language): [string, string][] {
  const t = words.analysis
  const { host, model, responseFormat, concurrency, requestsPerMinute, timeoutSeconds, prices, external } = provider
  const facts: [string, string][] = [
    [t.facts.judges, t.providers[provider.provider]],
    [t.facts.leaves, external ? t.leave(host!) : t.stay],
  ]
  if (!external) return facts
  const price = (amount: number) => format.money(amount, prices!.currency)
  return [
    ...facts,
    [t.facts.model, model!],
    [t.facts.format, responseFormat!],
    [t.facts.limits, t.limits(format.number(concurrency), format.number(requestsPerMinute), format.number(timeoutSeconds))], // prettier-ignore
    [t.facts.prices, prices ? t.prices(price(prices.inputPerMillion), price(prices.outputPerMillion)) : t.noPrices],
  ]
}

/** The fields of the setting: the agent's channel, in general and by source. */
function channelFields({ words }: Language) {
  const t = words.analysis.speakers
  const channels = [0, 1].map((value) => ({ value, text: t.channel(value + 1) }))
  const usual = { value: '', text: t.usual }
  return [
    { name: 'default', label: t.inGeneral, options: channels },
    ...SOURCES.map((name) => ({ name, label: words.recordings.source[name], options: [usual, ...channels] })),
  ]
}

/** Without a model the form hides some fields; they keep their values. */
async function saveSpeakers(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const [fields, { maskNames }] = await Promise.all([readFields(ctx), api.read<SettingsJson>('/v1/analysis/settings')])
  const given = Object.entries(fields.filled('default', ...SOURCES)).map(([name, value]) => [name, Number(value)])
  const masked = fields.has('external') ? fields.checked('maskNames') : maskNames
  await api.send('PUT', '/v1/analysis/settings', {
    agentChannel: Object.fromEntries(given),
    ...(masked !== undefined && { maskNames: masked }),
  })
  redirect(ctx, '/analysis', context.language.words.analysis.speakers.saved)
}

/** Switches automatic checking on or off, then redirects to the page of the form. */
export async function switchAutomatic(context: PageContext, automatic: boolean, back: string): Promise<void> {
  const { ctx, api } = context
  const settings = await api.read<SettingsJson>('/v1/analysis/settings')
  await api.send('PUT', '/v1/analysis/settings', { ...settings, automatic })
  const { notices } = context.language.words.analysis.automatic
  redirect(ctx, back, automatic ? notices.on : notices.off)
}

/** A failing model stops every check, so people who can fix it see the warning on every page. */
async function pausedBanners(context: PageContext): Promise<Banner[]> {
  if (!isOwner(context.person)) return []
  const { pause } = await context.api.read<ProviderJson>('/v1/analysis/provider')
  if (!pause?.reason) return []
  const { language } = context
  const t = language.words.analysis
  return [{ text: t.pausedBanner(formatPause(pause, language)), href: '/analysis', link: t.toProvider }]
}
