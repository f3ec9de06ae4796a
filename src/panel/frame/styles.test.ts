import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PANEL_PAGES } from '../pages.ts'
import type { Page } from './page.ts'
import { OVERRIDE_STYLE_SHEETS, SHARED_STYLE_SHEETS } from './assets.ts'

/** Parses the first class of each selector, and whether the selector consists of this class alone. */
function parseLeadingClasses(sheet: string): { name: string; alone: boolean }[] {
  const css = readFileSync(join('public/css', `${sheet}.css`), 'utf8').replace(/\/\*[^]*?\*\//g, '')
  const lists = [...css.matchAll(/([^{}]+)\{/g)].map(([, selectors]) => selectors!.trim())
  const selectors = lists.filter((list) => !list.startsWith('@')).flatMap((list) => list.split(/,(?![^(]*\))/))
  return selectors.flatMap((selector) => {
    const [, name, more] = /^\s*[a-z]*\.([\w-]+)(?![\w-]*[.[:])(.*)$/s.exec(selector) ?? []
    return name ? [{ name, alone: more!.trim() === '' }] : []
  })
}

const SHARED_SHEETS = [...SHARED_STYLE_SHEETS, ...OVERRIDE_STYLE_SHEETS]
const sheetOwners = [
  { owner: 'every page', sheets: SHARED_SHEETS },
  ...PANEL_PAGES.map(({ styles = [] }: Page, n) => ({ owner: styles[0] ?? `page ${n}`, sheets: styles })),
]

/** Returns the owners whose style sheets begin a selector with a class, by class. */
function collectOwners(counts: (one: { name: string; alone: boolean }) => boolean): Map<string, Set<string>> {
  const ownersByClass = new Map<string, Set<string>>()
  for (const { owner, sheets } of sheetOwners)
    for (const one of sheets.flatMap(parseLeadingClasses).filter(counts))
      ownersByClass.set(one.name, (ownersByClass.get(one.name) ?? new Set()).add(owner))
  return ownersByClass
}

const formatShared = (ownersByClass: Map<string, Set<string>>) =>
  [...ownersByClass].filter(([, by]) => by.size > 1).map(([name, by]) => `.${name}: ${[...by].join(', ')}`)

describe('panel: style sheets', () => {
  it('the parser finds classes of shared style sheets and of pages', () => {
    const all = collectOwners(() => true)
    expect([...all.get('side')!]).to.deep.equal(['every page'])
    expect([...all.get('log')!]).to.include('audit')
  })

  it('no two features define the same class, because all pages load all sheets', () => {
    expect(formatShared(collectOwners(({ alone }) => alone))).to.deep.equal([])
  })

  it('no feature begins a selector with a class of another feature', () => {
    const ownersByClass = collectOwners(() => true)
    for (const [name, by] of ownersByClass) if (by.has('every page')) ownersByClass.delete(name)
    expect(formatShared(ownersByClass)).to.deep.equal([])
  })
})
