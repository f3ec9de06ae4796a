/** Parses the result of each file from the HTML of the upload page: state, name, error and link. */
export const parseUploadRows = (text: string) =>
  [...text.matchAll(/<li class="(done|failed)"><bdi class="name">(.*?)<\/bdi>.*?<\/li>/gs)].map(
    ([row, state, name]) => ({
      state,
      name,
      why: row.match(/<span class="why">(.*?)<\/span> <\/span>/s)?.[1]?.replaceAll(/<\/?span>/g, ''),
      href: /href="([^"]*)"/.exec(row)?.[1],
    }),
  )
