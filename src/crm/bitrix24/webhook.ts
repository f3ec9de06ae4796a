import type { Config } from '../../platform/config/config.ts'
import { PortalFailure } from './errors.ts'
import { portalMessages } from './messages.ts'

/** Each webhook has its own rights, but the rate limit of the portal applies to both together. */
type WebhookKind = 'read' | 'write'

/** A configured webhook of the portal, split into its parts. */
export interface PortalWebhook {
  kind: WebhookKind
  /** Host and port, which identify the portal. */
  host: string
  userId: string
  /** The address before the name of a method, with / at the end. It contains a secret. */
  base: string
  origin: string
}

/** A variable does not contain the address of a webhook, or has http where https is required. */
export class PortalWebhookError extends PortalFailure {}

const WEBHOOK_VARIABLES = { read: 'CRM_WEBHOOK_URL', write: 'CRM_WRITE_WEBHOOK_URL' } as const

/** Parses a configured webhook; undefined if it is not configured. @throws PortalWebhookError */
export function parsePortalWebhook(config: Config, kind: WebhookKind): PortalWebhook | undefined {
  const name = WEBHOOK_VARIABLES[kind]
  const link = config[name]
  if (!link) return undefined
  const url = new URL(link)
  // The HTTP client allows http only to private addresses (`isSecret`), because a name can later resolve to another address.
  if (url.protocol === 'http:' && !config.ALLOW_PRIVATE_NETWORK_DOWNLOADS) {
    throw new PortalWebhookError(portalMessages.notHttps({ variable: name }))
  }
  const match = /^(.*\/rest\/(\d+)\/[^/]+)\/?$/.exec(url.pathname)
  if (!match || url.search || url.username) {
    throw new PortalWebhookError(portalMessages.noWebhook({ variable: name }))
  }
  return { kind, host: url.host, userId: match[2]!, base: `${url.origin}${match[1]}/`, origin: url.origin }
}

/** Parses the host of a configured webhook, even if the rest of the address is invalid. Null if it is not configured. */
export function parsePortalWebhookHost(config: Config, kind: WebhookKind): string | null {
  const link = config[WEBHOOK_VARIABLES[kind]]
  return link ? new URL(link).host : null
}

const SECRET_PLACEHOLDER = '…'

/** Redacts our secrets in a text: the user and code in webhook addresses, and codes and the event token everywhere. */
export function redactPortalSecrets(config: Config, text: string): string {
  const webhooks = [config.CRM_WEBHOOK_URL, config.CRM_WRITE_WEBHOOK_URL].flatMap(parseWebhookSegments)
  const paths = webhooks.map(({ user, code }) => `/${user}/${code}`)
  const codes = [...webhooks.map(({ code }) => code), ...(config.CRM_EVENT_TOKEN ? [config.CRM_EVENT_TOKEN] : [])]
  return replaceSecrets(
    replaceSecrets(text, paths, `/${SECRET_PLACEHOLDER}/${SECRET_PLACEHOLDER}`),
    codes,
    SECRET_PLACEHOLDER,
  )
}

/** Parses the user and the secret code from `/rest/<user>/<code>`. @returns an empty list if the link has none */
function parseWebhookSegments(link: string | undefined): { user: string; code: string }[] {
  const [, user, code] = /\/rest\/([^/]+)\/([^/]+)/.exec(link ? new URL(link).pathname : '') ?? []
  return user && code ? [{ user, code }] : []
}

/** Replaces secrets as written, as URL parameters, and as PHP escapes them in JSON. */
function replaceSecrets(text: string, secrets: string[], replacement: string): string {
  const variants = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    secret.replaceAll('/', String.raw`\/`),
  ])
  // Replace the longest first, because one secret can contain another.
  return variants
    .toSorted((a, b) => b.length - a.length)
    .reduce((result, secret) => result.replaceAll(secret, () => replacement), text)
}
