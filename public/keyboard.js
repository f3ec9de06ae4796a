/** Keys of every page: Ctrl K opens the palette, ? the list of keys, Escape leaves a field. */
const FIELD_SELECTOR = 'input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]'

/** Fetches HTML of the panel. It sends the action id of the page, so that the audit log groups both. @returns undefined if it fails */
async function fetchPart(path) {
  const headers = { 'HX-Request': 'true', 'X-Action-Id': document.getElementById('content').dataset.actionId }
  const response = await fetch(path, { headers }).catch(() => undefined)
  return response?.ok && !response.redirected ? response.text() : undefined
}

const isOverlayOpen = () => document.querySelector('dialog.overlay[open]') !== null

function openOverlay(label, html) {
  const dialog = document.createElement('dialog')
  dialog.className = 'overlay'
  dialog.setAttribute('aria-label', label)
  dialog.innerHTML = html
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
  document.body.append(dialog)
  dialog.showModal()
}

/** Opens the list of keys. Nothing opens if the request fails or another dialog is open. */
async function openKeys() {
  const html = await fetchPart(`/keys-help?page=${location.pathname}`)
  if (html !== undefined && !isOverlayOpen()) openOverlay('?', html)
}

/** Opens the palette at once, so that no typed letter is lost, and then loads its entries. */
function openPalette() {
  document.querySelector('.keys-help')?.closest('dialog').close()
  if (isOverlayOpen()) return
  openOverlay(
    document.querySelector('[data-palette]').dataset.palette,
    document.getElementById('empty-palette').innerHTML,
  )
  openWhenShown = undefined
  void showDestinations(document.querySelector('dialog .palette'), '', ++lastRequest)
}

document.addEventListener('keydown', (event) => {
  const { key, target, altKey } = event
  const withControl = event.ctrlKey || event.metaKey
  if (withControl && !altKey && key.toLowerCase() === 'k' && document.querySelector('[data-palette]')) {
    event.preventDefault()
    openPalette()
  } else if (withControl || altKey) return
  else if (key === 'Escape' && target.matches?.(FIELD_SELECTOR) && !target.closest('dialog')) target.blur()
  else if (key === '?' && !target.closest?.(FIELD_SELECTOR) && document.querySelector('[data-palette]')) void openKeys()
})
document.addEventListener('click', ({ target }) => target.closest?.('[data-palette]') && openPalette())

/** In the palette, arrows move through the entries, Enter opens one, and Ctrl Enter searches all calls. */
const findOptions = (palette) => [...palette.querySelectorAll('[role=option]')]

function selectOption(palette, index) {
  const options = findOptions(palette)
  const selected = options[Math.max(0, Math.min(index, options.length - 1))]
  for (const option of options) option.setAttribute('aria-selected', String(option === selected))
  palette.elements.q.setAttribute('aria-activedescendant', selected?.id ?? '')
  selected?.scrollIntoView({ block: 'nearest' })
}

function openDestination(palette, searchesCalls) {
  const selected = palette.querySelector('[role=option][aria-selected=true]') ?? palette.querySelector('[role=option]')
  const chosen = searchesCalls ? palette.querySelector('[data-search-calls]') : selected
  chosen?.click()
}

document.addEventListener('keydown', (event) => {
  const palette = event.target.closest?.('.palette')
  if (!palette) return
  const options = findOptions(palette)
  const current = options.findIndex((option) => option.getAttribute('aria-selected') === 'true')
  const steps = { ArrowDown: current + 1, ArrowUp: current - 1 }
  if (event.key in steps) {
    event.preventDefault()
    selectOption(palette, steps[event.key])
  } else if (event.key === 'Enter') {
    event.preventDefault()
    const open = () => openDestination(palette, event.ctrlKey || event.metaKey)
    if (isSearching) openWhenShown = open
    else open()
  } else if (event.key === 'Escape') {
    // A search field would use the first Escape to empty itself.
    event.preventDefault()
    openWhenShown = undefined
    palette.closest('dialog')?.close()
  }
})

/**
 * The entries follow the input. A response is dropped if a newer request exists. Enter before the response waits for it, because
 * the shown entries are those of an earlier text.
 */
const TYPING_PAUSE_MS = 150
let lastRequest = 0
let isSearching = false
let openWhenShown
document.addEventListener('input', ({ target }) => {
  const palette = target.closest?.('.palette')
  if (!palette) return
  const request = ++lastRequest
  isSearching = true
  openWhenShown = undefined
  setTimeout(() => request === lastRequest && void showDestinations(palette, target.value, request), TYPING_PAUSE_MS)
})

async function showDestinations(palette, text, request) {
  const html = await fetchPart(`/palette?${new URLSearchParams({ q: text })}`)
  if (request !== lastRequest) return
  isSearching = false
  if (html === undefined) return
  palette.querySelector('#destinations').outerHTML = html
  selectOption(palette, 0)
  openWhenShown?.()
  openWhenShown = undefined
}
/** Closes the palette when an entry opens its page. */
document.addEventListener('click', ({ target }) => {
  if (target.closest?.('.palette [role=option]')) target.closest('dialog')?.close()
})
