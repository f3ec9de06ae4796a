import type { Config } from '../../platform/config/config.ts'
import { PortalFailure } from './errors.ts'
import { portalMessages } from './messages.ts'

/** Which of the two webhooks asks: each has rights of its own, the limits of the portal hold for both together. */
type WebhookKind = 'read' | 'write'

export interface Webhook {
  kind: WebhookKind
  /** Host and port: whose portal it is. */
  host: string
  userId: string
  /** Where methods are called: ends with /. It is a secret. */
  base: string
  origin: string
}

export class WebhookError extends PortalFailure {}

const VARIABLES = { read: 'CRM_WEBHOOK_URL', write: 'CRM_WRITE_WEBHOOK_URL' } as const

/** The webhook that the configuration names; undefined without one. @throws WebhookError */
export function webhookOf(config: Config, kind: WebhookKind): Webhook | undefined {
  const name = VARIABLES[kind]
  const link = config[name]
  if (!link) return undefined
  const url = new URL(link)
  // That http leads to a private address is seen where it is connected to (`isSecret`): a name may change where it leads.
  if (url.protocol === 'http:' && !config.ALLOW_PRIVATE_NETWORK_DOWNLOADS) {
    throw new WebhookError(portalMessages.notHttps({ variable: name }))
  }
  const found = /^(.*\/rest\/(\d+)\/[^/]+)\/?$/.exec(url.pathname)
  if (!found || url.search || url.username) {
    throw new WebhookError(portalMessages.noWebhook({ variable: name }))
  }
  return { kind, host: url.host, userId: found[2]!, base: `${url.origin}${found[1]}/`, origin: url.origin }
}

/** The host that a webhook leads to, also where the rest of its address is invalid. */
export function hostOf(config: Config, kind: WebhookKind): string | null {
  const link = config[VARIABLES[kind]]
  return link ? new URL(link).host : null
}

const HIDDEN = '…'

/** Removes our secrets: users and codes of webhooks in addresses, and codes and the token of events everywhere. */
export function withoutSecrets(config: Config, text: string): string {
  const hooks = [config.CRM_WEBHOOK_URL, config.CRM_WRITE_WEBHOOK_URL].flatMap(segmentsOf)
  const paths = hooks.map(({ user, code }) => `/${user}/${code}`)
  const alone = [...hooks.map(({ code }) => code), ...(config.CRM_EVENT_TOKEN ? [config.CRM_EVENT_TOKEN] : [])]
  return hide(hide(text, paths, `/${HIDDEN}/${HIDDEN}`), alone, HIDDEN)
}

/** The second and third segment of a webhook's path, behind `rest`. */
function segmentsOf(link: string | undefined): { user: string; code: string }[] {
  const [, user, code] = /\/rest\/([^/]+)\/([^/]+)/.exec(link ? new URL(link).pathname : '') ?? []
  return user && code ? [{ user, code }] : []
}

/** As they are, as they stand in a parameter, and as PHP writes them into JSON. */
function hide(text: string, secrets: string[], by: string): string {
  const written = secrets.flatMap((one) => [one, encodeURIComponent(one), one.replaceAll('/', String.raw`\/`)])
  // The longest first: one may be a part of another.
  return written.toSorted((a, b) => b.length - a.length).reduce((left, one) => left.replaceAll(one, () => by), text)
}
