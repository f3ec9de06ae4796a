import type { Config } from '../../platform/config/config.ts'
import { PortalFailure } from './errors.ts'
import { portalMessages } from './messages.ts'

/** The webhook of a request: each has rights of its own, but the portal's limits apply to both together. */
type WebhookKind = 'read' | 'write'

/** A configured webhook, split into its parts. */
export interface Webhook {
  kind: WebhookKind
  /** Host and port, which identify the portal. */
  host: string
  userId: string
  /** The address of the methods, with / at the end. It is a secret. */
  base: string
  origin: string
}

/** The address of a webhook is invalid. */
export class WebhookError extends PortalFailure {}

const WEBHOOK_VARIABLES = { read: 'CRM_WEBHOOK_URL', write: 'CRM_WRITE_WEBHOOK_URL' } as const

/** The configured webhook; undefined without one. @throws WebhookError */
export function parseWebhook(config: Config, kind: WebhookKind): Webhook | undefined {
  const name = WEBHOOK_VARIABLES[kind]
  const link = config[name]
  if (!link) return undefined
  const url = new URL(link)
  // The connection checks whether http leads to a private address (`isSecret`), because a name can resolve differently later.
  if (url.protocol === 'http:' && !config.ALLOW_PRIVATE_NETWORK_DOWNLOADS) {
    throw new WebhookError(portalMessages.notHttps({ variable: name }))
  }
  const match = /^(.*\/rest\/(\d+)\/[^/]+)\/?$/.exec(url.pathname)
  if (!match || url.search || url.username) {
    throw new WebhookError(portalMessages.noWebhook({ variable: name }))
  }
  return { kind, host: url.host, userId: match[2]!, base: `${url.origin}${match[1]}/`, origin: url.origin }
}

/** The host of a webhook, even if the rest of its address is invalid. */
export function parseWebhookHost(config: Config, kind: WebhookKind): string | null {
  const link = config[WEBHOOK_VARIABLES[kind]]
  return link ? new URL(link).host : null
}

const SECRET_PLACEHOLDER = '…'

/** Removes our secrets: users and codes of webhooks in addresses, and codes and the token of events everywhere. */
export function removeSecrets(config: Config, text: string): string {
  const webhooks = [config.CRM_WEBHOOK_URL, config.CRM_WRITE_WEBHOOK_URL].flatMap(parseWebhookSegments)
  const paths = webhooks.map(({ user, code }) => `/${user}/${code}`)
  const codes = [...webhooks.map(({ code }) => code), ...(config.CRM_EVENT_TOKEN ? [config.CRM_EVENT_TOKEN] : [])]
  return replaceSecrets(
    replaceSecrets(text, paths, `/${SECRET_PLACEHOLDER}/${SECRET_PLACEHOLDER}`),
    codes,
    SECRET_PLACEHOLDER,
  )
}

/** Parses the user and the secret code from `/rest/<user>/<code>`; returns an empty list if the link has none. */
function parseWebhookSegments(link: string | undefined): { user: string; code: string }[] {
  const [, user, code] = /\/rest\/([^/]+)\/([^/]+)/.exec(link ? new URL(link).pathname : '') ?? []
  return user && code ? [{ user, code }] : []
}

/** Unchanged, escaped as in a parameter, and as PHP writes them into JSON. */
function replaceSecrets(text: string, secrets: string[], replacement: string): string {
  const variants = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    secret.replaceAll('/', String.raw`\/`),
  ])
  // Longest first: one can be a part of another.
  return variants
    .toSorted((a, b) => b.length - a.length)
    .reduce((result, secret) => result.replaceAll(secret, () => replacement), text)
}
