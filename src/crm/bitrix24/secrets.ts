import type { Config } from '../../platform/config/config.ts'

/** What stands in the place of a secret. */
const HIDDEN = '…'

/**
 * What the portal, or a proxy before it, says, without our secrets: the webhooks' users and codes where they stand in an
 * address, and their codes and the token of events wherever they stand.
 */
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
