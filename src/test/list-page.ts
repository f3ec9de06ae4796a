// Parses the list of recordings in the panel for tests.

/** The part of a page between the first match of `from` and the next `to`. */
export const sliceBetween = (text: string, from: RegExp, to: string) => text.slice(text.search(from)).split(to)[0]!
/** The HTML of a call's row. */
export const findRow = (text: string, id: string) => sliceBetween(text, new RegExp(`<tr id="r-${id}"`), '</tr>')
/** The HTML of a facet. */
export const findFacet = (text: string, name: string) =>
  sliceBetween(text, new RegExp(`id="facet-${name}"`), '</section>')
/** The choices of a facet as [text, count], the selected one with a star. */
export const parseFacetChoices = (text: string, name: string) =>
  [
    ...findFacet(text, name).matchAll(
      /<a href="[^"]*"( aria-current="true")?><bdi[^>]*>(.*?)<\/bdi> <span>(.*?)<\/span>/g,
    ),
  ].map(([, chosen, label, count]) => `${chosen ? '*' : ''}${label} ${count}`)
/** The ids of the calls of a page, in order. */
export const parseRowIds = (text: string) => [...text.matchAll(/<tr id="r-([^"]+)"/g)].map(([, id]) => id)
/** The address of the link with a label. */
export const findLink = (text: string, label: string) =>
  new RegExp(`<a href="([^"]*)"[^>]*>(?:<bdi[^>]*>)?${label}`).exec(text)![1]!.replaceAll('&amp;', '&')
