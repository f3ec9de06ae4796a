// The player of one recording: the rows of the transcript follow the sound, and the sound follows a click on a row.
// Listeners stand on the document, because live parts are exchanged under them.

const sound = () => document.getElementById('sound')
const lines = () => [...document.querySelectorAll('li[data-start]')]

/** Plays from the row that was clicked; a click that ends a selection of text, or on another link, does not. */
document.addEventListener('click', (event) => {
  const row = event.target.closest?.('li[data-start]')
  const link = event.target.closest?.('a')
  const audio = sound()
  if (!row || !audio || (link && !link.matches('.at')) || event.ctrlKey || event.metaKey || event.shiftKey) return
  if (!link && String(getSelection())) return
  event.preventDefault()
  audio.currentTime = Number(row.dataset.start)
  audio.play().catch(() => undefined)
})

/** Marks the row that is heard now. */
function followSound() {
  const { currentTime, paused } = sound()
  let heard
  for (const row of lines()) if (Number(row.dataset.start) <= currentTime + 0.05) heard = row
  const silent = !heard || (currentTime > Number(heard.dataset.end) + 1 && paused)
  for (const row of document.querySelectorAll('li[aria-current]')) if (row !== heard || silent) row.ariaCurrent = null
  if (heard && !silent) heard.ariaCurrent = 'true'
}
for (const name of ['timeupdate', 'seeked', 'play', 'pause']) {
  document.addEventListener(name, (event) => event.target === sound() && followSound(), true)
}

/** Says so where the browser cannot play the format (telephony has some that none can). */
function tellFault() {
  const notice = document.querySelector('[data-cannot-play]')
  if (notice) notice.hidden = false
}
document.addEventListener('error', (event) => event.target === sound() && tellFault(), true)
if (sound()?.error) tellFault()

/** Space plays and pauses, the arrows skip five seconds, where no control wants these keys itself. */
document.addEventListener('keydown', (event) => {
  const audio = sound()
  const taken = event.target.closest?.('a, button, input, select, textarea, summary, audio, [contenteditable]')
  if (!audio || taken || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === ' ') {
    if (audio.paused) audio.play().catch(() => undefined)
    else audio.pause()
  } else if (event.key === 'ArrowRight') audio.currentTime += 5
  else if (event.key === 'ArrowLeft') audio.currentTime -= 5
  else return
  event.preventDefault()
})
