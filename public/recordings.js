// The selection in the list of recordings: how many are selected, all at once, and from one to another with Shift.
// Listeners stand on the document, because the list is exchanged under them.

const boxes = () => [...document.querySelectorAll('input[form=selection][name=id]')]

/** The line above the table, and the box in its head, say what is selected. */
function show() {
  const all = document.querySelector('[data-all]')
  if (!all) return
  const chosen = boxes().filter(({ checked }) => checked).length
  all.hidden = false
  all.checked = chosen > 0 && chosen === boxes().length
  all.indeterminate = chosen > 0 && !all.checked
  const label = document.querySelector('[data-selected]')
  label.textContent = label.dataset.selected.replace('%', chosen)
}

let last
document.addEventListener('click', ({ target, shiftKey }) => {
  if (target.matches?.('[data-all]')) for (const box of boxes()) box.checked = target.checked
  else if (boxes().includes(target)) {
    const between = boxes()
    const [from, to] = [between.indexOf(last), between.indexOf(target)].sort((a, b) => a - b)
    if (shiftKey && from >= 0) for (const box of between.slice(from, to)) box.checked = target.checked
    last = target
  } else return
  show()
})

/** What was done to the selection is done: nothing stays selected. A refresh changes nothing about it. */
document.addEventListener('htmx:after:swap', (event) => {
  if (event.detail.ctx.request.method === 'POST') for (const box of boxes()) box.checked = false
  show()
})
show()
