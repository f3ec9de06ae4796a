// Moves rule sets in their list by keys and by dragging; without scripts buttons move them.

document.documentElement.classList.add('scripted')

/** Alt and an arrow press the button of the set that has the focus. */
document.addEventListener('keydown', (event) => {
  const direction = { ArrowUp: 'up', ArrowDown: 'down' }[event.key]
  const row = event.target.closest?.('tr[data-set]')
  if (!direction || !row || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  row.querySelector(`button[data-move=${direction}]`)?.click()
})

/** A moved row keeps the focus, so that the next key moves the same set again. */
let focusedId
document.addEventListener('htmx:before:swap', () => (focusedId = document.activeElement?.id))
document.addEventListener('htmx:after:swap', () => focusedId && document.getElementById(focusedId)?.focus())

/** The row of the same group before which the pointer is; null at the end. */
function findNextRow(row, y) {
  const others = [...row.parentElement.querySelectorAll('tr[data-set]')].filter((other) => other !== row)
  const isBelow = (other) => {
    const { top, height } = other.getBoundingClientRect()
    return y < top + height / 2
  }
  return others.find(isBelow) ?? null
}

function submitMove(row) {
  const form = row.querySelector('form')
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'beforeId'
  field.value = row.nextElementSibling?.dataset.set ?? ''
  form.append(field)
  form.requestSubmit()
  field.remove()
}

function dragRow(row, grip, pointerId) {
  const oldNextRow = row.nextElementSibling
  const stop = new AbortController()
  const end = () => {
    stop.abort()
    row.classList.remove('dragged')
  }
  const listen = (name, handle) => grip.addEventListener(name, handle, { signal: stop.signal })
  grip.setPointerCapture(pointerId)
  row.classList.add('dragged')
  listen('pointermove', ({ clientY }) => {
    const nextRow = findNextRow(row, clientY)
    if (nextRow !== row.nextElementSibling) row.parentElement.insertBefore(row, nextRow)
  })
  listen('pointerup', () => {
    end()
    if (row.nextElementSibling !== oldNextRow) submitMove(row)
  })
  listen('pointercancel', () => {
    end()
    row.parentElement.insertBefore(row, oldNextRow)
  })
}

document.addEventListener('pointerdown', (event) => {
  const grip = event.target.closest?.('.grip')
  if (!grip || event.button !== 0) return
  event.preventDefault()
  dragRow(grip.closest('tr'), grip, event.pointerId)
})
