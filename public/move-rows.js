// Moves rows of a list by keys. Without scripts, their buttons move them.

/** Alt with an arrow key presses the move button of the row with the focus. */
document.addEventListener('keydown', (event) => {
  const direction = { ArrowUp: 'up', ArrowDown: 'down' }[event.key]
  const row = event.target.closest?.('tr:has([data-move])')
  if (!direction || !row || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  row.querySelector(`button[data-move=${direction}]`)?.click()
})

/** A moved row keeps the focus, so that the next key moves the same row again. */
let focusedId
document.addEventListener('htmx:before:swap', () => (focusedId = document.activeElement?.id))
document.addEventListener('htmx:after:swap', () => focusedId && document.getElementById(focusedId)?.focus())
