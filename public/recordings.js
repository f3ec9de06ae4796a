// The list of calls: selection with counts and Shift ranges, keys, and refreshes. Listeners are on the document, because
// htmx replaces the list.

const findCheckboxes = () => [...document.querySelectorAll('input[form=selection][name=id]')]

const findWholeOffer = () => document.querySelector('[data-select-whole]')
const findWholeInput = () => document.querySelector('#selection [name=all]')
const isWholeSelected = () => findWholeInput()?.disabled === false

/** Counts the selected calls, also by status: all matching calls, or those with a checked box. */
function countSelected() {
  if (isWholeSelected()) {
    const { total, statuses } = findWholeOffer().dataset
    return { total: Number(total), statuses: JSON.parse(statuses) }
  }
  const checked = findCheckboxes().filter(({ checked }) => checked)
  const statuses = {}
  for (const { dataset } of checked) statuses[dataset.status] = (statuses[dataset.status] ?? 0) + 1
  return { total: checked.length, statuses }
}

function selectWhole(isWhole) {
  const input = findWholeInput()
  if (!input) return
  input.disabled = !isWhole
  input.value = isWhole ? findWholeOffer().dataset.selectWhole : ''
}

const formatCount = (count) => new Intl.NumberFormat(document.documentElement.lang).format(count)
function showCount(root, count) {
  for (const element of root.querySelectorAll('[data-count]'))
    element.textContent = element.dataset.count.replace('%', formatCount(count))
}

/** Shows the selection in the line above the table and in the box of its header. */
function showSelection() {
  const selectAllBox = document.querySelector('[data-all]')
  if (!selectAllBox) return
  const { total, statuses } = countSelected()
  const checkedCount = findCheckboxes().filter(({ checked }) => checked).length
  selectAllBox.hidden = false
  selectAllBox.checked = checkedCount > 0 && checkedCount === findCheckboxes().length
  selectAllBox.indeterminate = checkedCount > 0 && !selectAllBox.checked
  const label = document.querySelector('[data-selected]')
  label.textContent = label.dataset.selected.replace('%', formatCount(total))
  if (findWholeOffer()) findWholeOffer().hidden = !selectAllBox.checked || isWholeSelected()
  showCount(document.getElementById('selection'), total)
  // An action is hidden if no selected call allows it. Otherwise, it shows the number of these calls.
  for (const offer of document.querySelectorAll('#selection [data-for]')) {
    const matchingCount = offer.dataset.for.split(' ').reduce((sum, status) => sum + (statuses[status] ?? 0), 0)
    const isOtherScope = offer.dataset.scope === (isWholeSelected() ? 'page' : 'whole')
    offer.hidden = matchingCount === 0 || isOtherScope
    showCount(offer, matchingCount)
  }
}

document.addEventListener('click', ({ target }) => {
  if (!target.matches?.('[data-select-whole]')) return
  selectWhole(true)
  showSelection()
  document.querySelector('#selection summary, #selection button:not([hidden])')?.focus()
})

let lastClicked
document.addEventListener('click', ({ target, shiftKey }) => {
  if (target.matches?.('[data-all]')) for (const box of findCheckboxes()) box.checked = target.checked
  else if (findCheckboxes().includes(target)) {
    const checkboxes = findCheckboxes()
    const [from, to] = [checkboxes.indexOf(lastClicked), checkboxes.indexOf(target)].sort((a, b) => a - b)
    if (shiftKey && from >= 0) for (const box of checkboxes.slice(from, to)) box.checked = target.checked
    lastClicked = target
  } else return
  selectWhole(false)
  showSelection()
})

/** A click on a row opens its call, unless it hits a control or selects text. */
document.addEventListener('click', (event) => {
  const { target } = event
  const row = target.closest?.('.calls tbody tr')
  if (!row || target.closest('a, button, label, input') || getSelection().type === 'Range') return
  const link = row.querySelector('.time a')
  if (event.ctrlKey || event.metaKey) open(link.href, '_blank', 'noopener')
  else link.click()
})

const findCallLinks = () => [...document.querySelectorAll('.calls td.time a')]
const findFocusedRow = () => document.activeElement?.closest('.calls tbody tr')

/** Selects the call with the focus; with Shift all calls from the last selected one to it. */
function selectFocused(shiftKey) {
  const box = findFocusedRow()?.querySelector('.pick input')
  box?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }))
}

/**
 * j and k move between calls. x selects the call with the focus, Shift x a range. Space opens the focused call and plays it,
 * from the first match of a search.
 */
document.addEventListener('keydown', (event) => {
  const { target, ctrlKey, metaKey, altKey, shiftKey } = event
  const key = event.key.toLowerCase()
  if (!['j', 'k', 'x', ' '].includes(key) || ctrlKey || metaKey || altKey) return
  if (target.closest?.('input:not([type=checkbox]), select, textarea, [contenteditable], dialog, .menu[open]')) return
  const links = findCallLinks()
  const at = links.findIndex((link) => link.closest('tr') === findFocusedRow())
  if (key === ' ') {
    if (target !== links[at]) return
    event.preventDefault()
    location.assign(`${target.href}#play`)
  } else if (key === 'x') selectFocused(shiftKey)
  else links[key === 'j' ? Math.min(at + 1, links.length - 1) : Math.max(at - 1, 0)]?.focus()
})

/** A search, here or from the palette, moves to its first result. Without one, the search keeps the focus. */
document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
  if (ctx.sourceElement.matches('form.search')) findCallLinks()[0]?.focus()
})
if (location.hash === '#results') findCallLinks()[0]?.focus()

/** While a person uses the list, a refresh moves no rows. It updates the shown rows and offers new calls by a button. */
const listRowIds = (root) => [...root.querySelectorAll('.calls tbody tr')].map(({ id }) => id)
const isListActive = (list) => list.matches(':hover, :focus-within') || findCheckboxes().some(({ checked }) => checked)
let isRefreshWanted = false
document.addEventListener('htmx:before:swap', (event) => {
  const { text, sourceElement, response } = event.detail.ctx
  const list = document.getElementById('list')
  if (sourceElement !== list || response.status !== 200 || isRefreshWanted || !isListActive(list)) return
  const newDocument = new DOMParser().parseFromString(text, 'text/html')
  const shownIds = new Set(listRowIds(list))
  const addedCount = listRowIds(newDocument).filter((id) => !shownIds.has(id)).length
  if (addedCount === 0 || shownIds.size === 0) return
  event.preventDefault()
  for (const id of shownIds) {
    const [now, then] = [newDocument.getElementById(id), document.getElementById(id)]
    for (const name of ['status', 'length', 'note']) {
      const [cell, old] = [now?.querySelector(`td.${name}`), then.querySelector(`td.${name}`)]
      if (cell && cell.innerHTML !== old.innerHTML) old.innerHTML = cell.innerHTML
    }
  }
  const offer = list.querySelector('.new-calls')
  offer.textContent = offer.dataset.new.replace('%', addedCount)
  offer.hidden = false
})
document.addEventListener('click', ({ target }) => {
  if (!target.matches?.('.new-calls')) return
  isRefreshWanted = true
  target.hidden = true
  document.getElementById('list').dispatchEvent(new CustomEvent('refresh'))
})
document.addEventListener('htmx:after:swap', () => (isRefreshWanted = false))

/** After an action nothing stays selected. A refresh keeps the selection. */
document.addEventListener('htmx:after:swap', (event) => {
  if (event.detail.ctx.request.method === 'POST') {
    for (const box of findCheckboxes()) box.checked = false
    selectWhole(false)
  }
  showSelection()
})
showSelection()
