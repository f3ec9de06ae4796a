// The transcript of one recording: rows that follow the sound and play from where they are clicked, the walk through the
// matches, links to a moment. Of a long call only a part is there; the others come as they are needed.

const find = (selector) => document.querySelector(selector)
const sound = () => document.getElementById('sound')
const rows = () => [...document.querySelectorAll('li[data-start]')]

/** Puts the playhead to a moment; what is shown of it follows by the player's own listeners. */
function seek(seconds) {
  const audio = sound()
  if (!audio) return
  audio.currentTime = seconds
  // Before the head of the file is there the browser keeps the place, and says nothing.
  if (audio.readyState === 0) audio.dispatchEvent(new Event('timeupdate', { bubbles: true }))
}

const loading = new Map()

/** Fetches the rows that a link stands for, once; what does not come stays a link. */
function loadPart(missing) {
  const known = loading.get(missing.id)
  if (known) return known
  const comes = fetchPart(missing)
    .catch(() => undefined)
    .finally(() => loading.delete(missing.id))
  loading.set(missing.id, comes)
  return comes
}
async function fetchPart(missing) {
  const response = await fetch(missing.firstElementChild.href, { headers: { 'HX-Request': 'true' } })
  if (!response.ok) return
  const part = document.createElement('template')
  part.innerHTML = await response.text()
  document.getElementById(missing.id)?.replaceWith(part.content)
  markCurrent()
  followSound()
}

/** Links to parts that come into view are followed by themselves. */
const inView = new IntersectionObserver(
  (seen) => {
    for (const { isIntersecting, target } of seen) if (isIntersecting) void loadPart(target)
  },
  { rootMargin: '600px' },
)
function watchParts() {
  inView.disconnect()
  for (const part of document.querySelectorAll('[data-part]')) inView.observe(part)
}

const isInView = (element) => {
  const { top, bottom } = element.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}

/** Whether a moment lies in a row or a part. */
const holds = ({ dataset }, time) => Number(dataset.start) <= time + 0.05 && Number(dataset.end) > time + 0.05

/** Marks the row that is heard now. The page goes along while one looks at it, and not when one has scrolled away. */
function followSound() {
  const audio = sound()
  if (!audio) return
  const { currentTime, paused } = audio
  const missing = [...document.querySelectorAll('[data-part]')].find((part) => holds(part, currentTime))
  if (missing) {
    void loadPart(missing)
    return
  }
  let heard
  for (const row of rows()) if (Number(row.dataset.start) <= currentTime + 0.05) heard = row
  if (heard && currentTime > Number(heard.dataset.end) + 1 && paused) heard = undefined
  const before = find('li[aria-current]')
  if (before === (heard ?? null)) return
  if (before) before.ariaCurrent = null
  if (!heard) return
  heard.ariaCurrent = 'true'
  if (!paused && before && isInView(before)) heard.scrollIntoView({ block: 'nearest' })
}
for (const name of ['timeupdate', 'seeking', 'seeked', 'play', 'pause', 'ended', 'loadedmetadata']) {
  document.addEventListener(name, ({ target }) => target === sound() && followSound(), true)
}

/** Plays from the row that was clicked; a click that ends a selection of text, or on another link, does not. */
function playRow(event) {
  const row = event.target.closest?.('li[data-start]')
  const link = event.target.closest?.('a')
  if (!row || !sound() || (link && !link.matches('.at')) || event.ctrlKey || event.metaKey || event.shiftKey) return
  if (!link && String(getSelection())) return
  event.preventDefault()
  playFrom(Number(row.dataset.start))
}
function playFrom(seconds) {
  seek(seconds)
  sound()
    .play()
    .catch(() => undefined)
}

document.addEventListener('click', (event) => {
  const of = (selector) => event.target.closest?.(selector)
  if (of('[data-walk]')) void walk(Number(of('[data-walk]').dataset.walk))
  else if (of('[data-copy]')) void copyText(of('[data-copy]'))
  else if (of('.share')) copyLink(event, of('.share'))
  else if (of('[data-quote]')) goToQuote(event, of('[data-quote]'))
  else playRow(event)
})

/** Plays from a little before what the check quotes, and shows it in the text. */
function goToQuote(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  if (sound()) playFrom(Number(link.dataset.at))
  void showQuote(link.dataset)
}
async function showQuote({ quote, inPart }) {
  const missing = find(`[data-part="${inPart}"]`)
  if (missing) await loadPart(missing)
  for (const mark of document.querySelectorAll('.quoted.current')) mark.classList.remove('current')
  const marks = document.querySelectorAll(`[data-quoted~="${quote}"]`)
  for (const mark of marks) mark.classList.add('current')
  marks[0]?.scrollIntoView({ block: isInView(marks[0]) ? 'nearest' : 'center' })
}

let current = 0

/** The matches of the search: in which part of the transcript each is, and at which second, which its row may know better. */
function matches() {
  const listed = find('[data-matches]')?.dataset.matches
  return listed ? listed.split(' ').map((match) => match.split(':').map(Number)) : []
}

/** Goes to the next match (1) or the one before (-1), around the ends, and puts the playhead there. */
async function walk(step, block = 'center') {
  const found = matches()
  if (found.length === 0) return
  const from = current === 0 && step < 0 ? 1 : current
  current = ((from - 1 + step + found.length) % found.length) + 1
  const went = current
  const [part, at] = found[current - 1]
  const missing = find(`[data-part="${part}"]`)
  if (missing) await loadPart(missing)
  if (went !== current) return
  seek(Number(find(`mark[data-match="${current}"]`)?.dataset.at ?? at))
  markCurrent()
  find('mark.current')?.scrollIntoView({ block })
}
function markCurrent() {
  for (const mark of document.querySelectorAll('mark[data-match]')) {
    mark.classList.toggle('current', Number(mark.dataset.match) === current)
  }
  const which = find('[data-which]')
  if (which) which.textContent = current > 0 && current <= matches().length ? `${current} / ` : ''
}

/** Copies the text, with the names of the channels where there are two: all of it or, where a part does not come, nothing. */
async function copyText(button) {
  const { done, failed } = button.dataset
  const label = button.firstElementChild
  const isWhole = (await loadAll()) || (await loadAll())
  const said = rows().map((row) => {
    const channel = row.querySelector('.channel')?.textContent
    return `${channel ? `${channel}: ` : ''}${row.querySelector('.text').textContent}`
  })
  const word = isWhole && (await writeClipboard(said.join('\n'))) ? done : failed
  const usual = label.textContent
  if (usual === done || usual === failed) return
  label.textContent = word
  setTimeout(() => (label.textContent = usual), 2000)
}
/** Fetches what is missing, a part at a time: a busy server refuses many at once. Whether all of it is there then. */
async function loadAll() {
  for (const part of document.querySelectorAll('[data-part]')) await loadPart(part)
  return find('[data-part]') === null
}

/** Copies the address of a moment; where there is no clipboard the link is followed, and stands in the address. */
function copyLink(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  void writeClipboard(link.href).then((done) => {
    if (!done) return location.assign(link.href)
    const said = find('[data-said]')
    said.textContent = said.dataset.copied
    link.classList.add('copied')
    setTimeout(() => {
      said.textContent = ''
      link.classList.remove('copied')
    }, 2000)
  })
}
async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without HTTPS there is no clipboard but for what is selected.
    const field = Object.assign(document.createElement('textarea'), { value: text, className: 'hidden' })
    document.body.append(field)
    const before = document.activeElement
    field.select()
    const done = document.execCommand('copy')
    field.remove()
    before?.focus()
    return done
  }
}

/** Enter in the search goes on to the next match of what was found; Escape leaves the field. */
function searchKey(event) {
  const field = event.target.closest?.('[data-search]')
  if (!field) return
  if (event.key === 'Escape') field.blur()
  else if (event.key === 'Enter' && field.value === field.defaultValue && matches().length > 0) {
    event.preventDefault()
    void walk(event.shiftKey ? -1 : 1)
  }
}

/** n and p walk, where no control wants these keys itself. */
document.addEventListener('keydown', (event) => {
  searchKey(event)
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest?.('input:not([type=range], [type=checkbox]), select, textarea')) return
  if (event.key === 'n') void walk(1)
  else if (event.key === 'p') void walk(-1)
  else return
  event.preventDefault()
})

/** What was exchanged comes as the server knows it: without what is heard and which match is meant. */
document.addEventListener('htmx:after:swap', () => {
  watchParts()
  followSound()
  markCurrent()
})
const query = new URLSearchParams(location.search)
let asked = query.get('q')
document.addEventListener('input', (event) => {
  if (!event.target.matches?.('[data-search]') || event.target.value === asked) return
  asked = event.target.value
  current = 0
})

/** A link to a moment opens there, else a search at its first match: what one came for is seen, and played from. */
function begin() {
  const moment = query.get('t') === null ? NaN : Number(query.get('t'))
  if (moment >= 0) {
    seek(moment)
    find('li[aria-current]')?.scrollIntoView({ block: 'center' })
  } else if (asked) void walk(1, 'nearest')
}
watchParts()
followSound()
begin()
