import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PAGES } from '../pages.ts'
import type { Page } from './page.ts'
import { LAST_STYLES, STYLES } from './assets.ts'

/** The classes at the beginning of a sheet's rules, and whether the rule has only that class. */
function leadingClasses(sheet: string): { name: string; alone: boolean }[] {
  const css = readFileSync(join('public/css', `${sheet}.css`), 'utf8').replace(/\/\*[^]*?\*\//g, '')
  const lists = [...css.matchAll(/([^{}]+)\{/g)].map(([, selectors]) => selectors!.trim())
  const selectors = lists.filter((list) => !list.startsWith('@')).flatMap((list) => list.split(/,(?![^(]*\))/))
  return selectors.flatMap((selector) => {
    const [, name, more] = /^\s*[a-z]*\.([\w-]+)(?![\w-]*[.[:])(.*)$/s.exec(selector) ?? []
    return name ? [{ name, alone: more!.trim() === '' }] : []
  })
}

const SHARED = [...STYLES, ...LAST_STYLES]
const owners = [
  { owner: 'every page', sheets: SHARED },
  ...PAGES.map(({ styles = [] }: Page, n) => ({ owner: styles[0] ?? `page ${n}`, sheets: styles })),
]

/** The style sheets that style each class, by owner. */
function ownersOf(counts: (one: { name: string; alone: boolean }) => boolean): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { owner, sheets } of owners)
    for (const one of sheets.flatMap(leadingClasses).filter(counts))
      found.set(one.name, (found.get(one.name) ?? new Set()).add(owner))
  return found
}

const severals = (found: Map<string, Set<string>>) =>
  [...found].filter(([, by]) => by.size > 1).map(([name, by]) => `.${name}: ${[...by].join(', ')}`)

describe('style sheets', () => {
  it('are read: a class of the frame and one of a page', () => {
    const all = ownersOf(() => true)
    expect([...all.get('side')!]).to.deep.equal(['every page'])
    expect([...all.get('log')!]).to.include('audit')
  })

  it('no class is defined by two features, or by one and the frame: all pages have all sheets', () => {
    expect(severals(ownersOf(({ alone }) => alone))).to.deep.equal([])
  })

  it('no feature styles what is in a class of another feature', () => {
    const found = ownersOf(() => true)
    for (const [name, by] of found) if (by.has('every page')) found.delete(name)
    expect(severals(found)).to.deep.equal([])
  })
})
