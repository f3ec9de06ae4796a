import type { AnalysisSettingsJson } from '../../check/checks/schema.ts'
import type { AnalysisProviderJson } from '../../check/model/schema.ts'
import type { TranscriptionSettingsJson } from '../../calls/transcription/schema.ts'
import { CALL_SOURCES } from '../../calls/recordings/values.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner, type Banner, type Page } from '../frame/page.ts'
import { formatPauseReason } from '../frame/pause.ts'
import { renderPage, redirect, type PageContext } from '../frame/context.ts'
import { modelRequestLogRoutes } from './model-requests.ts'
import { analysisWords } from './words.ts'

export const analysisPage: Page<'analysis', typeof analysisWords> = {
  name: 'analysis',
  words: analysisWords,
  routes: [
    { method: 'get', path: '/analysis', handle: showProvider },
    { method: 'post', path: '/analysis', handle: saveChannelSettings },
    {
      method: 'post',
      path: '/analysis/automatic/on',
      handle: (context) => setAutomaticChecking(context, true, '/analysis'),
    },
    {
      method: 'post',
      path: '/analysis/automatic/off',
      handle: (context) => setAutomaticChecking(context, false, '/analysis'),
    },
    { method: 'post', path: '/analysis/voices/on', handle: (context) => setSpeakerSeparation(context, true) },
    { method: 'post', path: '/analysis/voices/off', handle: (context) => setSpeakerSeparation(context, false) },
    ...modelRequestLogRoutes,
  ],
  menu: { href: '/analysis', title: analysisWords.title, group: 'check', for: isOwner },
  styles: ['analysis'],
  banners: fetchPauseBanners,
}

async function showProvider(context: PageContext): Promise<void> {
  const { api } = context
  const [provider, settings, { separateSpeakers }] = await Promise.all([
    api.fetch<AnalysisProviderJson>('/v1/analysis/provider'),
    api.fetch<AnalysisSettingsJson>('/v1/analysis/settings'),
    api.fetch<TranscriptionSettingsJson>('/v1/transcription/settings'),
  ])
  const { language } = context
  const { state, external, pause, warning } = provider
  const t = language.words.analysis
  await renderPage(context, 'analysis/index', {
    title: t.title,
    badge: { kind: { on: 'done', off: '', paused: 'failed' }[state], text: t.states[state] },
    notes: [pause && formatPauseReason(pause, language), warning].filter(Boolean),
    automatic: settings.automatic,
    separateSpeakers,
    facts: buildFacts(provider, language),
    external,
    channels: buildChannelFields(language),
    form: createFormState(FormValues.of({ ...settings.agentChannel, maskNames: settings.maskNames === true })),
  })
}

function buildFacts(provider: AnalysisProviderJson, { words, format }: Language): [string, string][] {
  const t = words.analysis
  const { host, model, responseFormat, concurrency, requestsPerMinute, timeoutSeconds, prices, external } = provider
  const facts: [string, string][] = [
    [t.facts.judges, t.providers[provider.provider]],
    [t.facts.leaves, external ? t.leave(host!) : t.stay],
  ]
  if (!external) return facts
  const formatPrice = (amount: number) => format.money(amount, prices!.currency)
  return [
    ...facts,
    [t.facts.model, model!],
    [t.facts.format, responseFormat!],
    [t.facts.limits, t.limits(format.number(concurrency), format.number(requestsPerMinute), format.number(timeoutSeconds))], // prettier-ignore
    [
      t.facts.prices,
      prices ? t.prices(formatPrice(prices.inputPerMillion), formatPrice(prices.outputPerMillion)) : t.noPrices,
    ],
  ]
}

/** Builds the fields for the agent's channel: the default of all calls and the exceptions by source. */
function buildChannelFields({ words }: Language) {
  const t = words.analysis.speakers
  const channels = [0, 1].map((value) => ({ value, text: t.channel(value + 1) }))
  const usualOption = { value: '', text: t.usual }
  return [
    { name: 'default', label: t.inGeneral, options: channels },
    ...CALL_SOURCES.map((name) => ({
      name,
      label: words.recordings.source[name],
      options: [usualOption, ...channels],
    })),
  ]
}

/** Without an external model, the form hides the field for masking names. The stored value then stays. */
async function saveChannelSettings(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const [fields, { maskNames }] = await Promise.all([
    parsePostedForm(ctx),
    api.fetch<AnalysisSettingsJson>('/v1/analysis/settings'),
  ])
  const channelEntries = Object.entries(fields.collectFilled('default', ...CALL_SOURCES)).map(([name, value]) => [
    name,
    Number(value),
  ])
  const maskNamesValue = fields.has('external') ? fields.checked('maskNames') : maskNames
  await api.send('PUT', '/v1/analysis/settings', {
    agentChannel: Object.fromEntries(channelEntries),
    ...(maskNamesValue !== undefined && { maskNames: maskNamesValue }),
  })
  redirect(ctx, '/analysis', context.language.words.analysis.speakers.saved)
}

/** Turns automatic checks on or off for all new calls, then redirects. @param back path of the page that sent the form */
export async function setAutomaticChecking(context: PageContext, automatic: boolean, back: string): Promise<void> {
  const { ctx, api } = context
  const settings = await api.fetch<AnalysisSettingsJson>('/v1/analysis/settings')
  await api.send('PUT', '/v1/analysis/settings', { ...settings, automatic })
  const { notices } = context.language.words.analysis.automatic
  redirect(ctx, back, automatic ? notices.on : notices.off)
}

async function setSpeakerSeparation({ ctx, api, language }: PageContext, separateSpeakers: boolean): Promise<void> {
  await api.send('PUT', '/v1/transcription/settings', { separateSpeakers })
  const { notices } = language.words.analysis.voices
  redirect(ctx, '/analysis', separateSpeakers ? notices.on : notices.off)
}

/** Warns owners on every page while a failing model pauses all checks. Other people get no banner. */
async function fetchPauseBanners(context: PageContext): Promise<Banner[]> {
  if (!isOwner(context.person)) return []
  const { pause } = await context.api.fetch<AnalysisProviderJson>('/v1/analysis/provider')
  if (!pause?.reason) return []
  const { language } = context
  const t = language.words.analysis
  return [{ text: t.pausedBanner(formatPauseReason(pause, language)), href: '/analysis', link: t.toProvider }]
}
