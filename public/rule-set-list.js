// Moves rule sets in their list by dragging. move-rows.js moves them by keys, and without scripts, buttons do.

document.documentElement.classList.add('scripted')

/** Finds the first other row of the group whose middle is below the pointer; undefined at the end. */
function findNextRow(row, y) {
  const others = [...row.parentElement.querySelectorAll('tr[data-set]')].filter((other) => other !== row)
  return others.find((other) => {
    const { top, height } = other.getBoundingClientRect()
    return y < top + height / 2
  })
}

/** Shows the new place by a line: at the top of the next row, or below the last one. */
function showPlace(row, nextRow) {
  for (const other of row.parentElement.children) {
    other.classList.toggle('drop-before', other === nextRow)
    other.classList.toggle('drop-after', !nextRow && other === row.parentElement.lastElementChild)
  }
}

function clearPlace(row) {
  for (const other of row.parentElement.children) other.classList.remove('drop-before', 'drop-after', 'dragged')
}

function submitMove(row, nextRow) {
  const form = row.querySelector('form')
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'beforeId'
  field.value = nextRow?.dataset.set ?? ''
  form.append(field)
  form.requestSubmit()
  field.remove()
}

/** Follows the pointer until it is released. Browsers cancel a drag themselves, for example for a gesture. */
function dragRow(row, grip, pointerId) {
  const stop = new AbortController()
  const listen = (name, handle) => grip.addEventListener(name, handle, { signal: stop.signal })
  const end = () => {
    stop.abort()
    clearPlace(row)
  }
  grip.setPointerCapture(pointerId)
  row.classList.add('dragged')
  listen('pointermove', ({ clientY }) => showPlace(row, findNextRow(row, clientY)))
  listen('pointercancel', end)
  listen('pointerup', ({ clientY }) => {
    end()
    const nextRow = findNextRow(row, clientY)
    if (nextRow !== (row.nextElementSibling ?? undefined)) submitMove(row, nextRow)
  })
}

document.addEventListener('pointerdown', (event) => {
  const grip = event.target.closest?.('.grip')
  if (!grip || event.button !== 0) return
  event.preventDefault()
  dragRow(grip.closest('tr'), grip, event.pointerId)
})
