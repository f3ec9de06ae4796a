import type { Context } from 'koa'

/** Whether a request comes from a foreign page, by Sec-Fetch-Site or Origin. A client that sends neither is no browser. */
export function isCrossOrigin(ctx: Context): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  if (site) return site !== 'same-origin' && site !== 'none'
  const origin = ctx.get('Origin')
  if (!origin) return false
  if (!URL.canParse(origin)) return true
  // ctx.host follows X-Forwarded-Host behind a trusted proxy, which a foreign page cannot set.
  return ![ctx.host, ctx.get('Host')].includes(new URL(origin).host)
}

/** Parses `next` of a login: a path of this panel, never another host. */
export function parseLocalPath(next: unknown): string {
  const PANEL_ORIGIN = 'http://panel.invalid'
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, PANEL_ORIGIN)) return '/'
  const { origin, pathname, search } = new URL(next, PANEL_ORIGIN)
  // The second rule rejects paths that only become foreign when normalized: /.//evil.example becomes //evil.example.
  if (origin !== PANEL_ORIGIN || pathname.startsWith('//') || /^\/(login|logout)$/.test(pathname)) return '/'
  return pathname + search
}
