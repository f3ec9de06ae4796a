/** What came of each file of an upload, as the page tells it. */
export const rows = (text: string) =>
  [...text.matchAll(/<li class="(done|failed)"><bdi class="name">(.*?)<\/bdi>.*?<\/li>/gs)].map(
    ([row, state, name]) => ({
      state,
      name,
      why: row.match(/<span class="why">(.*?)<\/span> <\/span>/s)?.[1]?.replaceAll(/<\/?span>/g, ''),
      href: /href="([^"]*)"/.exec(row)?.[1],
    }),
  )
