// The chapters of a long call: the keys [ and ], and the mark of the chapter at the current position.

const findAudio = () => document.getElementById('sound')
const findChapters = () => [...document.querySelectorAll('[data-chapter]')]
const startOf = ({ dataset }) => Number(dataset.chapter)

/** Position without audio: the start of the chapter that the keys reached last, in seconds. */
let reachedSeconds = 0
const findPosition = () => findAudio()?.currentTime ?? reachedSeconds

/** Seconds after its start in which [ goes to the previous chapter instead of back to the start of this one. */
const RESTART_AFTER_SECONDS = 2

function findTarget(key) {
  const position = findPosition()
  return key === ']'
    ? findChapters().find((chapter) => startOf(chapter) > position + 0.05)
    : findChapters().findLast((chapter) => startOf(chapter) < Math.max(0.05, position - RESTART_AFTER_SECONDS))
}

function goToChapter(chapter) {
  reachedSeconds = startOf(chapter)
  const audio = findAudio()
  if (audio) {
    audio.currentTime = reachedSeconds
    // Before the audio is loaded, the browser sends no event.
    audio.dispatchEvent(new Event('timeupdate'))
  }
  chapter.open = true
  chapter.scrollIntoView({ block: 'start' })
}

document.addEventListener('keydown', (event) => {
  if ((event.key !== '[' && event.key !== ']') || event.ctrlKey || event.metaKey) return
  if (event.target.closest?.('input:not([type=range], [type=checkbox], [type=radio]), select, textarea')) return
  const chapter = findTarget(event.key)
  if (!chapter) return
  event.preventDefault()
  goToChapter(chapter)
})

/** Marks the chapter at the current position, below the waveform and in the bar of a phone. */
function showChapter() {
  const chapters = findChapters()
  const current = chapters.findLastIndex((chapter) => startOf(chapter) <= findPosition() + 0.05)
  for (const [index, mark] of document.querySelectorAll('[data-chapter-mark]').entries())
    mark.classList.toggle('current', index === current)
  const name = document.querySelector('[data-chapter-now]')
  const title = chapters[current]?.querySelector('h3').textContent ?? ''
  if (name && name.textContent !== title) name.textContent = title
}
for (const eventName of ['timeupdate', 'seeking', 'seeked', 'loadedmetadata']) {
  document.addEventListener(eventName, ({ target }) => target === findAudio() && showChapter(), true)
}
document.addEventListener('htmx:after:swap', showChapter)
showChapter()
