/** The result of each file of an upload on its page. */
export const parseUploadRows = (text: string) =>
  [...text.matchAll(/<li class="(done|failed)"><bdi class="name">(.*?)<\/bdi>.*?<\/li>/gs)].map(
    ([row, state, name]) => ({
      state,
      name,
      why: row.match(/<span class="why">(.*?)<\/span> <\/span>/s)?.[1]?.replaceAll(/<\/?span>/g, ''),
      href: /href="([^"]*)"/.exec(row)?.[1],
    }),
  )
