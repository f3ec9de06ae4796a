import type { Context } from 'koa'

/**
 * Returns true if another site sent the request, by Sec-Fetch-Site or Origin. Returns false without both headers, because
 * browsers send at least one with a form.
 */
export function isCrossOriginRequest(ctx: Context): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  if (site) return site !== 'same-origin' && site !== 'none'
  const origin = ctx.get('Origin')
  if (!origin) return false
  if (!URL.canParse(origin)) return true
  // Behind a trusted proxy, ctx.host is X-Forwarded-Host, which another site cannot set.
  return ![ctx.host, ctx.get('Host')].includes(new URL(origin).host)
}

/** Parses the path that a form or query names as the next page. Returns `/` if it leads elsewhere or to the login. */
export function parseLocalPath(next: unknown): string {
  const PANEL_ORIGIN = 'http://panel.invalid'
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, PANEL_ORIGIN)) return '/'
  const { origin, pathname, search } = new URL(next, PANEL_ORIGIN)
  // Rejects paths that name another host once normalized: `/.//evil.example` becomes `//evil.example`.
  if (origin !== PANEL_ORIGIN || pathname.startsWith('//') || /^\/(login|logout)$/.test(pathname)) return '/'
  return pathname + search
}
