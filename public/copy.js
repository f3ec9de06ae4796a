// Copies the value of a field, such as a new key. Without scripts, people select it by hand.

async function copyField(button) {
  const field = document.getElementById(button.dataset.copyFrom)
  field.select()
  // Browsers offer the clipboard only over HTTPS or on localhost. Elsewhere, the page copies the selection.
  const isWritten = navigator.clipboard?.writeText(field.value).then(
    () => true,
    () => false,
  )
  if ((await isWritten) || document.execCommand('copy')) {
    button.querySelector('[role=status]').textContent = button.dataset.done
  }
}

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-copy-from]')
  if (button) void copyField(button)
})
