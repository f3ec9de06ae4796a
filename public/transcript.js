// The transcript of a call, its search and its links. A long transcript loads its parts when they are needed.

const findElement = (selector) => document.querySelector(selector)
const findAudio = () => document.getElementById('sound')
const findRows = () => [...document.querySelectorAll('.lines [data-start]')]
const findParts = () => [...document.querySelectorAll('.rows-to-come')]
const findPartOfRow = (row) =>
  findParts().find(({ dataset }) => Number(dataset.from) <= row && row < Number(dataset.to))

/** Moves the playback position. The listeners of the player show it. */
function seekTo(seconds) {
  const audio = findAudio()
  if (!audio) return
  audio.currentTime = seconds
  // Before the audio is loaded, the browser keeps the position and sends no event.
  audio.dispatchEvent(new Event('timeupdate'))
}

const pendingParts = new Map()

/** Fetches the rows of a link once. If this fails, the link stays. */
function loadPart(partLink) {
  const pendingPart = pendingParts.get(partLink.id)
  if (pendingPart) return pendingPart
  const partRequest = fetchPart(partLink)
    .catch(() => undefined)
    .finally(() => pendingParts.delete(partLink.id))
  pendingParts.set(partLink.id, partRequest)
  return partRequest
}
async function fetchPart(partLink) {
  // The action id of the page makes the audit log show one entry.
  const headers = { 'HX-Request': 'true', 'X-Action-Id': document.getElementById('content').dataset.actionId }
  const response = await fetch(partLink.firstElementChild.href, { headers })
  if (!response.ok) return
  const part = document.createElement('template')
  part.innerHTML = await response.text()
  const placeholder = document.getElementById(partLink.id)
  if (placeholder) keepPositionBelow(placeholder, () => placeholder.replaceWith(part.content))
  markCurrentMatch()
  markCurrentRow()
}

/** Replaces an element of estimated height without moving the text below it. */
function keepPositionBelow(element, replace) {
  const { nextElementSibling, parentElement } = element
  const measure = () => nextElementSibling?.getBoundingClientRect().top ?? parentElement.getBoundingClientRect().bottom
  const isAbove = element.getBoundingClientRect().top < 0
  const before = measure()
  const { style } = document.documentElement
  // Otherwise the browser may correct the position too.
  style.overflowAnchor = 'none'
  replace()
  if (isAbove) scrollBy(0, measure() - before)
  requestAnimationFrame(() => (style.overflowAnchor = ''))
}

/** Loads a part shortly before it scrolls into view. */
const partObserver = new IntersectionObserver(
  (seen) => {
    for (const { isIntersecting, target } of seen) if (isIntersecting) void loadPart(target)
  },
  { rootMargin: '600px' },
)
function observeParts() {
  partObserver.disconnect()
  for (const part of findParts()) partObserver.observe(part)
}

const isInView = (element) => {
  const { top, bottom } = element.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}

/** Returns true if a row or part contains the time, in seconds. */
const containsTime = ({ dataset }, time) => Number(dataset.start) <= time + 0.05 && Number(dataset.end) > time + 0.05

/** The linked moment in seconds. Its row is marked from the start of playback shortly before it, and without audio. */
let linkedMoment = NaN
const LEAD_SECONDS = 1.5

function findMarkedTime() {
  const { currentTime } = findAudio() ?? { currentTime: linkedMoment }
  const isInLead = currentTime >= linkedMoment - LEAD_SECONDS - 0.05 && currentTime < linkedMoment
  return isInLead ? linkedMoment : currentTime
}

/** Marks the row that is playing. The page follows it unless the reader has scrolled away. */
function markCurrentRow() {
  const currentTime = findMarkedTime()
  const paused = findAudio()?.paused ?? true
  const partLink = findParts().find((part) => containsTime(part, currentTime))
  if (partLink) {
    void loadPart(partLink)
    return
  }
  let currentRow
  for (const row of findRows()) if (Number(row.dataset.start) <= currentTime + 0.05) currentRow = row
  if (currentRow && currentTime > Number(currentRow.dataset.end) + 1 && paused) currentRow = undefined
  const before = findElement('.lines [aria-current]')
  if (before === (currentRow ?? null)) return
  if (before) before.ariaCurrent = null
  if (!currentRow) return
  currentRow.ariaCurrent = 'true'
  if (!paused && before && isInView(before)) currentRow.scrollIntoView({ block: 'nearest' })
}
for (const name of ['timeupdate', 'seeking', 'seeked', 'play', 'pause', 'ended', 'loadedmetadata']) {
  document.addEventListener(name, ({ target }) => target === findAudio() && markCurrentRow(), true)
}

/** Plays from the clicked row, unless the click selects text or hits another control. */
function playRow(event) {
  const turn = event.target.closest?.('.lines li')
  const row = event.target.closest?.('[data-start]') ?? turn?.querySelector('[data-start]')
  const link = event.target.closest?.('a, form, .threads')
  if (!row || !findAudio() || (link && !link.matches('.at')) || event.ctrlKey || event.metaKey || event.shiftKey) return
  if (!link && String(getSelection())) return
  event.preventDefault()
  playFrom(Number(row.dataset.start))
}
function playFrom(seconds) {
  seekTo(seconds)
  findAudio()
    .play()
    .catch(() => undefined)
}

document.addEventListener('click', (event) => {
  const findTarget = (selector) => event.target.closest?.(selector)
  if (findTarget('[data-walk]')) void goToMatch(Number(findTarget('[data-walk]').dataset.walk))
  else if (findTarget('[data-copy]')) void copyText(findTarget('[data-copy]'))
  else if (findTarget('.share')) copyLink(event, findTarget('.share'))
  else if (findTarget('[data-comment]')) goToComment(event, findTarget('[data-comment]'))
  else if (findTarget('[data-quote]')) goToQuote(event, findTarget('[data-quote]'))
  else playRow(event)
})

/** Plays from shortly before a quote of the check, and highlights the quote in the transcript. */
function goToQuote(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  if (findAudio()) playFrom(Number(link.dataset.at))
  void showQuote(link.dataset)
}
async function showQuote({ quote, row }) {
  const partLink = findPartOfRow(Number(row))
  if (partLink) await loadPart(partLink)
  for (const mark of document.querySelectorAll('.quoted.current')) mark.classList.remove('current')
  const marks = document.querySelectorAll(`[data-quoted~="${quote}"]`)
  for (const mark of marks) mark.classList.add('current')
  if (marks[0]) openChapter(marks[0])
  marks[0]?.scrollIntoView({ block: isInView(marks[0]) ? 'nearest' : 'center' })
}

/** Shows a comment and moves the playback position to its moment. Links with data-plays also play. */
function goToComment(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const { at, plays } = link.dataset
  if (plays !== undefined && findAudio()) playFrom(Number(at))
  else seekTo(Number(at))
  void showComment(link.dataset)
}
async function showComment({ comment, row }) {
  const partLink = findPartOfRow(Number(row))
  if (partLink) await loadPart(partLink)
  for (const marked of document.querySelectorAll('.comment.marked')) marked.classList.remove('marked')
  const shown = document.getElementById(`comment-${comment}`)
  if (!shown) return
  shown.classList.add('marked')
  if (shown.matches('.folded')) shown.querySelector('a').click() // loads the whole thread
  openChapter(shown)
  shown.scrollIntoView({ block: isInView(shown) ? 'nearest' : 'center' })
}
document.addEventListener('panel:show-comment', ({ detail }) => void showComment(detail))

/** Opens the chapter that contains an element, so that the element is visible. */
function openChapter(element) {
  const chapter = element.closest('.chapter')
  if (chapter) chapter.open = true
}

let currentMatch = 0

/** Lists the row and the time in seconds of each match. */
function listMatches() {
  const matchList = findElement('[data-matches]')?.dataset.matches
  return matchList ? matchList.split(' ').map((match) => match.split(':').map(Number)) : []
}

/** Goes to the next (1) or previous (-1) match, with wrap-around, and moves the playback position there. */
async function goToMatch(step, block = 'center') {
  const matchPositions = listMatches()
  if (matchPositions.length === 0) return
  const from = currentMatch === 0 && step < 0 ? 1 : currentMatch
  currentMatch = ((from - 1 + step + matchPositions.length) % matchPositions.length) + 1
  const requestedMatch = currentMatch
  const [row, at] = matchPositions[currentMatch - 1]
  const partLink = findPartOfRow(row)
  if (partLink) await loadPart(partLink)
  if (requestedMatch !== currentMatch) return
  seekTo(Number(findElement(`mark[data-match="${currentMatch}"]`)?.dataset.at ?? at))
  markCurrentMatch()
  const mark = findElement('mark.current')
  if (mark) openChapter(mark)
  mark?.scrollIntoView({ block })
}
function markCurrentMatch() {
  for (const mark of document.querySelectorAll('mark[data-match]')) {
    mark.classList.toggle('current', Number(mark.dataset.match) === currentMatch)
  }
  const counter = findElement('[data-which]')
  if (counter)
    counter.textContent = currentMatch > 0 && currentMatch <= listMatches().length ? `${currentMatch} / ` : ''
}

/** Copies the whole text with the names of the speakers, or nothing if a part does not load. */
async function copyText(button) {
  const { done, failed } = button.dataset
  const label = button.firstElementChild
  const isComplete = (await loadAllParts()) || (await loadAllParts())
  const turns = [...document.querySelectorAll('.lines li')]
  const output = turns.map((turn) => {
    const channel = turn.querySelector('.channel')?.textContent
    return `${channel ? `${channel}: ` : ''}${turn.querySelector('.text').textContent}`
  })
  const labelText = isComplete && (await writeClipboard(output.join('\n'))) ? done : failed
  const previousText = label.textContent
  if (previousText === done || previousText === failed) return
  label.textContent = labelText
  setTimeout(() => (label.textContent = previousText), 2000)
}
/** Fetches one part at a time, because a busy server rejects many at once. */
async function loadAllParts() {
  for (const part of findParts()) await loadPart(part)
  return findParts().length === 0
}

/** Copies the address of a moment. Without a clipboard, follows the link. */
function copyLink(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  void writeClipboard(link.href).then((done) => {
    if (!done) return location.assign(link.href)
    const output = findElement('[data-said]')
    output.textContent = output.dataset.copied
    link.classList.add('copied')
    setTimeout(() => {
      output.textContent = ''
      link.classList.remove('copied')
    }, 2000)
  })
}
async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without HTTPS, browsers can copy only a selection.
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

/** Enter in an unchanged search goes to the next match, Shift Enter to the previous one. Escape leaves the field. */
function handleSearchKey(event) {
  const field = event.target.closest?.('[data-search]')
  if (!field) return
  if (event.key === 'Escape') field.blur()
  else if (event.key === 'Enter' && field.value === field.defaultValue && listMatches().length > 0) {
    event.preventDefault()
    void goToMatch(event.shiftKey ? -1 : 1)
  }
}

/** n and p go to the next and previous match, unless the focused field takes letters. */
document.addEventListener('keydown', (event) => {
  handleSearchKey(event)
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest?.('input:not([type=range], [type=checkbox]), select, textarea')) return
  if (event.key === 'n') void goToMatch(1)
  else if (event.key === 'p') void goToMatch(-1)
  else return
  event.preventDefault()
})

/** New parts from the server do not mark the playing row and the current match. */
document.addEventListener('htmx:after:swap', () => {
  observeParts()
  markCurrentRow()
  markCurrentMatch()
})
const query = new URLSearchParams(location.search)
let lastQuery = query.get('q')
document.addEventListener('input', (event) => {
  if (!event.target.matches?.('[data-search]') || event.target.value === lastQuery) return
  lastQuery = event.target.value
  currentMatch = 0
})

/** Opens at the linked comment or moment, else at the first match. */
function openAtStart() {
  const moment = query.get('t') === null ? NaN : Number(query.get('t'))
  const comment = findElement('.comment.marked')
  if (moment >= 0) {
    linkedMoment = moment
    seekTo(Math.max(0, moment - LEAD_SECONDS))
    markCurrentRow()
  } else if (comment) seekTo(Number(comment.parentElement.querySelector('.moment').dataset.at))
  else if (lastQuery) void goToMatch(1, 'nearest')
  const place = comment ?? (moment >= 0 ? findElement('.lines [aria-current]') : null)
  place?.scrollIntoView({ block: 'center' })
}
observeParts()
markCurrentRow()
openAtStart()
