import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context } from 'koa'

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Style sheets in public/css. panel.css has these first, then those of the pages, then OVERRIDE_STYLE_SHEETS. */
export const SHARED_STYLE_SHEETS = [
  'base',
  'frame',
  'controls',
  'forms',
  'table',
  'charts',
  'lists',
  'period',
  'settings',
]
export const OVERRIDE_STYLE_SHEETS = ['alone', 'print']

/** Scripts that every page loads. Pages name further scripts in `scripts`. */
const SHARED_SCRIPTS = ['panel', 'keyboard', 'copy']

interface Asset {
  type: string
  tag: string
  content: Buffer
}

/** Serves styles, scripts and icons from memory; the bundle serves the files that build.mjs minified. Addresses contain a hash of the content, so browsers cache them for a year. */
export class StaticAssets {
  private readonly byName = new Map<string, Asset>()

  constructor(root: string, pages: readonly { styles?: readonly string[]; scripts?: readonly string[] }[]) {
    const styles = [...SHARED_STYLE_SHEETS, ...pages.flatMap((page) => page.styles ?? []), ...OVERRIDE_STYLE_SHEETS]
    const scripts = [...SHARED_SCRIPTS, ...pages.flatMap((page) => page.scripts ?? [])]
    const minified = join(dirname(fileURLToPath(import.meta.url)), 'public')
    const folder = existsSync(minified) ? minified : join(root, 'public')
    const file = (...path: string[]) => readFileSync(join(folder, ...path))
    this.add('panel.css', Buffer.concat(styles.map((name) => file('css', `${name}.css`))))
    for (const name of scripts) this.add(`${name}.js`, file(`${name}.js`))
    this.add('icon.svg', readFileSync(join(root, 'public', 'icon.svg')))
    this.add('htmx.js', readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js')))
  }

  readonly address = (name: string): string => {
    const asset = this.byName.get(name)
    if (!asset) throw new Error(`no such asset: ${name}`)
    return `/assets/${asset.tag}/${name}`
  }

  /** Responds to a request for an asset. @returns false if the path or the method does not match an asset */
  serve(ctx: Context): boolean {
    const [, tag, name] = /^\/assets\/([0-9a-f]+)\/([a-z-]+\.[a-z]+)$/.exec(ctx.path) ?? []
    const asset = this.byName.get(name ?? '')
    if (!asset || !['GET', 'HEAD'].includes(ctx.method)) return false
    // Pages of the previous release request the old hash. They get the current file without caching.
    ctx.set('Cache-Control', tag === asset.tag ? 'public, max-age=31536000, immutable' : 'no-cache')
    ctx.set('ETag', `"${asset.tag}"`)
    ctx.type = asset.type
    ctx.status = 200
    // ctx.fresh would ignore If-None-Match if the request has `Cache-Control: no-cache`.
    if (ctx.get('If-None-Match').includes(asset.tag)) {
      ctx.status = 304
      return true
    }
    ctx.body = asset.content
    return true
  }

  private add(name: string, content: Buffer): void {
    const tag = createHash('sha256').update(content).digest('hex').slice(0, 12)
    this.byName.set(name, { type: CONTENT_TYPES[extname(name)]!, tag, content })
  }
}
