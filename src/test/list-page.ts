// Parses the page of the list of calls in the panel.

/** Returns the part of a text from the first match of `from` up to the next occurrence of `to`. */
export const sliceTextBetween = (text: string, from: RegExp, to: string) => text.slice(text.search(from)).split(to)[0]!
/** Finds the HTML of the table row of a call. */
export const findCallRowHtml = (text: string, id: string) =>
  sliceTextBetween(text, new RegExp(`<tr id="r-${id}"`), '</tr>')
/** Finds the HTML of a facet by its name. */
export const findFacetHtml = (text: string, name: string) =>
  sliceTextBetween(text, new RegExp(`id="facet-${name}"`), '</section>')
/** Parses the choices of a facet as "label count". A star marks the selected choice. */
export const parseFacetChoices = (text: string, name: string) =>
  [
    ...findFacetHtml(text, name).matchAll(
      /<a href="[^"]*"( aria-current="true")?><bdi[^>]*>(.*?)<\/bdi> <span>(.*?)<\/span>/g,
    ),
  ].map(([, chosen, label, count]) => `${chosen ? '*' : ''}${label} ${count}`)
/** Parses the ids of the calls on a page, in their order. */
export const parseCallRowIds = (text: string) => [...text.matchAll(/<tr id="r-([^"]+)"/g)].map(([, id]) => id)
/** Finds the address of the link with a label. */
export const findLinkAddress = (text: string, label: string) =>
  new RegExp(`<a href="([^"]*)"[^>]*>(?:<bdi[^>]*>)?${label}`).exec(text)![1]!.replaceAll('&amp;', '&')
